import { mkdirSync } from "node:fs";
import { dataFolder } from "../../store/data-folder.ts";
import { holdFile } from "../../store/hold.ts";
import { findTraceByShortId } from "../../store/records/traces.ts";
import { openStoreBeside, type Store } from "../../store/store.ts";
import { readTraceReference } from "../agents/trace-reference.ts";
import { type Config, loadConfig } from "../config.ts";
import { readSigningKey } from "../http/signed-urls.ts";
import { type AuditTrail, createAuditTrail } from "../identity/audit-events/trail.ts";
import { addressOf, type CredentialsFile, readCredentials } from "../identity/orgs.ts";
import { createRuntime, type Runtime, type Served, sweepLeftovers } from "../main.ts";
import { type ApiClient, isServerAt } from "../platform/api-client.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { createIds, type Ids } from "../platform/ids.ts";
import { LockedError, lockHolder, takeLock } from "../platform/lock.ts";
import { createLog } from "../platform/log.ts";
import { INGEST_KINDS } from "../work.ts";
import { type CommonOptions, UUID } from "./options.ts";
import { CliError, note } from "./output.ts";
import { clientAt } from "./server-client.ts";

/** A data folder as a command works on it: through the server that holds it, else directly. */
export interface Session {
  config: Config;
  client: ApiClient;
  /** Address of the running server; null when the store was opened directly. */
  serverUrl: string | null;
  orgId: string;
  store: Store;
  auditTrail: AuditTrail;
  clock: Clock;
  ids: Ids;
  /** Without a server, begins to do the work that ingests leave behind. */
  startWork(): Promise<void>;
  /** The id of a trace given by its id, its short id or a link to it. @throws CliError when there is none */
  traceId(text: string): Promise<string>;
}

/** How long another command, or a server that is just starting or stopping, is waited for. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;
const UNLIMITED = 1_000_000;

/** Opens the data folder, does the work, closes it again whatever happens. */
export async function withSession<T>(
  options: CommonOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = loadConfig({ data: options.data });
  const paths = dataFolder(config.dataDir);
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  const end = systemClock.monotonic() + PATIENCE_MS;
  let refused: LockedError | null = null;
  for (let isFirst = true; ; isFirst = false) {
    const holder = lockHolder(paths.lock);
    if (holder?.url && (await isServerAt(holder.url))) return withServer(config, holder.url, work);
    if (!holder) {
      try {
        return await withoutServer(config, work);
      } catch (error) {
        if (!(error instanceof LockedError)) throw error;
        refused = error;
      }
    }
    if (systemClock.monotonic() > end)
      throw new CliError(
        holder?.url
          ? `The server at ${holder.url} holds ${config.dataDir} but does not answer.`
          : `Process ${(holder ?? refused?.holder)?.pid} keeps ${config.dataDir} to itself.`,
      );
    if (isFirst) note(`Waiting for process ${holder?.pid ?? ""} to give ${config.dataDir} free.`);
    await systemClock.sleep(LOOK_MS);
  }
}

/**
 * A session with a server of this same process, in its store: a write through a second connection would keep the thread
 * waiting for a transaction that only this thread can end.
 */
export function sessionOn({ runtime, port }: Served): Session {
  const { deps, credentials } = runtime;
  return serverSession(deps.config, {
    url: addressOf(deps.config.host, port),
    credentials,
    store: deps.store,
  });
}

async function withServer<T>(
  config: Config,
  url: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const credentials = readCredentials(dataFolder(config.dataDir).credentials);
  if (!credentials) throw new CliError(`${dataFolder(config.dataDir).credentials} is missing or damaged.`);
  const store = openStoreBeside(config.dataDir);
  try {
    return await work(serverSession(config, { url, credentials, store }));
  } finally {
    await store.close();
  }
}

function serverSession(
  config: Config,
  { url, credentials, store }: { url: string; credentials: CredentialsFile; store: Store },
): Session {
  return {
    config,
    client: clientAt({ url, apiKey: credentials.api_key }),
    serverUrl: url,
    orgId: credentials.org_id,
    store,
    auditTrail: trailOf(config, store),
    clock: systemClock,
    ids: createIds(systemClock),
    startWork: async () => {},
    traceId: (text) => resolveTraceId(store, text, config.dataDir),
  };
}

async function withoutServer<T>(config: Config, work: (session: Session) => Promise<T>): Promise<T> {
  const lock = takeLock(
    dataFolder(config.dataDir).lock,
    ({ pid }) => `Process ${pid} holds ${config.dataDir}.`,
    holdFile,
  );
  let runtime: Runtime | null = null;
  try {
    runtime = await createRuntime(forOnePerson(config), {
      log: quietLog(),
    });
    const { deps, app, jobs, handlers, credentials } = runtime;
    await sweepLeftovers(deps);
    let started: Promise<void> | null = null;
    return await work({
      config,
      client: {
        async request(path, init = {}) {
          const headers = new Headers(init.headers);
          headers.set("authorization", `Bearer ${credentials.api_key}`);
          headers.set("host", "localhost");
          return app.fetch(new Request(new URL(path, "http://localhost"), { ...init, headers }));
        },
      },
      serverUrl: null,
      orgId: credentials.org_id,
      store: deps.store,
      auditTrail: deps.auditTrail,
      clock: deps.clock,
      ids: deps.ids,
      startWork: () => (started ??= jobs.start(handlers.filter(({ kind }) => INGEST_KINDS.has(kind)))),
      traceId: (text) => resolveTraceId(deps.store, text, config.dataDir),
    });
  } finally {
    await runtime?.close();
    lock.release();
  }
}

/** What the folder's own key says of the chains, read beside the server. */
function trailOf(config: Config, { records }: Store): AuditTrail {
  const { auditCheckpoints, signingKey } = dataFolder(config.dataDir);
  return createAuditTrail({
    records,
    path: auditCheckpoints,
    signingKey: readSigningKey(signingKey),
    clock: systemClock,
    log: quietLog(),
  });
}

const quietLog = () =>
  createLog({ clock: systemClock, level: "error", write: (line) => void process.stderr.write(line) });

/** Rate limits keep clients of a server from each other; here there is only one. */
function forOnePerson(config: Config): Config {
  const rate_limits = {
    ...config.settings.rate_limits,
    reads_per_minute: UNLIMITED,
    writes_per_minute: UNLIMITED,
    ingests_per_minute: UNLIMITED,
  };
  return { ...config, settings: { ...config.settings, rate_limits } };
}

async function resolveTraceId(store: Store, text: string, dataDir: string): Promise<string> {
  const { id } = readTraceReference(text) ?? { id: text };
  if (UUID.test(id)) return id.toLowerCase();
  const row = await findTraceByShortId(store.records, id);
  if (row) return row.id;
  throw new CliError(
    `There is no trace "${text}" in ${dataDir}: give its id, its short id or a link to it. Another data folder is named by --data.`,
    "not_found",
  );
}
