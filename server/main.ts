import { mkdirSync } from "node:fs";
import type { AnyElysia } from "elysia";
import { sweepBackups } from "../store/backup.ts";
import { coldFolderBy } from "../store/cold-folder.ts";
import { dataFolder } from "../store/data-folder.ts";
import { holdFile } from "../store/hold.ts";
import { openStore, type Store } from "../store/store.ts";
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import type { CommandText } from "./docs/commands.ts";
import { createGateState } from "./gate/state.ts";
import { type AddressOf, createAddressOf } from "./http/addresses.ts";
import { createAnonymousLimits } from "./http/anonymous-limits.ts";
import { createMetrics } from "./http/metrics.ts";
import { createRateLimits } from "./http/rate-limits.ts";
import { createSignedUrls, loadSigningKey } from "./http/signed-urls.ts";
import { createStandaloneViewer, type ViewerParts } from "./http/standalone-viewer.ts";
import { createAuditTrail } from "./identity/audit-events/trail.ts";
import { createCredentials } from "./identity/credentials/credentials.ts";
import { auditFailedSignIns } from "./identity/failed-signins.ts";
import { addressOf, type CredentialsFile, ensureLocalOrg, writeCredentials } from "./identity/orgs.ts";
import type { PasswordCost } from "./identity/passwords.ts";
import { createVault } from "./identity/secrets/vault.ts";
import { createSigninLink } from "./identity/sessions/service.ts";
import { createIdentityState } from "./identity/state.ts";
import { measureJobs } from "./jobs/metrics.ts";
import { periodicHandlers } from "./jobs/periodic.ts";
import { createJobQueue } from "./jobs/queue.ts";
import { createJobRunner, type JobRunner } from "./jobs/runner.ts";
import { createTicker } from "./jobs/ticker.ts";
import type { JobHandlers, PeriodicTask } from "./jobs/types.ts";
import { listen, stopListening } from "./listen.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import { type LookAtDisk, lookAtDisk } from "./platform/disk.ts";
import { createHub } from "./platform/hub.ts";
import { createIds } from "./platform/ids.ts";
import { type LockHolder, lockHolder, takeLock } from "./platform/lock.ts";
import { createLog, type Log } from "./platform/log.ts";
import { createNet } from "./platform/net.ts";
import { builtFolder } from "./platform/packaged.ts";
import { loadServerId } from "./platform/server-id.ts";
import { createTaskPool, type TaskWorker } from "./platform/tasks.ts";
import { runnerCommand } from "./run/pool/command.ts";
import { failOrphanedReplays } from "./run/replays/handlers.ts";
import { failOrphanedRuns } from "./run/runs/handlers.ts";
import { createRunState } from "./run/state.ts";
import { sweepStaging } from "./trace/ingest/staging.ts";
import { sweepWork } from "./trace/process/work-folder.ts";
import { writeTestRunRecords, writeTraceRecords } from "./trace/records/write.ts";
import { createTraceState } from "./trace/state.ts";
import {
  createViewerAssets,
  type DocsRenderer,
  type ScreenRenderer,
  type SigninRenderer,
  type ViewerBundle,
} from "./viewer-assets.ts";
import { createScheduler, type Scheduler } from "./watch/scheduler/scheduler.ts";
import { createWatchState } from "./watch/state.ts";
import { JOB_KINDS, jobHandlers, periodicTasks } from "./work.ts";

/** The program on a data folder, without a socket: what the server, offline commands and tests share. */
export interface Runtime {
  deps: Deps;
  app: AnyElysia;
  jobs: JobRunner;
  handlers: JobHandlers;
  periodic: PeriodicTask[];
  /** Makes the runs of checks; once started, by itself. */
  scheduler: Scheduler;
  credentials: CredentialsFile;
  /** Begins to run jobs and periodic tasks. Without it `jobs.runDue()` does what is due. */
  start(): Promise<void>;
  /** Stops work, streams and workers, and closes the store. Idempotent. */
  close(): Promise<void>;
}

export interface Overrides {
  clock?: Clock;
  log?: Log;
  disk?: LookAtDisk;
  /** Instead of the data folder's own: two servers on one store. */
  serverId?: string;
  /** The address at the other end of a request's socket. */
  peerOf?: AddressOf;
  /** The command line of the processes that carry runs out. */
  runner?: string[];
  /** What hashing a password takes; without it, what is right for people. */
  passwordCost?: PasswordCost;
  /** The level of zstd that finished events are stored at; without it, what the specification asks for. */
  finishedLevel?: number;
  /** Starts a worker for tasks. */
  worker?: () => TaskWorker;
  /** What the documentation tells of the command line, which lies above the server; without it, nothing. */
  commands?: () => Promise<CommandText[]>;
  /** Prints in the server's terminal; without it, nothing is printed. */
  tellOperator?: (text: string) => void;
}

const WORKERS = 2;
/** When the server has come to rest; until then numbers wait in memory. */
const METRICS_AFTER_MS = 2_000;
/** Beside runs, which have their own slots. */
const JOBS_AT_ONCE = 4;

/**
 * Opens the data folder and puts the program together. Takes no lock: see `serve`.
 * @throws NewerDatabaseError or SQLiteError
 */
export async function createRuntime(config: Config, overrides: Overrides = {}): Promise<Runtime> {
  const store = openStore(config.dataDir, coldFolderBy(config.dataDir, config.settings));
  try {
    return await assemble(config, store, overrides);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function assemble(config: Config, store: Store, overrides: Overrides): Promise<Runtime> {
  const clock = overrides.clock ?? systemClock;
  const ids = createIds(clock);
  const log =
    overrides.log ??
    createLog({ clock, level: config.logLevel, write: (line) => void process.stderr.write(line) });
  const { settings } = config;
  const hub = createHub();
  const queue = createJobQueue({ clock, ids });
  const own = dataFolder(config.dataDir);
  const serverId = overrides.serverId ?? loadServerId(own.serverId, ids.uuid);
  const signingKey = loadSigningKey(own.signingKey, ids.bytes);
  const peerOf: AddressOf = (request) => app.server?.requestIP(request)?.address ?? null;
  const addressOf = createAddressOf({
    peerOf: overrides.peerOf ?? peerOf,
    trustProxy: config.trustProxy,
  });
  const metrics = createMetrics((name, error) => log.error("a metric could not be read", { name, error }));
  const deps: Deps = {
    config,
    clock,
    ids,
    serverId,
    log,
    store,
    hub,
    jobs: queue,
    net: createNet({ allowPrivate: settings.notifications.allow_private_addresses }),
    metrics,
    signedUrls: createSignedUrls({
      key: signingKey,
      clock,
      seconds: settings.signed_url_seconds,
    }),
    vault: createVault(signingKey, ids.bytes),
    rateLimits: createRateLimits(clock, settings.rate_limits),
    anonymousLimits: createAnonymousLimits({ clock, limits: settings.rate_limits.anonymous, addressOf }),
    addressOf,
    credentials: createCredentials({ config, clock, records: store.records }),
    auditTrail: createAuditTrail({
      records: store.records,
      path: own.auditCheckpoints,
      signingKey,
      clock,
      log,
    }),
    tasks: createTaskPool({ size: WORKERS, spawn: overrides.worker ?? spawnWorker, clock }),
    disk: overrides.disk ?? lookAtDisk,
    commands: overrides.commands ?? (async () => []),
    tellOperator: overrides.tellOperator ?? (() => {}),
    viewer: createViewerAssets(loadViewer, {
      trace: loadScreenRenderer,
      docs: loadDocsRenderer,
      signin: loadSigninRenderer,
    }),
    standaloneViewer: createStandaloneViewer(loadStandaloneViewer),
    identityState: createIdentityState({ settings, clock, passwordCost: overrides.passwordCost }),
    traceState: createTraceState({
      ...{ store, ids, hub, jobs: queue },
      finishedLevel: overrides.finishedLevel,
    }),
    runState: createRunState({ config, metrics, clock, log, command: overrides.runner ?? runnerCommand() }),
    watchState: createWatchState(),
    gateState: createGateState({ settings, clock, signingKey, ids }),
  };
  deps.metrics.gauge("event_streams", "Open event streams and other waits for news.", () => [
    { value: hub.subscriberCount() },
  ]);
  const app = createApp(deps);
  const jobs = createJobRunner({
    records: store.records,
    clock,
    ids,
    log,
    server: serverId,
    queue,
    concurrency: JOBS_AT_ONCE + settings.browser.slots,
  });
  measureJobs(deps.metrics, store.records);
  const periodic = periodicTasks(deps);
  const handlers = [...jobHandlers(deps), ...periodicHandlers(periodic, deps)];
  jobs.prepare(handlers, JOB_KINDS);
  const credentials = await ensureLocalOrg(deps);
  const ticker = createTicker(periodic, deps);
  const scheduler = createScheduler(deps);
  let closing: Promise<void> | null = null;

  async function loadMetrics() {
    await systemClock.sleep(METRICS_AFTER_MS, hub.closing);
    if (!hub.closing.aborted) await deps.metrics.load();
  }

  return {
    deps,
    app,
    jobs,
    handlers,
    periodic,
    scheduler,
    credentials,
    async start() {
      await failOrphanedRuns(deps);
      await failOrphanedReplays(deps);
      await jobs.start(handlers, JOB_KINDS);
      ticker.start();
      await scheduler.start();
      void loadMetrics();
    },
    close() {
      closing ??= (async () => {
        await scheduler.stop();
        await ticker.stop();
        await jobs.stop();
        await deps.runState.runs.pool.close();
        hub.close();
        await stopListening(app, hub);
        await deps.tasks.close();
        await deps.traceState.openings.flush();
        await deps.credentials.flushUses();
        await auditFailedSignIns(deps, deps.identityState.failedSignIns);
        await deps.auditTrail
          .keep({ all: true })
          .catch((error) => log.error("the audit chain has no checkpoint of its end", { error }));
        // Commands that open the store for a moment run no periodic task.
        for (const write of [writeTraceRecords, writeTestRunRecords])
          await write(deps).catch((error) =>
            log.error("records were not written beside the files", { error }),
          );
        await store.close();
      })();
      return closing;
    },
  };
}

export interface Served {
  runtime: Runtime;
  /** Where it answers, e.g. `http://localhost:4173`. */
  url: string;
  port: number;
  /** Signs the owner in, once, within 10 minutes. */
  signinUrl: string;
  /** Stops everything in order and gives the data folder free. */
  close(): Promise<void>;
}

/**
 * Starts the server on its data folder.
 * @throws LockedError when another server holds the folder, ListenError when the port is taken
 */
export async function serve(config: Config, overrides: Overrides = {}): Promise<Served> {
  const paths = dataFolder(config.dataDir);
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  const lock = takeLock(paths.lock, (holder) => describeHolder(config.dataDir, holder), holdFile);
  let runtime: Runtime | null = null;
  try {
    runtime = await createRuntime(config, overrides);
    const { deps } = runtime;
    await sweepLeftovers(deps);
    const port = listen(runtime.app, config);
    // Links that leave the server name the port that it took.
    deps.config = Object.freeze({ ...config, port });
    const url = config.publicUrl ?? addressOf(config.host, port);
    const local = addressOf(config.host, port);
    lock.announce(local, config.publicUrl);
    writeCredentials(paths.credentials, { ...runtime.credentials, url: local });
    const signin = await createSigninLink(deps, { orgId: runtime.credentials.org_id, base: url });
    await runtime.start();
    const close = async () => {
      await runtime?.close();
      lock.release();
    };
    return { runtime, url, port, signinUrl: signin.url, close };
  } catch (error) {
    await runtime?.close();
    lock.release();
    throw error;
  }
}

/** Takes back what a crash left half done. Only for the process that holds the folder's lock. */
export async function sweepLeftovers(deps: Deps): Promise<void> {
  await sweepStaging(deps);
  await sweepWork(deps);
  for (const { name, error } of await sweepBackups(deps.config.dataDir))
    deps.log.warn("what a backup has left cannot be removed, and takes room until it can", { name, error });
}

/** The server that holds a data folder; null when none does. */
export function runningServer(dataDir: string): LockHolder | null {
  return lockHolder(dataFolder(dataDir).lock);
}

function describeHolder(dataDir: string, { pid, url }: LockHolder): string {
  const where = url ? ` at ${url}` : "";
  return `Another tracedeck (process ${pid}) already serves ${dataDir}${where}. Stop it, or give another folder with --data.`;
}

function spawnWorker(): TaskWorker {
  return new Worker(new URL("./worker.ts", import.meta.url).href, { smol: true }) as unknown as TaskWorker;
}

async function loadViewer(): Promise<ViewerBundle> {
  const { buildViewer, openViewer, PACKAGED_VIEWER } = await import("./viewer-build.ts");
  const folder = builtFolder(PACKAGED_VIEWER);
  return folder === null ? buildViewer() : openViewer(folder);
}

/** The viewer's own components, which draw a trace's first screen here as they do in a browser. */
async function loadScreenRenderer(): Promise<ScreenRenderer> {
  return (await import("../viewer/first-screen/render.tsx")).renderFirstScreen;
}

async function loadDocsRenderer(): Promise<DocsRenderer> {
  return (await import("../viewer/first-screen/docs.tsx")).renderDocs;
}

async function loadSigninRenderer(): Promise<SigninRenderer> {
  return (await import("../viewer/first-screen/signin.tsx")).renderSignin;
}

async function loadStandaloneViewer(): Promise<ViewerParts> {
  const { buildStandalone, openStandalone, PACKAGED_STANDALONE } = await import("./viewer-build.ts");
  const folder = builtFolder(PACKAGED_STANDALONE);
  return folder === null ? buildStandalone() : openStandalone(folder);
}
