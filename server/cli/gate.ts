import { appendFile } from "node:fs/promises";
import type { Command } from "commander";
import { createCodeHost } from "../gate/code-host/code-host.ts";
import { CodeHostError } from "../gate/code-host/types.ts";
import type { GateAnswer } from "../gate/gates/model.ts";
import { isAddress } from "../gate/plan/address.ts";
import { MARKER } from "../gate/tell/report.ts";
import { type ApiClient, createApiClient } from "../platform/api-client.ts";
import { systemClock } from "../platform/clock.ts";
import { pathsBetween } from "../platform/git/changed-paths.ts";
import { filesOfCommit } from "../platform/git/files-of-commit.ts";
import { GitError } from "../platform/git/git.ts";
import { SCENARIO_SUFFIX } from "../run/scenarios/files.ts";
import { callJson, callWith } from "./call.ts";
import { type CommonOptions, example, httpUrl, wholeNumber, withRecords } from "./options.ts";
import { CliError, duration, note, printable, say, sayJson, tone, UsageError } from "./output.ts";
import { withSession } from "./session.ts";

interface GateOptions extends CommonOptions {
  pr: number;
  head: string;
  base: string;
  url?: string;
  repo?: string;
  title?: string;
  branch?: string;
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
const LOOK_MS = 2000;
const MINUTE_MS = 60_000;
const OPEN = ["queued", "waiting", "running"];

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
    .option("--fork", "its commits are a stranger's: they get no secrets")
    .option("--checkout <dir>", "the git repository with both commits", ".")
    .option("--timeout <minutes>", "how long to wait for the verdict", wholeNumber(1, 360), 30)
    .option("--summary <file>", "append the report to this file, as Markdown")
    .option("--comment-token <token>", "the code host's token of this CI run: writes the comment")
    .option("--comment-api <url>", "address of the code host's API", httpUrl, "https://api.github.com");
  example(
    withRecords(command),
    'tracedeck gate --pr 482 --head "$HEAD" --base "$BASE" --url https://pr-482.preview.example \\',
    '    --server https://traces.example.com --api-key "$TRACEDECK_KEY"',
  );
  command.action(async (given: GateOptions) => {
    const options = checked(given);
    await withServer(options, async (client, address) => {
      const gate = await waitFor(client, await ask(client, options), options, address);
      const text = await callWith(() => client.request(`/v1/gates/${gate.id}/report`));
      const report = await text.text();
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
  const { server: url, apiKey } = options;
  if ((url === undefined) !== (apiKey === undefined))
    throw new UsageError(
      "--server and --api-key go together: a key with runs:read and runs:write of that server.",
    );
  if (url !== undefined && apiKey !== undefined) return work(createApiClient({ url, apiKey }), url);
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
  return { ...options, head: options.head.toLowerCase(), base: options.base.toLowerCase() };
}

async function ask(client: ApiClient, options: GateOptions): Promise<GateAnswer> {
  const { pr, head, base, url, repo, title, branch, fork, checkout } = options;
  const isScenario = (path: string): boolean => path.endsWith(SCENARIO_SUFFIX);
  const [files, changed] = await Promise.all([
    filesOfCommit(checkout, head, isScenario, MOST_FILES),
    pathsBetween(checkout, base, head),
  ]).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw new CliError(
      `${error.message} A checkout that has both commits and what lies between them was expected (fetch-depth: 0).`,
    );
  });
  if (files.length === 0) note(`The commit has no *${SCENARIO_SUFFIX} file.`);
  const body = JSON.stringify({
    ...{ pr, head_sha: head, base_sha: base, changed },
    files: files.map(({ path, text }) => ({ path, text })),
    ...(url && { url }),
    ...(repo && { repo }),
    ...(title && { title: title.slice(0, 500) }),
    ...(branch && { branch: branch.slice(0, 250) }),
    ...(fork && { is_fork: true }),
  });
  const headers = { "content-type": "application/json" };
  return callJson<GateAnswer>(client, "/v1/gates", { method: "POST", headers, body });
}

/** Follows the gate to its end, with a line for whatever changes. @throws CliError when that takes too long */
async function waitFor(
  client: ApiClient,
  first: GateAnswer,
  options: GateOptions,
  address: string,
): Promise<GateAnswer> {
  const end = systemClock.monotonic() + options.timeout * MINUTE_MS;
  const told = new Set<string>();
  const tell = (key: string, line: string): void => {
    if (!told.has(key) && !options.json) note(line);
    told.add(key);
  };
  for (let gate = first; ; gate = await lookAgain(client, gate, end)) {
    const isOpen = OPEN.includes(gate.status);
    // The end has its own lines.
    if (isOpen) tell(gate.status, statusLine(gate));
    for (const { slug, title, finding } of gate.scenarios)
      if (finding) tell(`scenario ${slug}`, `${finding.outcome.padEnd(7)} ${printable(title)}`);
    if (!isOpen || gate.decision !== null) return gate;
    if (systemClock.monotonic() > end)
      throw new CliError(`There was no verdict within ${options.timeout} minutes: ${pageOf(gate, address)}`);
    await systemClock.sleep(LOOK_MS);
  }
}

/** The server may be started anew meanwhile: the gate goes on there. */
async function lookAgain(client: ApiClient, { id }: GateAnswer, end: number): Promise<GateAnswer> {
  for (;;) {
    try {
      return await callJson<GateAnswer>(client, `/v1/gates/${id}`);
    } catch (error) {
      const mayPass = error instanceof CliError && error.code === "unavailable";
      if (!mayPass || systemClock.monotonic() > end) throw error;
      await systemClock.sleep(LOOK_MS);
    }
  }
}

function statusLine(gate: GateAnswer): string {
  if (gate.status === "waiting") return `waiting: ${printable(gate.reason ?? "")}`;
  if (gate.status === "running")
    return `running ${gate.scenario_count} scenario${gate.scenario_count === 1 ? "" : "s"}`;
  return gate.status;
}

function tellVerdict(gate: GateAnswer, address: string): void {
  for (const { path, line, column, message } of gate.problems)
    say(`${printable(path)}:${line}:${column}: ${printable(message)}`);
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

const pageOf = ({ id, pull_request_id }: GateAnswer, address: string): string =>
  new URL(pull_request_id ? `/pull-requests/${pull_request_id}?gate=${id}` : `/gates/${id}`, address).href;

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
