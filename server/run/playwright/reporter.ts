import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { FullConfig, Reporter, Suite, TestCase, TestResult } from "@playwright/test/reporter";
import { systemClock } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { counted } from "../../trace/format/words.ts";
import { type CiFacts, readCi, readGitCommit } from "./ci.ts";
import { type Connection, findConnection } from "./connection.ts";
import { findHandover, HANDOVER, toReporterNote } from "./handover.ts";
import type { Environment, ReporterOptions } from "./options.ts";
import { type Outbox, type OutboxEntry, openOutbox } from "./outbox.ts";
import { type Sent, sendEntry } from "./send.ts";
import { createSender, type Sender } from "./sender.ts";
import { oneLine, slugOf, type TestIdentity, titleOf } from "../../trace/format/test-name.ts";

const PATIENCE_SECONDS = 15;
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
  rootDir: string;
}

interface Tally {
  uploaded: number;
  later: number;
  refused: string[];
  /** Attempts that ran and left no archive. */
  untraced: number;
  problem: string | null;
}

/**
 * A reporter for `@playwright/test`: uploads the trace of every attempt while the other tests go on. It fails no run and
 * ends in a bounded time; what could not be sent waits in a folder for the next run.
 */
export function createReporter(options: ReporterOptions, env: Environment): Reporter {
  const ids = createIds(systemClock);
  const tally: Tally = { uploaded: 0, later: 0, refused: [], untraced: 0, problem: null };
  const keeping = new Set<Promise<void>>();
  let run: Run | null = null;
  let preparing: Promise<void> = Promise.resolve();

  const runId = options.runId ?? newRunId(readCi(env).run, ids.secret(8));
  // Workers are made from this process's environment: their fixture finds the same server and run.
  env[HANDOVER] = toReporterNote({ ...options, runId });

  async function prepare(config: FullConfig): Promise<void> {
    const connection = findConnection(options, env);
    const facts = readCi(env);
    const outboxFolder =
      options.outbox ?? join(dirname(config.configFile ?? join(config.rootDir, "_")), OUTBOX);
    const outbox = openOutbox(outboxFolder);
    const commit = options.commit ?? facts.commit ?? (await readGitCommit(config.rootDir));
    const sender =
      connection &&
      createSender({
        send: (entry, signal) => sendEntry(connection, outbox, entry, { ids, signal }),
        onEnd: (entry, sent) => settle(outbox, entry, sent),
        clock: systemClock,
        concurrency: options.concurrency ?? CONCURRENCY,
      });
    run = { connection, facts, commit, runId, outbox, outboxFolder, sender, rootDir: config.rootDir };
    for (const entry of sender ? await outbox.list() : []) sender!.add(entry);
  }

  async function settle(outbox: Outbox, entry: OutboxEntry, sent: Sent): Promise<void> {
    if (sent.kind === "arrived") {
      tally.uploaded += 1;
      await outbox.done(entry);
    } else if (sent.kind === "refused") {
      const kept = await outbox.refuse(entry, sent.reason);
      tally.refused.push(`${entry.fields.scenario_slug}: ${sent.reason} (kept as ${kept})`);
    } else {
      tally.problem ??= sent.reason;
    }
  }

  async function keep(test: TestCase, result: TestResult): Promise<void> {
    await preparing;
    if (!run?.sender) return;
    const live = findHandover(result.attachments);
    const archive = result.attachments.find(({ name, path }) => name === "trace" && path)?.path ?? null;
    const isThere =
      archive !== null &&
      (await stat(archive).then(
        () => true,
        () => false,
      ));
    if (!isThere && !live) {
      tally.untraced += 1;
      return;
    }
    const entry = entryOf(run, options, test, result, { hasArchive: isThere, live });
    await run.outbox.add(entry, isThere ? archive : null);
    run.sender.add(entry);
  }

  return {
    printsToStdio: () => false,
    onBegin(config: FullConfig, _suite: Suite) {
      preparing = prepare(config);
      // Told at the end.
      preparing.catch(() => {});
    },
    onTestEnd(test: TestCase, result: TestResult) {
      if (result.status === "skipped" || (options.onlyFailed && !isOfInterest(test, result))) return;
      const kept = keep(test, result)
        .catch((error: unknown) => {
          tally.problem ??= messageOf(error);
        })
        .finally(() => keeping.delete(kept));
      keeping.add(kept);
    },
    async onEnd() {
      try {
        await preparing;
        await Promise.all(keeping);
        await run?.sender?.finish((options.patienceSeconds ?? PATIENCE_SECONDS) * 1000);
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
  { hasArchive, live }: { hasArchive: boolean; live: string | null },
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
    ...(live !== null && {
      live: {
        trace_id: live,
        status: isExpected ? "passed" : result.status === "interrupted" ? "aborted" : "failed",
      },
    }),
  };
}

function identityOf(test: TestCase, rootDir: string): TestIdentity {
  const [, project = "", , ...titles] = test.titlePath();
  return { project, file: relative(rootDir, test.location.file).split(sep).join("/"), titles };
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
  const list = `${run.connection.url}/${run.commit ? `?sha=${encodeURIComponent(run.commit)}` : ""}`;
  const lines: string[] = [];
  if (uploaded + later > 0 || tally.problem) {
    const kept = later > 0 ? `, ${later} kept for later` : "";
    lines.push(`tracedeck: ${counted(uploaded, "trace")} uploaded${kept}  ${list}`);
  }
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
