import { dirname, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import type { OwnedBrowser } from "../run/browsers/launch.ts";
import { createApiSink } from "../run/capture/api-sink.ts";
import type { Recordings } from "../run/clones/set.ts";
import type { CompiledScenario } from "../run/language/ast.ts";
import { formatProblem } from "../run/language/problem.ts";
import { loadPageRecorder } from "../run/page-recorder-build.ts";
import type { Outcome, Progress } from "../run/runner/execute.ts";
import { secretsFor } from "../run/runner/secrets.ts";
import { syntheticUser } from "../run/runner/synthetic-user.ts";
import { readRecordings } from "../run/scenarios/recordings.ts";
import { waitFor } from "./ingest.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { CliError, duration, note, printable, say, sayJson, tone } from "./output.ts";
import { compileOne } from "./scenarios.ts";
import { type Session, withSession } from "./session.ts";

interface RunOptions extends CommonOptions {
  baseUrl?: string;
  region: string;
  headed?: boolean;
}

interface RunFile {
  file: string;
  scenario: CompiledScenario;
  recordings: Recordings;
}

/** `run`: scenarios here and now, step by step in the terminal. */
export function runCommand(program: Command): void {
  const command = program
    .command("run")
    .argument("<files...>", "scenario files (*.scenario.md)")
    .description("run scenarios here and now, and keep their traces")
    .option("--base-url <url>", "address of the target, instead of the scenario's base_url", httpUrl)
    .option("--region <region>", "profile from settings.json: locale, time zone, place, network", "us-east-1")
    .option("--headed", "show the browser");
  example(
    withRecords(command),
    "tracedeck run scenarios/checkout.scenario.md --base-url http://localhost:3000",
  );
  command.action(async (files: string[], options: RunOptions) => {
    const compiled = await compileAll(files);
    await withSession(options, (session) => runAll(session, compiled, options));
  });
}

/** Every file must compile before the first is run. @throws CliError with every problem */
async function compileAll(files: string[]): Promise<RunFile[]> {
  const compiled: RunFile[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const result = await compileOne(file);
    if (result.scenario) {
      const { scenario } = result;
      const recordings = await readRecordings(scenario, resolve(dirname(file))).catch((error: Error) => {
        problems.push(`${file}: ${error.message}`);
        return {};
      });
      compiled.push({ file, scenario, recordings });
    } else problems.push(...result.problems.map(formatProblem));
  }
  if (problems.length > 0) throw new CliError(problems.map(printable).join("\n"));
  return compiled;
}

async function runAll(session: Session, files: RunFile[], options: RunOptions): Promise<void> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error("It was interrupted."));
  process.once("SIGINT", interrupt);
  // Playwright takes longer to load than most commands to run.
  const { launchBrowser } = await import("../run/browsers/launch.ts");
  const owned = await launchBrowser({
    executable: session.config.settings.browser.executable,
    headed: options.headed ?? false,
  });
  const outcomes: (Outcome & { file: string })[] = [];
  try {
    for (const one of files) {
      if (stop.signal.aborted) break;
      outcomes.push({ file: one.file, ...(await runOne(session, one, owned, options, stop.signal)) });
    }
  } finally {
    process.off("SIGINT", interrupt);
    await owned.close().catch(() => owned.kill());
  }
  if (outcomes.some(({ status }) => status !== "passed")) process.exitCode = 1;
  if (options.json) sayJson({ runs: outcomes.map(toJson) });
}

async function runOne(
  session: Session,
  { file, scenario, recordings }: RunFile,
  owned: OwnedBrowser,
  options: RunOptions,
  stopped: AbortSignal,
): Promise<Outcome> {
  const { settings } = session.config;
  const ids = createIds(systemClock);
  const limit = new AbortController();
  const timer = systemClock.sleep(scenario.timeout_ms, limit.signal).then(() => {
    if (!limit.signal.aborted) owned.kill();
  });
  const { executeScenario } = await import("../run/runner/execute.ts");
  const outcome = await executeScenario({
    scenario,
    baseUrl: options.baseUrl ?? null,
    manifest: { source: "manual", region: options.region, run_id: ids.uuid() },
    region: settings.regions[options.region] ?? {},
    excludeOrigins: settings.synthetic.exclude_origins,
    values: {
      secrets: secretsFor(scenario, session.config.secrets),
      synthetic: syntheticUser(settings.synthetic, {
        slug: scenario.slug,
        region: options.region,
        shard: ids.shortId().toLowerCase(),
      }),
    },
    clones: { recordings },
    redaction: settings.redaction,
    filesFolder: resolve(dirname(file)),
    browser: owned.browser,
    pageRecorder: await loadPageRecorder(),
    sink: createApiSink(session.client, systemClock),
    clock: systemClock,
    ids,
    signal: stopped,
    ...(options.json ? {} : { onProgress: (progress: Progress) => show(scenario, progress) }),
  });
  limit.abort();
  await timer;
  if (!session.serverUrl) await waitFor(session, outcome.traceId);
  if (!options.json) conclude(session, outcome);
  return outcome;
}

function show(scenario: CompiledScenario, progress: Progress): void {
  if (progress.type === "started") say(`${printable(scenario.title)} (${scenario.slug})`);
  if (progress.type !== "step_ended") return;
  const { step, durationMs, error } = progress;
  const mark = error ? tone("✗", "bad") : tone("✓", "good");
  say(`  ${mark} ${printable(step.source)}  ${tone(duration(durationMs), "weak")}`);
  if (error) for (const line of error.message.split("\n")) say(`    ${tone(printable(line), "bad")}`);
}

function conclude(session: Session, { status, shortId, traceId, durationMs, error }: Outcome): void {
  if (error && status !== "failed") note(`${printable(error.message)}`);
  const link = session.serverUrl ? `${session.serverUrl}/traces/${traceId}` : `tracedeck open ${shortId}`;
  say(`${tone(status, status === "passed" ? "good" : "bad")} in ${duration(durationMs)}  ${link}`);
}

const toJson = ({ file, traceId, shortId, status, durationMs, error }: Outcome & { file: string }) => ({
  file,
  trace_id: traceId,
  short_id: shortId,
  status,
  duration_ms: durationMs,
  error,
});

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It must be an http(s) address.");
}
