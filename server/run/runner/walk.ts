import { errors } from "playwright-core";
import { isOnline as isHostOnline } from "../../platform/connectivity.ts";
import type { PageCapture } from "../capture/page-capture.ts";
import type { ArchiveCapture } from "../capture/playwright-archive.ts";
import { RunnerError, StepFailure } from "../errors.ts";
import type { CompiledStep } from "../language/ast.ts";
import { withoutLiteral } from "../language/literals.ts";
import { createDeadline, type Environment } from "./environment.ts";
import type { Execution } from "./execution.ts";
import { expectThat } from "./expectations.ts";
import { perform } from "./perform.ts";
import { fetchAndRecord, type Sent } from "./request.ts";
import { shownStep } from "./secret-steps.ts";
import { describeFailure, emitStep } from "./step-record.ts";
import { thoughtOf } from "./thought.ts";
import { asOffline } from "./unreached.ts";
import { endedEarly, type Verdict, verdictOf } from "./verdict.ts";

const STEP_MS = 5000;
const CRASH_MS = 250;

/** Goes through the steps until one fails. */
export async function walk(
  { scenario, clock, onProgress, isOnline = isHostOnline }: Execution,
  environment: Environment,
  { capture, archive }: { capture: PageCapture; archive: ArchiveCapture },
): Promise<Verdict | null> {
  const { recorder, redactor, signal } = environment;
  const send = (request: Sent, timeout: number) => fetchAndRecord(environment, request, timeout);
  for (const step of scenario.steps) {
    await environment.playback?.reach(step, { ...environment, send }).catch((error: unknown) => {
      // Else the step tells what ended the run.
      if (!signal.aborted) throw error;
    });
    recorder.enter(step.id);
    // What kind of field it types into is not known yet.
    onProgress?.({ type: "step", step: { ...step, source: withoutLiteral(step, "…") } });
    await archive.enter(step);
    environment.thinking = { found: [], healed: null };
    const ts = clock.now();
    const started = clock.monotonic();
    const { problem, record } = await attempt(environment, step);
    const durationMs = Math.round((clock.monotonic() - started) * 10) / 10;
    const shown = shownStep(environment, step);
    const error = problem === null ? null : describeFailure(problem, shown);
    recorder.emit(
      "agent.thought",
      { ...thoughtOf(shown, environment.thinking, environment.baseUrl) },
      { ts },
    );
    emitStep(recorder, shown, { ts, durationMs, error, record });
    onProgress?.({ type: "step_ended", step: shown, durationMs, error: redactor.value(error) });
    await archive.leave();
    const isLast = error !== null || step === scenario.steps.at(-1);
    const isAskedFor = step.action.verb === "screenshot";
    if (!signal.aborted) await capture.look({ isAskedFor, isLast });
    recorder.enter(null);
    if (signal.aborted) return endedEarly(signal.reason, step.id);
    if (environment.playback?.failure) return verdictOf(environment.playback.failure, step.id);
    if (!error) continue;
    const ours = problem instanceof RunnerError ? problem : await asOffline(problem, isOnline);
    return {
      status: ours ? "error" : "failed",
      error: {
        reason: ours?.reason ?? null,
        message: redactor.text(ours?.message ?? error.message),
        stepId: step.id,
      },
    };
  }
  return null;
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
