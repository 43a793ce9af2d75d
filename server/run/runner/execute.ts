import type { BrowserContext, Request } from "playwright-core";
import { toIso } from "../../platform/clock.ts";
import { installClock, openContext } from "../browsers/context.ts";
import { type Pages, watchPages } from "../capture/pages.ts";
import { createRecorder, type Recorder } from "../capture/recorder.ts";
import { createExchangeRecorder, recordStates } from "../clones/events.ts";
import { type CloneSet, NO_CLONES, startClones } from "../clones/set.ts";
import { RunnerError } from "../errors.ts";
import { openPlayback, type Playback } from "../playback/playback.ts";
import { createRedactor, type RedactionRules, type Redactor } from "../redaction/redact.ts";
import { createTypedValues, type TypedValues } from "../redaction/typed.ts";
import type { Environment } from "./environment.ts";
import type { Execution, Outcome } from "./execution.ts";
import { createElements, type Elements } from "./heal.ts";
import { closeInTime, endInTime } from "./in-time.ts";
import { createInjections } from "./injections.ts";
import { type MarksSeen, watchMarks } from "./marks.ts";
import { createPendingWork, type PendingWork } from "./pending-work.ts";
import { openReach, type Reach } from "./reach.ts";
import { type LeftToDo, startRunCapture } from "./run-capture.ts";
import { createSecretRules } from "./secret-origins.ts";
import { createValues } from "./values.ts";
import { asLost, browserCrashed, endedEarly, type Verdict, verdictOf } from "./verdict.ts";
import { walk } from "./walk.ts";

/**
 * Runs a compiled scenario in a browser and records it. A scenario that does not hold is `failed`; what goes wrong on
 * this side is `error`.
 * @throws what the sink throws at the beginning: then there is no trace
 */
export async function executeScenario(execution: Execution): Promise<Outcome> {
  const { scenario, sink, clock } = execution;
  const startedAt = clock.now();
  const started = clock.monotonic();
  const reach = await openReach(execution);
  // The browser is made ready while the trace begins.
  const opening = openContext(execution.browser, { ...execution, proxy: reach.proxy });
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
      await reach.close();
      throw error;
    });
  execution.onProgress?.({ type: "started", traceId, shortId });
  const typed = createTypedValues();
  const rules = { ...execution.redaction, secrets: execution.values.secrets, typed };
  const redactor = createRedactor(rules);
  const recorder = createRecorder({ sink, clock, redactor });
  const elements = createElements(execution.fingerprints, scenario.mender?.cache !== "never");
  const left = { recording: createPendingWork(), keeping: createPendingWork() };
  const closing = createPendingWork();
  const marks: Recording["marks"] = { seen: null };
  const stop = new AbortController();
  const signal = AbortSignal.any([execution.signal, recorder.broken, stop.signal]);
  let verdict: Verdict;
  try {
    const recording = { recorder, redactor, rules, typed, elements, left, closing, reach, marks };
    const stoppable = { ...execution, signal, stop };
    verdict = await endInTime(stoppable, withClones(stoppable, opening, recording));
  } catch (error) {
    await closeOpened();
    const { browser } = execution;
    const isCrash = !(error instanceof RunnerError) && !browser.isConnected();
    if (signal.aborted) verdict = endedEarly(signal.reason, null);
    else verdict = verdictOf(isCrash ? browserCrashed() : error, null);
  }
  try {
    await left.recording.settled();
    const summary = new Blob([JSON.stringify({ redaction_count: redactor.count })]);
    left.keeping.add([recorder.close(), sink.artifact("summary", summary)]);
    await left.keeping.settled();
    await sink.end(verdict.status, toIso(clock.now()));
  } catch (error) {
    verdict = verdictOf(asLost(error), verdict.error?.stepId ?? null);
    // Whoever lost the rest may still be told that there is none; else the trace ends by its silence.
    await sink.end(verdict.status, toIso(clock.now())).catch(() => {});
  }
  await closing.settled();
  await reach.close();
  return {
    traceId,
    shortId,
    ...verdict,
    error: verdict.error && { ...verdict.error, message: redactor.text(verdict.error.message) },
    durationMs: Math.round(clock.monotonic() - started),
    heals: redactor.value(elements.heals),
    fingerprints: redactor.value(elements.seen),
    marks: marks.seen,
  };
}

/** What a run records with, what keeps out of it what nobody is to read, and what is left when its steps are over. */
interface Recording {
  recorder: Recorder;
  redactor: Redactor;
  rules: RedactionRules;
  typed: TypedValues;
  elements: Elements;
  left: LeftToDo;
  /** Of the world that the run was made in; the trace does not wait for it. */
  closing: PendingWork;
  reach: Reach;
  /** What the target met, where somebody asks. */
  marks: { seen: MarksSeen | null };
}

interface Stoppable extends Execution {
  /** Aborts too when the recording is lost or the browser dies. */
  signal: AbortSignal;
  stop: AbortController;
}

/** The run's own clones: they begin and end with it. */
async function withClones(
  execution: Stoppable,
  opening: Promise<BrowserContext>,
  recording: Recording,
): Promise<Verdict> {
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
  for (const address of Object.values(clones.addresses)) recording.reach.allow(address);
  try {
    return await runSteps(execution, opening, clones, recording);
  } finally {
    const before = recording.closing.settled();
    recording.closing.add([before.then(() => clones.close())]);
  }
}

async function runSteps(
  execution: Stoppable,
  opening: Promise<BrowserContext>,
  clones: CloneSet,
  recording: Recording,
): Promise<Verdict> {
  const { recorder, redactor, left, closing, reach, marks } = recording;
  const { scenario, browser, clock, signal, stop } = execution;
  const crashed = () => stop.abort(browserCrashed());
  browser.once("disconnected", crashed);
  const baseUrl = execution.baseUrl ?? scenario.base_url;
  const playback = await playbackOf(execution, baseUrl, recording);
  const context = await opening.catch(async (error: unknown) => {
    await playback?.close();
    throw error;
  });
  // Whatever Playwright is waiting for ends with the context.
  const closeAtOnce = () => void context.close().catch(() => {});
  signal.addEventListener("abort", closeAtOnce, { once: true });
  const watch = execution.watchMarks && baseUrl ? watchMarks(context, baseUrl, clock) : null;
  const pages = watchPages(context, recorder);
  reach.tell((text) => recorder.note(redactor.url(text)));
  try {
    const recorded = startRunCapture(execution, context, pages, recording);
    pages.broken.addEventListener("abort", () => stop.abort(pages.broken.reason), { once: true });
    await playback?.begin(context, recorded.network);
    if (!playback?.isServing) await installClock(context, scenario, clock.now());
    const looking = await recorded.open();
    await clones.serve(context, signal, () => !playback?.isServing);
    const environment = environmentOf(execution, recording, {
      context,
      pages,
      network: recorded.network,
      clones,
      playback,
      baseUrl,
    });
    const failed = await walk(execution, environment, looking);
    marks.seen = (await watch?.seen()) ?? null;
    await looking.finish(left);
    if (!signal.aborted && failed?.status !== "error") playback?.finish();
    return failed ?? { status: "passed", error: null };
  } finally {
    signal.removeEventListener("abort", closeAtOnce);
    browser.off("disconnected", crashed);
    pages.leave();
    closing.add([closeInTime(execution, context).then(() => playback?.close())]);
  }
}

/** Of a replay: what it is served before its first live step. */
async function playbackOf(
  execution: Stoppable,
  baseUrl: string | null,
  { recorder, redactor, rules }: Recording,
): Promise<Playback | null> {
  const { browser, scenario, clock } = execution;
  if (!execution.playback) return null;
  return openPlayback(browser, execution.playback, {
    scenario,
    baseUrl,
    recorder,
    redactor,
    rules,
    clock,
    onCaughtUp: (caughtUp) => execution.onProgress?.({ type: "caught_up", caughtUp }),
  });
}

/** What steps act on. */
function environmentOf(
  execution: Stoppable,
  { recorder, redactor, typed, elements, reach }: Recording,
  made: Pick<Environment, "context" | "network" | "clones" | "playback" | "baseUrl"> & { pages: Pages },
): Environment {
  const { clock, signal } = execution;
  const { pages, context, playback, clones } = made;
  const values = createValues({ ...execution.values, clones: clones.addresses });
  const onAnswered = async (request: Request) =>
    playback?.skip({ method: request.method(), url: request.url(), body: request.postData() });
  return {
    context,
    page: pages.current,
    values,
    secretRules: createSecretRules(execution.values, values),
    recorder,
    redactor,
    typed,
    hiddenSteps: new Set(),
    network: made.network,
    clones,
    reach,
    elements,
    thinking: { found: [], healed: null },
    injections: createInjections(context, { recorder, clock, signal, onAnswered }),
    playback,
    clock,
    excludeOrigins: new Set(execution.excludeOrigins),
    proxy: reach.proxy ?? execution.region.proxy ?? null,
    baseUrl: made.baseUrl,
    filesFolder: execution.filesFolder,
    signal,
    lastResponse: null,
  };
}
