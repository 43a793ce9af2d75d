import { appendFile } from "node:fs/promises";
import type { Command } from "commander";
import { createCodeHost } from "../gate/code-host/code-host.ts";
import { CodeHostError } from "../gate/code-host/types.ts";
import type { GateAnswer } from "../gate/gates/model.ts";
import { isAddress } from "../gate/plan/address.ts";
import { MARKER } from "../gate/tell/report.ts";
import type { ApiClient } from "../platform/api-client.ts";
import { fromIso, systemClock } from "../platform/clock.ts";
import { pathsBetween } from "../platform/git/changed-paths.ts";
import { commitTime, mergeBase } from "../platform/git/commits.ts";
import { type CommittedFile, filesOfCommit } from "../platform/git/files-of-commit.ts";
import { GitError } from "../platform/git/git.ts";
import { compileScenario } from "../run/language/compile.ts";
import { indexBySlug } from "../run/language/folder.ts";
import { recordingPaths } from "../run/language/recording-paths.ts";
import { SCENARIO_SUFFIX } from "../run/scenarios/files.ts";
import { callJson } from "./call.ts";
import { followGate, pageOf } from "./follow-gate.ts";
import { type CommonOptions, example, httpUrl, wholeNumber, withRecords } from "./options.ts";
import { CliError, duration, note, printable, say, sayJson, tone, UsageError } from "./output.ts";
import { clientAt, namedServer } from "./server-client.ts";
import { withSession } from "./session.ts";

interface GateOptions extends CommonOptions {
  pr: number;
  head: string;
  base: string;
  url?: string;
  repo?: string;
  title?: string;
  branch?: string;
  headAt?: string;
  fork?: boolean;
  checkout: string;
  server?: string;
  apiKey?: string;
  timeout: number;
  summary?: string;
  commentToken?: string;
  commentApi: string;
}

const MOST_FILES = { most: 2000, maxBytes: 3 * 1024 * 1024 };
const MOST_RECORDINGS = { most: 2000, maxBytes: 4 * 1024 * 1024 };

/** `gate`: has a server judge a commit of a pull request, from CI, and waits for the verdict. */
export function gateCommand(program: Command): void {
  const command = program
    .command("gate")
    .description("run the scenarios that a pull request concerns on a server, and fail when they do")
    .requiredOption("--pr <number>", "number of the pull request", wholeNumber(1))
    .requiredOption("--head <sha>", "its head commit, whole")
    .requiredOption("--base <sha>", "the commit that it is to be merged into, whole")
    .option("--server <url>", "the server's address (default: the one that runs on the data folder)")
    .option("--api-key <key>", "a key of that server with runs:write and runs:read")
    .option("--url <url>", "where the commit can be tried: its preview")
    .option("--repo <owner/name>", "the repository (default: what the server's settings name)")
    .option("--title <text>", "title of the pull request")
    .option("--branch <name>", "branch of its head")
    .option(
      "--head-at <time>",
      "when the pull request got its head: a later one's verdict stays (default: the commit's time)",
    )
    .option("--fork", "its commits are a stranger's: they get no secrets")
    .option("--checkout <dir>", "the git repository with both commits", ".")
    .option("--timeout <minutes>", "how long to wait for the verdict", wholeNumber(1, 360), 30)
    .option("--summary <file>", "append the report to this file, as Markdown")
    .option("--comment-token <token>", "the code host's token of this CI run: writes the comment")
    .option("--comment-api <url>", "address of the code host's API", httpUrl, "https://api.github.com");
  example(
    withRecords(command),
    'tracedeck gate --pr 482 --head "$HEAD" --base "$BASE" --repo owner/name --url https://pr-482.preview.example \\',
    '    --server https://traces.example.com --api-key "$TRACEDECK_KEY"',
  );
  command.action(async (given: GateOptions) => {
    const options = checked(given);
    await withServer(options, async (client, address) => {
      const { gate, report } = await followGate(await ask(client, options), {
        ...{ client, address, minutes: options.timeout, clock: systemClock },
        tell: options.json ? () => {} : note,
      });
      if (options.summary) await appendFile(options.summary, `${report.replace(MARKER, "").trim()}\n`);
      // The comment is of the commit that took its place.
      const isGivenUp = gate.status === "superseded" || gate.status === "cancelled";
      if (options.commentToken && !isGivenUp) await comment(gate, report, options, options.commentToken);
      if (options.json) sayJson(gate);
      else tellVerdict(gate, address);
      if (gate.passes !== true) process.exitCode = 1;
    });
  });
}

/** The server that `--server` names, else the one that runs on the data folder. @param work is told where its pages are */
async function withServer(
  options: GateOptions,
  work: (client: ApiClient, address: string) => Promise<void>,
): Promise<void> {
  const named = namedServer(options, "runs:read and runs:write");
  if (named) return work(clientAt(named), named.url);
  return withSession(options, ({ client, serverUrl }) => {
    if (serverUrl === null)
      throw new CliError(
        "No server runs on the data folder to judge the commit: --server names another one.",
      );
    return work(client, serverUrl);
  });
}

/** Not while they are parsed: examples have variables there. @throws UsageError */
function checked(options: GateOptions): GateOptions {
  for (const name of ["head", "base"] as const)
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(options[name]))
      throw new UsageError(`--${name} must be a whole commit hash, as \`git rev-parse HEAD\` prints it.`);
  for (const name of ["server", "url"] as const)
    if (options[name] !== undefined && !isAddress(options[name]))
      throw new UsageError(`--${name} must be an http(s) address.`);
  if (options.headAt !== undefined && fromIso(options.headAt) === null)
    throw new UsageError("--head-at must be an ISO 8601 time.");
  return { ...options, head: options.head.toLowerCase(), base: options.base.toLowerCase() };
}

type SentFile = Pick<CommittedFile, "path" | "text">;

/** What a gate is asked with. Of the merge base only what the change touched: the rest is as it was. @throws GitError */
async function readCheckout(
  folder: string,
  base: string,
  head: string,
): Promise<{
  files: SentFile[];
  changed: string[];
  baseFiles: SentFile[];
  recordings: SentFile[];
  committedAt: string;
}> {
  const isScenario = (path: string): boolean => path.endsWith(SCENARIO_SUFFIX);
  const filesAt = async (
    sha: string,
    isWanted: (path: string) => boolean,
    most = MOST_FILES,
  ): Promise<SentFile[]> =>
    (await filesOfCommit(folder, sha, isWanted, most)).map(({ path, text }) => ({ path, text }));
  const changed = await pathsBetween(folder, base, head);
  const touched = new Set(changed.filter(isScenario));
  const began = await mergeBase(folder, base, head);
  const [files, baseFiles] = await Promise.all([
    filesAt(head, isScenario),
    filesAt(began, (path) => touched.has(path)),
  ]);
  const named = recordingsOf(files);
  const recordings = await filesAt(head, (path) => named.has(path), MOST_RECORDINGS);
  return { files, changed, baseFiles, recordings, committedAt: await commitTime(folder, head) };
}

/** Paths of the HARs that scenario files name. What does not compile is told by the server. */
function recordingsOf(files: readonly SentFile[]): Set<string> {
  const named = files.map(({ path, text }) => ({ name: path, text }));
  const find = indexBySlug(named);
  return new Set(
    named.flatMap((file) => {
      const { scenario } = compileScenario(file, find);
      return scenario ? Object.values(recordingPaths(file.name, scenario)) : [];
    }),
  );
}

async function ask(client: ApiClient, options: GateOptions): Promise<GateAnswer> {
  const { pr, head, base, url, repo, title, branch, fork, checkout } = options;
  const { files, changed, baseFiles, recordings, committedAt } = await readCheckout(
    checkout,
    base,
    head,
  ).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw new CliError(
      `${error.message} A checkout that has both commits and what lies between them was expected (fetch-depth: 0).`,
    );
  });
  if (files.length === 0) note(`The commit has no *${SCENARIO_SUFFIX} file.`);
  const body = JSON.stringify({
    ...{ pr, head_sha: head, base_sha: base, changed },
    ...{ files, base_files: baseFiles, recordings, head_at: options.headAt ?? committedAt },
    ...(url && { url }),
    ...(repo && { repo }),
    ...(title && { title: title.slice(0, 500) }),
    ...(branch && { branch: branch.slice(0, 250) }),
    ...(fork && { is_fork: true }),
  });
  const headers = { "content-type": "application/json" };
  return callJson<GateAnswer>(client, "/v1/gates", { method: "POST", headers, body });
}

function tellVerdict(gate: GateAnswer, address: string): void {
  for (const { path, line, column, message, isNew } of gate.problems)
    say(
      `${printable(path)}:${line}:${column}: ${printable(message)}${isNew ? "" : " (the file did not compile before this change either)"}`,
    );
  for (const { title, finding, withheld, fix } of gate.scenarios) {
    if (withheld) say(`${tone("not run", "bad")}  ${printable(title)}: ${printable(withheld)}`);
    if (!finding || finding.outcome === "passed") continue;
    say(`${tone(finding.blocks ? "FAILED" : finding.outcome, "bad")}  ${printable(title)}`);
    say(`  ${printable(finding.headline ?? "It failed.")}`);
    for (const { text } of finding.known) say(`  ${printable(text)}`);
    if (fix) say(`  A fix is verified: ${new URL(`/mender/${fix.attempt_id}`, address).href}`);
    if (finding.failed_step)
      say(
        `  ${printable(finding.failed_step.path)}:${finding.failed_step.line}  ${printable(finding.failed_step.title)}`,
      );
    const step = finding.failed_step ? `?step=${encodeURIComponent(finding.failed_step.step_id)}` : "";
    if (finding.trace_id)
      say(
        `  ${new URL(`/traces/${finding.trace_id}${step}`, address).href}  ${duration(finding.duration_ms)}`,
      );
  }
  const verdict = gate.passes === true ? tone("The gate passes.", "good") : tone("The gate fails.", "bad");
  say(
    `${verdict} ${printable(gate.decision ? `${gate.decision} by ${gate.decided_by}` : (gate.reason ?? ""))}`,
  );
  say(pageOf(gate, address));
}

/** What keeps the comment from being written does not change the verdict. */
async function comment(
  gate: GateAnswer,
  report: string,
  { commentApi: apiUrl }: GateOptions,
  token: string,
): Promise<void> {
  const settings = { apiUrl, repository: gate.repo, credentials: { kind: "token", token } as const };
  try {
    await createCodeHost(settings, systemClock).putComment(gate.pr_number!, MARKER, report);
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    note(`The comment could not be written: ${printable(error.message)}`);
  }
}
