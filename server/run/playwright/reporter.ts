import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestResult,
} from "@playwright/test/reporter";
import { type ApiClient, createApiClient } from "../../platform/api-client.ts";
import { systemClock, toIso } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { oneLine, slugOf, titleOf } from "../../trace/format/test-name.ts";
import { counted } from "../../trace/format/words.ts";
import { type CiFacts, readCi, readGitCommit, readGitTree } from "./ci.ts";
import { type Connection, findConnection } from "./connection.ts";
import { frameOf } from "./frame.ts";
import { findHandover, HANDOVER, toReporterNote } from "./handover.ts";
import { keepJournal } from "./journal.ts";
import type { Environment, ReporterOptions } from "./options.ts";
import { type Outbox, type OutboxEntry, openOutbox } from "./outbox.ts";
import { identityOf, statusOfRun, type Told, tellResult } from "./outcome.ts";
import { type Sent, sendEntry } from "./send.ts";
import { sendJournals } from "./send-journals.ts";
import { createSender, type Sender } from "./sender.ts";
import { tellResults } from "./tell.ts";
import { createTeller, type Teller } from "./teller.ts";

const PATIENCE_SECONDS = 15;
/** What the run's own end is given when its traces took all the time. */
const LEAST_MS = 2000;
const CONCURRENCY = 3;
const OUTBOX = ".tracedeck-outbox";

interface Run {
  connection: Connection | null;
  facts: CiFacts;
  commit: string | null;
  runId: string;
  outbox: Outbox;
  outboxFolder: string;
  sender: Sender | null;
  /** Null without a key. */
  teller: Teller | null;
  rootDir: string;
}

interface Tally {
  uploaded: number;
  later: number;
  refused: string[];
  /** Attempts that ran and left no archive. */
  untraced: number;
  problem: string | null;
  /** Why the test run itself waits in the outbox. */
  unheard: string | null;
}

/**
 * A reporter for `@playwright/test`: uploads the trace of every attempt while the other tests go on. It fails no run and
 * ends in a bounded time; what could not be sent waits in a folder for the next run.
 */
export function createReporter(options: ReporterOptions, env: Environment): Reporter {
  const ids = createIds(systemClock);
  const tally: Tally = { uploaded: 0, later: 0, refused: [], untraced: 0, problem: null, unheard: null };
  const patienceMs = (options.patienceSeconds ?? PATIENCE_SECONDS) * 1000;
  const keeping = new Set<Promise<void>>();
  /** Ids of entries that nobody asked to have uploaded. */
  const onlyEnded = new Set<string>();
  let run: Run | null = null;
  let preparing: Promise<void> = Promise.resolve();
  let sendingLeft: Promise<void> = Promise.resolve();
  let suite: Suite | null = null;
  let hasBegun = false;

  const runId = options.runId ?? newRunId(readCi(env).run, ids.secret(8));
  // Workers are made from this process's environment: their fixture finds the same server and run.
  env[HANDOVER] = toReporterNote({ ...options, runId });

  async function prepare(config: FullConfig): Promise<void> {
    const connection = findConnection(options, env);
    const facts = readCi(env);
    const outboxFolder =
      options.outbox ?? join(dirname(config.configFile ?? join(config.rootDir, "_")), OUTBOX);
    const outbox = openOutbox(outboxFolder);
    const [gitCommit, tree] = await Promise.all([readGitCommit(config.rootDir), readGitTree(config.rootDir)]);
    const commit = options.commit ?? facts.commit ?? gitCommit;
    const client = connection?.apiKey
      ? createApiClient({ url: connection.url, apiKey: connection.apiKey })
      : null;
    const startedAt = toIso(systemClock.now());
    const frame = frameOf({ options, facts, tree, commit, config, startedAt });
    const teller = client && createTeller({ client, frame, key: ids.uuid(), clock: systemClock });
    const sender =
      connection &&
      createSender({
        send: (entry, signal) => sendEntry(connection, outbox, entry, { ids, signal }),
        onEnd: (entry, sent) => settle(outbox, entry, sent),
        clock: systemClock,
        concurrency: options.concurrency ?? CONCURRENCY,
      });
    run = { connection, facts, commit, runId, outbox, outboxFolder, sender, teller, rootDir: config.rootDir };
    sendingLeft = sendLeft(run, client).catch((error: unknown) => {
      tally.problem ??= messageOf(error);
    });
  }

  /** What earlier runs left: the runs first, since their traces are told of them. */

  async function sendLeft({ sender, outbox, outboxFolder }: Run, client: ApiClient | null): Promise<void> {
    if (!sender) return;
    const left = new Set((await outbox.list()).map(({ id }) => id));
    if (client) await sendJournals(client, outboxFolder, outbox, AbortSignal.timeout(patienceMs));
    for (const entry of await outbox.list()) if (left.has(entry.id)) sender.add(entry);
  }

  async function settle(outbox: Outbox, entry: OutboxEntry, sent: Sent): Promise<void> {
    if (sent.kind === "arrived") {
      if (!onlyEnded.delete(entry.id)) tally.uploaded += 1;
      await outbox.done(entry);
      await tellTrace(entry, sent.traceId);
    } else if (sent.kind === "refused") {
      const kept = await outbox.refuse(entry, sent.reason);
      tally.refused.push(`${entry.fields.scenario_slug}: ${sent.reason} (kept as ${kept})`);
    } else {
      tally.problem ??= sent.reason;
    }
  }

  /** Tells the attempt which trace it has: of this run with what is told of it next, of an earlier one at once. */
  async function tellTrace({ test_run }: OutboxEntry, traceId: string): Promise<void> {
    if (!test_run || !run?.teller) return;
    const told = { ...test_run.told, trace_id: traceId };
    if (test_run.key === run.teller.key) return run.teller.note(told);
    const { url, apiKey } = run.connection!;
    if (test_run.id === null || apiKey === null) return;
    // A run that is gone by now needs no trace.
    await tellResults(createApiClient({ url, apiKey }), test_run.id, [told]).catch(() => {});
  }

  async function note(test: TestCase, result: TestResult): Promise<void> {
    await preparing;
    if (!run) return;
    const told = tellResult(test, result, run.rootDir);
    run.teller?.note(told);
    const isWanted = result.status !== "skipped" && (!options.onlyFailed || isOfInterest(test, result));
    await keep(test, result, told, isWanted);
  }

  async function finishRun(result: FullResult, untilMs: number): Promise<void> {
    if (!run?.teller || !hasBegun) return;
    for (const test of suite?.allTests() ?? [])
      if (test.results.length === 0) run.teller.note(tellResult(test, null, run.rootDir));
    const end = { status: statusOfRun(result), ended_at: toIso(systemClock.now()) };
    const patience = Math.max(LEAST_MS, Math.round(untilMs - systemClock.monotonic()));
    const left = await run.teller.finish(end, AbortSignal.timeout(patience));
    if (!left) return;
    tally.unheard = left.reason;
    await keepJournal(run.outboxFolder, left.journal);
    const key = run.teller.key;
    const id = run.teller.run?.id ?? null;
    for (const entry of await run.outbox.list())
      if (entry.test_run?.key === key)
        await run.outbox.update({ ...entry, test_run: { ...entry.test_run, id } });
  }

  /** @param isWanted else only what the fixture has begun is ended, which nobody else would do */
  async function keep(test: TestCase, result: TestResult, told: Told, isWanted: boolean): Promise<void> {
    if (!run?.sender) return;
    const live = findHandover(result.attachments);
    const attached = result.attachments.find(({ name, path }) => name === "trace" && path)?.path ?? null;
    const archive = isWanted ? attached : null;
    const isThere =
      archive !== null &&
      (await stat(archive).then(
        () => true,
        () => false,
      ));
    if (!isThere && !live) {
      if (isWanted) tally.untraced += 1;
      return;
    }
    const entry = entryOf(run, options, test, result, { hasArchive: isThere, live, told });
    if (!isWanted) onlyEnded.add(entry.id);
    await run.outbox.add(entry, isThere ? archive : null);
    run.sender.add(entry);
  }

  return {
    printsToStdio: () => false,
    onBegin(config: FullConfig, whole: Suite) {
      suite = whole;
      preparing = prepare(config);
      // Told at the end.
      preparing.catch(() => {});
    },
    onTestEnd(test: TestCase, result: TestResult) {
      hasBegun = true;
      const kept = note(test, result)
        .catch((error: unknown) => {
          tally.problem ??= messageOf(error);
        })
        .finally(() => keeping.delete(kept));
      keeping.add(kept);
    },
    async onEnd(result: FullResult) {
      const until = systemClock.monotonic() + patienceMs;
      try {
        await preparing;
        await Promise.all([...keeping, sendingLeft]);
        await run?.sender?.finish(Math.max(0, until - systemClock.monotonic()));
        await finishRun(result, until);
        tally.later = run?.sender ? (await run.outbox.list()).length : 0;
      } catch (error) {
        // A full disk, a folder that cannot be written: the tests' result stands all the same.
        tally.problem ??= messageOf(error);
      }
      for (const line of conclusion(tally, run)) console.log(line);
    },
  };
}

/** With `onlyFailed`: what did not end as it should, and the attempts after that, which show what differed. */
const isOfInterest = (test: TestCase, result: TestResult): boolean =>
  result.status !== test.expectedStatus || result.retry > 0;

const newRunId = (ci: string | null, random: string): string =>
  ci === null ? `playwright-${random}` : `${oneLine(ci).replace(/\s+/g, "-").slice(0, 150)}-${random}`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function entryOf(
  run: Run,
  options: ReporterOptions,
  test: TestCase,
  result: TestResult,
  { hasArchive, live, told }: { hasArchive: boolean; live: string | null; told: Told },
): OutboxEntry {
  const identity = identityOf(test, run.rootDir);
  const pr = options.pr ?? run.facts.pr;
  const env = {
    ...(identity.project && { project: identity.project }),
    file: `${identity.file}:${test.location.line}`,
    attempt: String(result.retry + 1),
    ...(test.expectedStatus !== "passed" && { expected_status: test.expectedStatus }),
    ...(test.tags.length > 0 && { tags: test.tags.join(" ") }),
    ...(run.facts.url && { ci: run.facts.url }),
  };
  // Its time first, so that the oldest is sent first.
  const id = `${result.startTime.getTime().toString(36)}-${test.id.replace(/\W+/g, "-")}-${result.retry}`;
  const isExpected = result.status === test.expectedStatus;
  return {
    version: 1,
    id,
    has_archive: hasArchive,
    fields: {
      scenario_slug: slugOf(identity, options.scenario),
      scenario_title: titleOf(identity),
      source: options.source ?? run.facts.source,
      ...(run.commit && { commit_sha: run.commit }),
      ...(pr !== null && { pr_number: String(pr) }),
      run_id: test.repeatEachIndex > 0 ? `${run.runId}-r${test.repeatEachIndex}` : run.runId,
      attempt: String(result.retry + 1),
      env: JSON.stringify(env),
    },
    idempotency_key: createHash("sha256")
      .update(JSON.stringify([run.runId, id]))
      .digest("hex"),
    ...(run.teller && { test_run: { key: run.teller.key, id: run.teller.run?.id ?? null, told } }),
    ...(live !== null && {
      live: {
        trace_id: live,
        status: isExpected ? "passed" : result.status === "interrupted" ? "aborted" : "failed",
      },
    }),
  };
}

/** What a person reads when all tests are over: one line, and more only where there is something to do. */
function conclusion(tally: Tally, run: Run | null): string[] {
  if (!run?.connection)
    return [
      tally.problem
        ? `tracedeck: nothing was uploaded: ${oneLine(tally.problem)}`
        : "tracedeck: no server: start one with `tracedeck serve`, or set TRACEDECK_URL and TRACEDECK_KEY.",
    ];
  const { uploaded, later, refused, untraced } = tally;
  const list =
    run.teller?.run?.url ??
    `${run.connection.url}/${run.commit ? `?sha=${encodeURIComponent(run.commit)}` : ""}`;
  const lines: string[] = [];
  if (uploaded + later > 0 || tally.problem) {
    const kept = later > 0 ? `, ${later} kept for later` : "";
    lines.push(`tracedeck: ${counted(uploaded, "trace")} uploaded${kept}  ${list}`);
  } else if (run.teller?.run) lines.push(`tracedeck: ${list}`);
  if (tally.unheard)
    lines.push(
      `  the test run itself is kept for later: ${oneLine(tally.unheard)}; it is sent with the traces`,
    );
  if (later > 0 || tally.problem)
    lines.push(
      `  ${oneLine(tally.problem ?? "the time was over")}; the next run sends what is in ${run.outboxFolder}, or: tracedeck ingest --outbox ${run.outboxFolder}`,
    );
  for (const reason of refused.slice(0, 5)) lines.push(`  refused: ${oneLine(reason)}`);
  if (refused.length > 5) lines.push(`  refused: ${refused.length - 5} more`);
  if (untraced > 0 && uploaded + later === 0)
    lines.push(
      "tracedeck: the tests recorded no trace: set `use: { trace: 'on' }`, or 'retain-on-failure', in the Playwright config.",
    );
  return lines;
}
