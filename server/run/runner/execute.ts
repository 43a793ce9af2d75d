import { type Browser, type BrowserContext, errors, type Request } from "playwright-core";
import { type Clock, toIso } from "../../platform/clock.ts";
import { isOnline as isHostOnline } from "../../platform/connectivity.ts";
import type { Ids } from "../../platform/ids.ts";
import { installClock, openContext, type RegionProfile } from "../browsers/context.ts";
import { captureConsole } from "../capture/console.ts";
import { captureCoverage } from "../capture/coverage.ts";
import { recordDom } from "../capture/dom-recording.ts";
import { captureNetwork } from "../capture/network.ts";
import { capturePages, type PageCapture } from "../capture/page-capture.ts";
import { createPageSessions } from "../capture/page-sessions.ts";
import { type ArchiveCapture, captureArchive } from "../capture/playwright-archive.ts";
import { createRecorder, type Recorder } from "../capture/recorder.ts";
import { createRedactor, type RedactionRules, type Redactor } from "../capture/redact.ts";
import type { CaptureManifest, CaptureSink, RunVerdict } from "../capture/sink.ts";
import { createTypedValues, type TypedValues } from "../capture/typed.ts";
import { createExchangeRecorder, recordStates } from "../clones/events.ts";
import { type CloneOptions, type CloneSet, NO_CLONES, startClones } from "../clones/set.ts";
import type { CompiledScenario, CompiledStep } from "../language/ast.ts";
import { withoutLiteral } from "../language/literals.ts";
import { openPast } from "../past/past.ts";
import type { RecordedPast } from "../past/plan.ts";
import { createDeadline, type Environment } from "./environment.ts";
import { expectThat } from "./expectations.ts";
import { RunnerError, StepFailure } from "./failure.ts";
import type { Fingerprint, Heal } from "./fingerprint.ts";
import { createElements, type Elements } from "./heal.ts";
import { createInjections } from "./injections.ts";
import { createLeftovers, type Leftovers } from "./leftovers.ts";
import { watchPages } from "./pages.ts";
import { perform } from "./perform.ts";
import { shownStep } from "./secret-steps.ts";
import { describeFailure, emitStep, type StepError } from "./step-record.ts";
import { asOffline } from "./unreached.ts";
import { createValues, type ValueSources } from "./values.ts";

export interface Execution {
  scenario: CompiledScenario;
  baseUrl: string | null;
  manifest: Omit<CaptureManifest, "version" | "scenario" | "started_at">;
  region: RegionProfile;
  excludeOrigins: readonly string[];
  values: Omit<ValueSources, "clones">;
  /** What the scenario's clones answer from; null for a run against the real third parties. */
  clones: CloneOptions | null;
  /** What earlier passes saw of the elements, as `Outcome.fingerprints` gave it. */
  fingerprints: Readonly<Record<string, Fingerprint>>;
  redaction: Omit<RedactionRules, "secrets">;
  /** The folder that `upload` takes files from. */
  filesFolder: string | null;
  browser: Browser;
  /** Ends the browser by force. */
  endBrowser(): void;
  /** The script of `page-recorder.ts`. */
  pageRecorder: string;
  sink: CaptureSink;
  /** Of a replay: what it is served before its first live step. */
  past?: RecordedPast | null;
  clock: Clock;
  ids: Ids;
  /** Ends the run early: its reason is a `StepFailure`, a `RunnerError`, or anything else for `aborted`. */
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Whether this host's own network works, asked when a target was not reached; the host's probe when absent. */
  isOnline?: (target: URL) => Promise<boolean>;
}

export type Progress =
  | { type: "started"; traceId: string; shortId: string }
  | { type: "step"; step: CompiledStep }
  | { type: "step_ended"; step: CompiledStep; durationMs: number; error: StepError | null };

export interface Outcome {
  traceId: string;
  shortId: string;
  status: RunVerdict;
  durationMs: number;
  /** Why it did not pass. */
  error: { reason: string | null; message: string; stepId: string | null } | null;
  /** Elements that were found by what earlier passes saw of them, in order. */
  heals: Heal[];
  /** What this run saw of the elements that it acted on. */
  fingerprints: Record<string, Fingerprint>;
}

const STEP_MS = 5000;
const CRASH_MS = 250;
const CLOSE_MS = 10_000;
/** What a run that was told to end may take for it, closing included. */
const END_MS = 20_000;

/**
 * Runs a compiled scenario in a browser and records it. A scenario that does not hold is `failed`; what goes wrong on
 * this side is `error`.
 * @throws what the sink throws at the beginning: then there is no trace
 */
export async function executeScenario(execution: Execution): Promise<Outcome> {
  const { scenario, sink, clock } = execution;
  const startedAt = clock.now();
  const started = clock.monotonic();
  // The browser is made ready while the trace begins.
  const opening = openContext(execution.browser, execution);
  const closeOpened = () => opening.then((context) => closeInTime(execution, context)).catch(() => {});
  opening.catch(() => {});
  const { traceId, shortId } = await sink
    .begin({
      version: 1,
      scenario: { slug: scenario.slug, title: scenario.title },
      started_at: toIso(startedAt),
      ...execution.manifest,
    })
    .catch(async (error: unknown) => {
      await closeOpened();
      throw error;
    });
  execution.onProgress?.({ type: "started", traceId, shortId });
  const typed = createTypedValues();
  const rules = { ...execution.redaction, secrets: execution.values.secrets, typed };
  const redactor = createRedactor(rules);
  const recorder = createRecorder({ sink, clock, redactor });
  const elements = createElements(execution.fingerprints, scenario.mender?.cache !== "never");
  const leftovers = createLeftovers();
  let verdict: Pick<Outcome, "status" | "error">;
  try {
    const recording = { recorder, redactor, rules, typed, elements, leftovers };
    verdict = await endInTime(execution, withClones(execution, opening, recording));
  } catch (error) {
    await closeOpened();
    const { browser, signal } = execution;
    const isCrash = !(error instanceof RunnerError) && !browser.isConnected();
    if (signal.aborted) verdict = endedEarly(signal.reason, null);
    else verdict = verdictOf(isCrash ? browserCrashed() : error, null);
  }
  try {
    await leftovers.settled();
    const summary = new Blob([JSON.stringify({ redaction_count: redactor.count })]);
    await Promise.all([recorder.close(), sink.artifact("summary", summary)]);
    await sink.end(verdict.status, toIso(clock.now()));
  } catch (error) {
    verdict = verdictOf(asLost(error), verdict.error?.stepId ?? null);
    // Whoever lost the rest may still be told that there is none; else the trace ends by its silence.
    await sink.end(verdict.status, toIso(clock.now())).catch(() => {});
  }
  return {
    traceId,
    shortId,
    ...verdict,
    durationMs: Math.round(clock.monotonic() - started),
    heals: redactor.value(elements.heals),
    fingerprints: redactor.value(elements.seen),
  };
}

const browserCrashed = () =>
  new RunnerError("browser_crashed", "The browser ended in the middle of the run.");

function asLost(error: unknown): RunnerError {
  if (error instanceof RunnerError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new RunnerError("recording_lost", `The recording could not be kept: ${why}`, error);
}

function verdictOf(error: unknown, stepId: string | null): Pick<Outcome, "status" | "error"> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StepFailure) return { status: "failed", error: { reason: null, message, stepId } };
  if (error instanceof RunnerError)
    return { status: "error", error: { reason: error.reason, message, stepId } };
  return { status: "error", error: { reason: "runner_failed", message, stepId } };
}

/** What a run records with, what keeps out of it what nobody is to read, and what is left when its browser's part is over. */
interface Recording {
  recorder: Recorder;
  redactor: Redactor;
  rules: RedactionRules;
  typed: TypedValues;
  elements: Elements;
  leftovers: Leftovers;
}

/** The run's own clones: they begin and end with it. */
async function withClones(
  execution: Execution,
  opening: Promise<BrowserContext>,
  recording: Recording,
): Promise<Pick<Outcome, "status" | "error">> {
  const { scenario, clock } = execution;
  const { recorder, redactor } = recording;
  const clones = execution.clones
    ? await startClones(scenario.clones, {
        ...execution.clones,
        clock,
        onExchange: createExchangeRecorder(recorder, redactor),
      })
    : NO_CLONES;
  recordStates(clones, recorder);
  try {
    return await runSteps(execution, opening, clones, recording);
  } finally {
    const before = recording.leftovers.settled();
    recording.leftovers.add([before.catch(() => {}).then(() => clones.close())]);
  }
}

async function runSteps(
  execution: Execution,
  opening: Promise<BrowserContext>,
  clones: CloneSet,
  { recorder, redactor, rules, typed, elements, leftovers }: Recording,
): Promise<Pick<Outcome, "status" | "error">> {
  const { scenario, browser, clock, ids } = execution;
  const stop = new AbortController();
  const signal = AbortSignal.any([execution.signal, recorder.broken, stop.signal]);
  const crashed = () => stop.abort(browserCrashed());
  browser.once("disconnected", crashed);
  const baseUrl = execution.baseUrl ?? scenario.base_url;
  const past = execution.past
    ? await openPast(browser, execution.past, { scenario, baseUrl, recorder, redactor, rules, clock })
    : null;
  const context = await opening.catch(async (error: unknown) => {
    await past?.close();
    throw error;
  });
  // Whatever Playwright is waiting for ends with the context.
  const closing = () => void context.close().catch(() => {});
  signal.addEventListener("abort", closing, { once: true });
  try {
    const consoleCapture = captureConsole(context, recorder, clock);
    const network = captureNetwork(context, {
      recorder,
      redactor,
      clock,
      isEdited: (execution.past?.plan.sourceDiffs.length ?? 0) > 0,
    });
    const sessionOf = createPageSessions(context);
    const coverage = captureCoverage(context, { recorder, redactor, clock, sessionOf });
    const pages = watchPages(context, recorder);
    pages.crashed.addEventListener("abort", () => stop.abort(pages.crashed.reason), { once: true });
    const binding = `_${ids.secret(16)}`;
    const script = execution.pageRecorder;
    const recording = await recordDom(context, { recorder, redactor, clock, script, binding });
    await past?.begin(context, network);
    if (!past?.isServing) await installClock(context, scenario, clock.now());
    const archive = await captureArchive(context, { recorder, redactor });
    const capture = await capturePages(context, {
      recorder,
      redactor,
      clock,
      pages,
      recording,
      coverage,
      sessionOf,
    });
    await clones.serve(context, signal, () => !past?.isServing);
    const onAnswered = async (request: Request) =>
      past?.skip({ method: request.method(), url: request.url(), body: request.postData() });
    const environment: Environment = {
      context,
      page: pages.current,
      values: createValues({ ...execution.values, clones: clones.addresses }),
      recorder,
      redactor,
      typed,
      hiddenSteps: new Set(),
      network,
      clones,
      elements,
      injections: createInjections(context, { recorder, clock, signal, onAnswered }),
      past,
      clock,
      excludeOrigins: new Set(execution.excludeOrigins),
      baseUrl,
      filesFolder: execution.filesFolder,
      signal,
      lastResponse: null,
    };
    const failed = await walk(execution, environment, { capture, archive });
    // What there is so far goes out meanwhile; `broken` tells of a failure.
    recorder.flush().catch(() => {});
    const looked = capture.finish(execution.sink);
    // Told below, when the archive has its bodies too.
    looked.catch(() => {});
    await network.settle();
    consoleCapture.finish();
    // A context that was closed meanwhile has no archive to give.
    const keep = signal.aborted ? null : await archive.stop();
    if (keep) leftovers.add([keep(execution.sink)]);
    leftovers.add(await looked);
    if (!signal.aborted && failed?.status !== "error") past?.finish();
    return failed ?? { status: "passed", error: null };
  } finally {
    signal.removeEventListener("abort", closing);
    browser.off("disconnected", crashed);
    leftovers.add([closeInTime(execution, context).then(() => past?.close())]);
  }
}

/** Waits for a run; once it was told to end, or its browser has gone, no longer than that may take. */
async function endInTime<T>({ browser, clock, endBrowser, signal }: Execution, run: Promise<T>): Promise<T> {
  const over = new AbortController();
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  signal.addEventListener("abort", end, { once: true });
  browser.once("disconnected", end);
  if (signal.aborted) end();
  const late = ended.promise
    .then(() => clock.sleep(END_MS, over.signal))
    .then((): never => {
      if (!over.signal.aborted) endBrowser();
      throw signal.aborted ? signal.reason : browserCrashed();
    });
  // Of a run that ended in time nobody waits for this.
  late.catch(() => {});
  try {
    return await Promise.race([run, late]);
  } finally {
    over.abort();
    signal.removeEventListener("abort", end);
    browser.off("disconnected", end);
  }
}

/** A browser in which not even this works any more is of no use to anybody. */
async function closeInTime({ clock, endBrowser }: Execution, context: BrowserContext): Promise<void> {
  const over = new AbortController();
  const isLate = clock.sleep(CLOSE_MS, over.signal).then(() => !over.signal.aborted);
  const isClosed = context.close().then(
    () => false,
    () => false,
  );
  if (await Promise.race([isClosed, isLate])) endBrowser();
  over.abort();
}

/** Goes through the steps until one fails. */
async function walk(
  { scenario, clock, onProgress, isOnline = isHostOnline }: Execution,
  environment: Environment,
  { capture, archive }: { capture: PageCapture; archive: ArchiveCapture },
): Promise<Pick<Outcome, "status" | "error"> | null> {
  const { recorder, redactor, signal } = environment;
  for (const step of scenario.steps) {
    await environment.past?.reach(step, environment).catch((error: unknown) => {
      // Else the step tells what ended the run.
      if (!signal.aborted) throw error;
    });
    recorder.enter(step.id);
    // What kind of field it types into is not known yet.
    onProgress?.({ type: "step", step: { ...step, source: withoutLiteral(step, "…") } });
    await archive.enter(step);
    const ts = clock.now();
    const started = clock.monotonic();
    const { problem, record } = await attempt(environment, step);
    const durationMs = Math.round((clock.monotonic() - started) * 10) / 10;
    const shown = shownStep(environment, step);
    const error = problem === null ? null : describeFailure(problem, shown);
    emitStep(recorder, shown, { ts, durationMs, error, record });
    onProgress?.({ type: "step_ended", step: shown, durationMs, error: redactor.value(error) });
    await archive.leave();
    if (!signal.aborted) await capture.look(step.action.verb === "screenshot");
    recorder.enter(null);
    if (signal.aborted) return endedEarly(signal.reason, step.id);
    if (environment.past?.failure) return verdictOf(environment.past.failure, step.id);
    const offline = error && (await asOffline(problem, isOnline));
    if (offline) return verdictOf(offline, step.id);
    if (error)
      return {
        status: "failed",
        error: { reason: null, message: redactor.text(error.message), stepId: step.id },
      };
  }
  return null;
}

function endedEarly(reason: unknown, stepId: string | null): Pick<Outcome, "status" | "error"> {
  if (reason instanceof StepFailure || reason instanceof RunnerError) return verdictOf(reason, stepId);
  const message = reason instanceof Error ? reason.message : "The run was ended.";
  return { status: "aborted", error: { reason: "aborted", message, stepId } };
}

interface Attempt {
  problem: unknown;
  record: Record<string, unknown>;
}

async function attempt(environment: Environment, step: CompiledStep): Promise<Attempt> {
  const deadline = createDeadline(environment.clock, step.within_ms ?? STEP_MS, environment.signal);
  const healed = () => {
    const heal = environment.elements.heals.find(({ step_id }) => step_id === step.id);
    return heal ? { healed: { from: heal.from, to: heal.to, why: heal.why } } : {};
  };
  const { action } = step;
  try {
    if (action.verb === "expect")
      return { problem: null, record: { ...(await expectThat(environment, action, deadline)) } };
    const point = await perform(environment, action, deadline);
    // Waits end early with the run.
    environment.signal.throwIfAborted();
    return { problem: null, record: { ...(point && { point }), ...healed() } };
  } catch (error) {
    const { clock, signal } = environment;
    // What a step meets first of a page or browser that died is often not its death, which is told a moment later.
    if (!(error instanceof StepFailure || error instanceof errors.TimeoutError))
      await clock.sleep(CRASH_MS, signal);
    return { problem: signal.aborted ? signal.reason : error, record: healed() };
  }
}
