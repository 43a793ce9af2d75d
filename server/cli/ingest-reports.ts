import { createReadStream } from "node:fs";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import { uploadBundle } from "../platform/upload.ts";
import { counted } from "../trace/format/words.ts";
import { callWith } from "./call.ts";
import type { ReportToIngest } from "./ingest-sort.ts";
import { CliError, note, printable, say } from "./output.ts";
import type { Session } from "./session.ts";

/** Answer of `POST /v1/test-runs/ingest`. */
interface IngestedReport {
  test_run_id: string;
  short_id: string;
  tests: number;
  traces: number;
  warnings: string[];
}

export interface ReportOutcome {
  name: string;
  answer?: IngestedReport;
  problem?: CliError;
}

/** What goes with a report. */
interface ReportFields {
  branch?: string;
  name?: string;
  commit?: string;
  pr?: number;
  run?: string | undefined;
}

const TO = { path: "/v1/test-runs/ingest", part: "report" };

/** Makes a test run of each report, of the shards in a folder one. A bad one does not keep the others out. */
export async function ingestReports(
  session: Pick<Session, "client">,
  reports: readonly ReportToIngest[],
  given: ReportFields,
): Promise<ReportOutcome[]> {
  const outcomes: ReportOutcome[] = [];
  for (const { name, files } of reports) {
    try {
      outcomes.push({ name, answer: await ingestOne(session, files, given) });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      outcomes.push({ name, problem: error });
    }
  }
  return outcomes;
}

async function ingestOne(
  session: Pick<Session, "client">,
  files: string[],
  given: ReportFields,
): Promise<IngestedReport> {
  const ids = createIds(systemClock);
  // Shards in one folder are one run, and again the same when they are sent again.
  const joined = given.run ?? (files.length > 1 ? await hashOf(files) : null);
  const fields = {
    ...(given.name && { name: given.name }),
    ...(given.branch && { branch: given.branch }),
    ...(given.commit && { commit_sha: given.commit }),
    ...(given.pr !== undefined && { pr_number: String(given.pr) }),
    ...(joined && { ci: JSON.stringify({ provider: given.run ? "cli" : "blob-report", run_id: joined }) }),
  };
  const answers: IngestedReport[] = [];
  for (const [at, path] of files.entries()) {
    // The run goes on until the last of them has come, also where the reports say nothing of shards.
    const shard = { index: at + 1, total: files.length };
    const response = await callWith(() =>
      uploadBundle(session.client, {
        path,
        to: TO,
        fields: { ...fields, ...(joined && !given.run && { shard: JSON.stringify(shard) }) },
        boundary: `tracedeck-${ids.secret(24)}`,
        idempotencyKey: ids.uuid(),
      }),
    );
    answers.push((await response.json()) as IngestedReport);
  }
  const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);
  return {
    ...answers[0]!,
    tests: sum(answers.map(({ tests }) => tests)),
    traces: sum(answers.map(({ traces }) => traces)),
    warnings: answers.flatMap(({ warnings }) => warnings),
  };
}

/** Says what became of a report, for people; with `asJson` only what went wrong. */
export function sayReport({ name, answer, problem }: ReportOutcome, asJson: boolean): void {
  if (problem) note(`${printable(name)}: ${printable(problem.message)}`);
  if (!answer || asJson) return;
  const counts = `${counted(answer.tests, "test")}, ${counted(answer.traces, "trace")}`;
  say(`${answer.short_id}  ${answer.test_run_id}  ${counts}  ${printable(name)}`);
  for (const warning of answer.warnings) note(`  warning: ${printable(warning)}`);
}

async function hashOf(files: string[]): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of files) for await (const chunk of createReadStream(path)) hasher.update(chunk);
  return hasher.digest("hex").slice(0, 32);
}
