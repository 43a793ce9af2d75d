import { stat } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import { type Ingested, uploadBundle } from "../platform/upload.ts";
import { counted } from "../trace/format/words.ts";
import { callJson, callWith } from "./call.ts";
import { describeError } from "./explain.ts";
import { filesToIngest } from "./ingest-files.ts";
import { ingestReports, type ReportOutcome, sayReport } from "./ingest-reports.ts";
import { slugOfFolder, sortOut } from "./ingest-sort.ts";
import { type CommonOptions, example, httpUrl, oneOf, wholeNumber, withRecords } from "./options.ts";
import { ingestOutbox } from "./outbox.ts";
import { bytes, CliError, note, printable, progress, say, sayJson, tone, UsageError } from "./output.ts";
import { clientAt, namedServer } from "./server-client.ts";
import { type Session, withSession } from "./session.ts";
import { withTraceFolder } from "./trace-folder.ts";

/** What goes with an upload, besides the file. */
export interface IngestFields {
  scenario: string;
  source?: string;
  commit?: string;
  pr?: number;
  /** What the attempts of one run have in common. */
  run?: string | undefined;
  attempt?: number | undefined;
}

interface IngestOptions extends CommonOptions, Omit<IngestFields, "scenario"> {
  scenario?: string;
  outbox?: string;
  branch?: string;
  name?: string;
  server?: string;
  apiKey?: string;
  wait?: boolean;
}

type Uploader = Pick<Session, "client" | "serverUrl" | "startWork">;

interface Outcome {
  file: string;
  answer?: Ingested;
  status?: string;
  problem?: CliError;
}

const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 500;
const UNSETTLED = ["queued", "running"];

/** `ingest`: uploads to a server, or straight into the store when none runs on the data folder. */
export function ingestCommand(program: Command): void {
  const command = program
    .command("ingest")
    .argument(
      "[files...]",
      "Playwright trace.zip files, bundles (.tar.zst), folders of traces, an unpacked .trace; or reports: blob, JSON, JUnit XML",
    )
    .description("keep traces, or the test runs that reports tell of")
    .option(
      "--scenario <slug>",
      "scenario they belong to (of a folder: default from the tests' folders)",
      slug,
    )
    .option("--outbox <dir>", "what a Playwright reporter could not send, instead of files")
    .option(
      "--source <source>",
      "pr, schedule, manual, shadow_diff",
      oneOf("pr", "schedule", "manual", "shadow_diff"),
    )
    .option("--commit <sha>", "commit of the code under test")
    .option("--pr <number>", "number of the pull request", wholeNumber(1))
    .option(
      "--run <id>",
      "run that the traces are attempts of: those of one scenario and run are shown together",
    )
    .option(
      "--attempt <number>",
      "which attempt of the run, from 1 (default: from a folder's name, …-retry1, else in the order given)",
      wholeNumber(1),
    )
    .option("--branch <name>", "branch of the code under test, for reports")
    .option("--name <name>", "what the test run is called, for reports")
    .option("--server <url>", "another server than the one of the data folder", httpUrl)
    .option("--api-key <key>", "key for --server")
    .option("--wait", "wait until the traces are ready and show how they ended");
  example(
    withRecords(command),
    "tracedeck ingest test-results/*/trace.zip --scenario checkout --wait",
    "tracedeck ingest test-results/",
    "tracedeck ingest blob-report/ --branch main",
    "tracedeck ingest --outbox .tracedeck-outbox",
  );
  command.action(async (files: string[], options: IngestOptions) => {
    const server = otherServer(options);
    const { outbox } = options;
    checkUse(files, options);
    // All must be there before the first is sent.
    const { reports, folders, others } = await sortOut(files);
    const found = await filesToIngest(others, options, createIds(systemClock).uuid);
    const work = async (session: Uploader) => {
      const runs = await ingestReports(session, reports, options);
      const outcomes: Outcome[] = outbox === undefined ? [] : await ingestOutbox(session, outbox);
      for (const { path, ...place } of found)
        outcomes.push(await attempt(session, path, { ...options, ...place }));
      for (const folder of folders)
        await withTraceFolder(folder, async (traces) => {
          const scenario = options.scenario ?? slugOfFolder(folder);
          for (const { path, name } of traces)
            outcomes.push(await attempt(session, path, { ...options, scenario }, name));
        });
      if (options.wait || !session.serverUrl) await settle(session, outcomes);
      report(outcomes, runs, options.json ?? false);
    };
    if (server) await work(server);
    else await withSession(options, work);
  });
}

/** @throws UsageError unless there are files, or an outbox, which knows everything itself */
function checkUse(files: string[], { outbox, scenario }: IngestOptions): void {
  if (outbox !== undefined) {
    if (files.length > 0 || scenario !== undefined)
      throw new UsageError("--outbox takes no files and no --scenario: they stand in the folder.");
    return;
  }
  if (files.length === 0)
    throw new UsageError(
      "Name the files to ingest and their --scenario, a folder of traces, or an --outbox.",
    );
}

/** The server that `--server` names; null without it. */
function otherServer(options: IngestOptions): Uploader | null {
  const named = namedServer(options, "the scope traces:write");
  return named && { client: clientAt(named), serverUrl: named.url, startWork: async () => {} };
}

/** One bad file does not keep the others out. */
async function attempt(
  session: Uploader,
  file: string,
  options: IngestFields,
  name = file,
): Promise<Outcome> {
  try {
    return { file: name, answer: await ingestOne(session, file, options, name) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { file: name, problem: error };
  }
}

async function settle(session: Uploader, outcomes: Outcome[]) {
  const taken = outcomes.filter((outcome) => outcome.answer !== undefined);
  const bar = progress("Processing", taken.length, (count) => counted(count, "trace"));
  try {
    for (const [index, outcome] of taken.entries()) {
      outcome.status = await waitFor(session, outcome.answer!.trace_id);
      bar.update(index + 1);
    }
  } finally {
    bar.end();
  }
}

function report(outcomes: Outcome[], runs: ReportOutcome[], asJson: boolean) {
  if (asJson) {
    const answers = [
      ...runs.flatMap(({ answer }) => answer ?? []),
      ...outcomes.flatMap(({ answer, status }) => (answer ? [{ ...answer, ...(status && { status }) }] : [])),
    ];
    const problem = [...runs, ...outcomes].find((one) => one.problem)?.problem;
    if (outcomes.length + runs.length > 1) sayJson(answers);
    else if (answers[0]) sayJson(answers[0]);
    else if (problem) sayJson(describeError(problem));
  }
  for (const run of runs) sayReport(run, asJson);
  for (const { file, answer, status, problem } of outcomes) {
    if (problem) note(`${printable(file)}: ${printable(problem.message)}`);
    if (!answer || asJson) continue;
    const verdict = status ? `  ${tone(status, status === "passed" ? "good" : "bad")}` : "";
    say(`${answer.short_id}  ${answer.trace_id}${verdict}  ${printable(file)}`);
    for (const warning of answer.warnings ?? []) note(`  warning: ${printable(warning)}`);
  }
  if ([...outcomes, ...runs].some(({ problem }) => problem)) process.exitCode = 1;
}

/** Uploads one file with a progress bar. @param name what a person calls the file @throws CliError with the server's reason */
export async function ingestOne(
  session: Uploader,
  file: string,
  fields: IngestFields,
  name = file,
): Promise<Ingested> {
  const { size } = await stat(file);
  const ids = createIds(systemClock);
  const bar = progress(`Uploading ${printable(name)}`, size, bytes);
  // The same key on a repetition: what arrived already is not kept twice.
  const idempotencyKey = ids.uuid();
  try {
    const response = await callWith(() =>
      uploadBundle(session.client, {
        path: file,
        boundary: `tracedeck-${ids.secret(24)}`,
        idempotencyKey,
        fields: {
          scenario_slug: fields.scenario,
          ...(fields.source ? { source: fields.source } : {}),
          ...(fields.commit ? { commit_sha: fields.commit } : {}),
          ...(fields.pr === undefined ? {} : { pr_number: String(fields.pr) }),
          ...(fields.run ? { run_id: fields.run } : {}),
          ...(fields.attempt === undefined ? {} : { attempt: String(fields.attempt) }),
        },
        onProgress: (sent) => bar.update(sent),
      }),
    );
    return (await response.json()) as Ingested;
  } finally {
    bar.end();
  }
}

/** Waits until post-processing has settled a trace, and returns its status. */
export async function waitFor(session: Uploader, traceId: string): Promise<string> {
  await session.startWork();
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, LAST_LOOK_MS)) {
    const { status } = await callJson<{ status: string }>(session.client, `/v1/traces/${traceId}`);
    if (!UNSETTLED.includes(status)) return status;
    await systemClock.sleep(pause);
  }
}

function slug(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "It must have 1 to 64 of the characters a-z, 0-9 and -, not beginning with -.",
  );
}
