import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { dataFolder } from "../../store/data-folder.ts";
import { readSigningKey } from "../http/signed-urls.ts";
import { createVault } from "../identity/secrets/vault.ts";
import { systemClock } from "../platform/clock.ts";
import { takeFaults } from "../platform/faults.ts";
import { createIds } from "../platform/ids.ts";
import type { OwnedBrowser } from "../run/browsers/launch.ts";
import { createApiSink } from "../run/capture/api-sink.ts";
import type { Recordings } from "../run/clones/set.ts";
import { RunnerError, StepFailure } from "../run/errors.ts";
import type { CompiledScenario } from "../run/language/ast.ts";
import { formatProblem } from "../run/language/problem.ts";
import { loadPageScripts } from "../run/page-scripts/build.ts";
import { describe } from "../run/pool/log-lines.ts";
import { DEFAULT_REGION, regionProblem } from "../run/regions.ts";
import type { Outcome } from "../run/runner/execution.ts";
import { type KnownSecrets, secretsWith } from "../run/runner/secrets.ts";
import { syntheticUser } from "../run/runner/synthetic-user.ts";
import { endedEarly, runnerBroke, verdictOf } from "../run/runner/verdict.ts";
import type { RunAnswer } from "../run/runs/model.ts";
import { compileFile } from "../run/scenarios/files.ts";
import { readRecordings } from "../run/scenarios/recordings.ts";
import { callJson } from "./call.ts";
import { waitFor } from "./ingest.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { CliError, printable, sayJson, UsageError } from "./output.ts";
import { conclude, concludeAll, liveSteps } from "./run-output.ts";
import { beginRecord } from "./run-record.ts";
import { type Session, withSession } from "./session.ts";

interface RunOptions extends CommonOptions {
  baseUrl?: string;
  region: string;
  headed?: boolean;
}

interface RunFile {
  file: string;
  text: string;
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
    .option(
      "--region <region>",
      "profile from settings.json: locale, time zone, place, network",
      DEFAULT_REGION,
    )
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
    const result = await compileFile(file);
    if (result.scenario) {
      const { scenario } = result;
      const recordings = await readRecordings(scenario, resolve(dirname(file))).catch((error: Error) => {
        problems.push(`${file}: ${error.message}`);
        return {};
      });
      compiled.push({ file, text: await readFile(file, "utf8"), scenario, recordings });
    } else problems.push(...result.problems.map(formatProblem));
  }
  if (problems.length > 0) throw new CliError(problems.map(printable).join("\n"));
  return compiled;
}

async function runAll(session: Session, files: RunFile[], options: RunOptions): Promise<void> {
  checkRegion(session, options.region);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error("The run was interrupted."));
  // A second one ends the program as it would end any.
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const release = takeFaults((error) => stop.abort(runnerBroke(error)));
  const browser = createBrowser(session, options);
  const runs: RunAnswer[] = [];
  try {
    // Without one there is nothing to begin.
    await browser.open();
    for (const file of files) {
      if (stop.signal.aborted) break;
      runs.push(await runOne(session, file, { browser, options, stopped: stop.signal }));
    }
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    throw new CliError(error.message);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await browser.close();
    release();
  }
  if (runs.length < files.length || runs.some(({ status }) => status !== "passed")) process.exitCode = 1;
  if (options.json) sayJson({ runs });
  else concludeAll(runs, files.length);
}

function checkRegion({ config }: Session, region: string): void {
  const problem = regionProblem(config.settings, region);
  if (problem) throw new UsageError(problem);
}

interface RunBrowser {
  /** The browser that is open, or another one in the place of one that has ended. */
  open(): Promise<OwnedBrowser>;
  kill(): void;
  close(): Promise<void>;
}

function createBrowser(session: Session, { headed }: RunOptions): RunBrowser {
  let owned: OwnedBrowser | null = null;
  return {
    async open() {
      if (owned?.browser.isConnected()) return owned;
      // Playwright takes longer to load than most commands to run.
      const { launchBrowser } = await import("../run/browsers/launch.ts");
      const { executable, allow_private_targets } = session.config.settings.browser;
      owned = await launchBrowser({ executable, headed: headed ?? false, isProxied: !allow_private_targets });
      return owned;
    },
    kill: () => owned?.kill(),
    close: async () => owned?.close().catch(() => owned?.kill()),
  };
}

/** How long a run that was told to end may take to do so, before its browser is ended by force. */
const GRACE_MS = 5000;

async function runOne(
  session: Session,
  { file, text, scenario, recordings }: RunFile,
  { browser, options, stopped }: { browser: RunBrowser; options: RunOptions; stopped: AbortSignal },
): Promise<RunAnswer> {
  const { settings } = session.config;
  const { browser: opened } = await browser.open();
  const secrets = await secretsOf(session, scenario);
  const baseUrl = options.baseUrl ?? scenario.base_url;
  const record = await beginRecord(session, {
    scenario: { ...scenario, steps: [...scenario.steps] },
    source: text,
    region: options.region,
    ...(baseUrl !== null && { base_url: baseUrl }),
  });
  const over = new AbortController();
  const limit = new AbortController();
  const limitMs = Math.min(scenario.timeout_ms, settings.browser.run_timeout_seconds * 1000);
  const timer = systemClock.sleep(limitMs, over.signal).then(() => {
    if (over.signal.aborted) return;
    limit.abort(new StepFailure(`The run took longer than its ${Math.round(limitMs / 1000)} s.`));
  });
  const signal = AbortSignal.any([stopped, limit.signal, record.stopped]);
  const force = async () => {
    await systemClock.sleep(GRACE_MS, over.signal);
    if (!over.signal.aborted) browser.kill();
  };
  signal.addEventListener("abort", () => void force(), { once: true });
  const live = options.json ? null : liveSteps(scenario);
  const ids = createIds(systemClock);
  const { executeScenario } = await import("../run/runner/execute.ts");
  const outcome = await executeScenario({
    scenario,
    baseUrl: options.baseUrl ?? null,
    manifest: { source: "manual", region: options.region, run_id: record.id },
    region: settings.regions[options.region] ?? {},
    excludeOrigins: settings.synthetic.exclude_origins,
    allowPrivateTargets: settings.browser.allow_private_targets,
    values: {
      ...secrets,
      synthetic: syntheticUser(settings.synthetic, {
        slug: scenario.slug,
        region: options.region,
        // As the server names them, so that a replay acts as the same person.
        shard: record.id.slice(-12),
      }),
    },
    clones: { recordings },
    fingerprints: record.fingerprints,
    redaction: settings.redaction,
    filesFolder: resolve(dirname(file)),
    browser: opened,
    endBrowser: browser.kill,
    pageScripts: await loadPageScripts(),
    sink: createApiSink(session.client, systemClock),
    clock: systemClock,
    ids,
    signal,
    onProgress(progress) {
      live?.show(progress);
      if (progress.type === "started") record.leaves(progress.traceId);
      const line = describe(progress);
      if (line) record.log(line);
    },
  }).catch((error: unknown) => brokenOutcome(error, stopped));
  over.abort();
  await timer;
  const { hasToldError } = live?.end() ?? { hasToldError: false };
  await record.end(outcome);
  // Its trace tells the failure's signature.
  if (outcome.traceId !== null) await waitFor(session, outcome.traceId);
  const run = await callJson<RunAnswer>(session.client, `/v1/runs/${record.id}`);
  if (!options.json) conclude(run, linkTo(session, outcome), hasToldError);
  return run;
}

/** What settings.json and the environment hold is here for whoever starts the run; the rest is the org's. */
function secretsOf(
  { store, ids, config, orgId }: Session,
  scenario: CompiledScenario,
): Promise<KnownSecrets> {
  const vault = createVault(readSigningKey(dataFolder(config.dataDir).signingKey), ids.bytes);
  return secretsWith({ store, vault }, { orgId, scenario, configured: config.secrets });
}

type Ended = Omit<Outcome, "traceId" | "shortId"> & { traceId: string | null; shortId: string | null };

/** A run that could not even begin to record, or to end it. */
function brokenOutcome(error: unknown, stopped: AbortSignal): Ended {
  const verdict = stopped.aborted ? endedEarly(stopped.reason, null) : verdictOf(error, null);
  return {
    traceId: null,
    shortId: null,
    ...verdict,
    durationMs: 0,
    heals: [],
    fingerprints: {},
    marks: null,
  };
}

function linkTo({ serverUrl }: Session, { traceId, shortId }: Ended): string {
  if (traceId === null) return "without a trace";
  return serverUrl ? `${serverUrl}/traces/${traceId}` : `tracedeck open ${shortId}`;
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It must be an http(s) address.");
}
