import { errors } from "playwright-core";
import type { Recorder } from "../capture/recorder.ts";
import { StepFailure } from "../errors.ts";
import type { CompiledStep } from "../language/ast.ts";

/** What an event says of a step that failed. */
export interface StepError {
  message: string;
  name: string;
  expected?: string;
  received?: string;
  log: string[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are what is taken out
const COLOURS = /\u001b\[[0-9;]*m/g;
const MOST_LOG = 50;

/** An error of a step in words that people read first, with Playwright's own log below. */
export function describeFailure(error: unknown, step: CompiledStep): StepError {
  if (error instanceof StepFailure) {
    const { expected, received } = error;
    return {
      message: error.message,
      name: "StepFailure",
      ...(expected !== undefined && { expected }),
      ...(received !== undefined && { received }),
      log: [...error.log],
    };
  }
  const text = (error instanceof Error ? error.message : String(error)).replace(COLOURS, "");
  const [head = "", ...rest] = text.split("\n");
  const log = rest
    .map((line) => line.replace(/^\s*-?\s*/, "").trimEnd())
    .filter((line) => line !== "" && line !== "Call log:");
  return {
    message: error instanceof errors.TimeoutError ? timeoutWords(head, log, step) : withoutCall(head),
    name: error instanceof Error ? error.name : "Error",
    log: log.slice(0, MOST_LOG),
  };
}

/** Playwright names the call first: `page.goto: net::ERR_…`. */
const withoutCall = (line: string): string => line.replace(/^(?:\w+\.)+\w+: /, "");

/** Says nothing that is not known. */
const BARE_TIMEOUT = /Timeout [\d.]+ ?ms exceeded\.?$/;

function timeoutWords(head: string, log: readonly string[], step: CompiledStep): string {
  const reason = log.findLast((line) =>
    /not (visible|enabled|stable|editable)|intercepts pointer events|outside of the viewport/.test(line),
  );
  const seconds = (step.within_ms ?? 5000) / 1000;
  const why = reason ?? (BARE_TIMEOUT.test(head) ? null : withoutCall(head));
  return `${step.source} took longer than ${seconds} s${why === null ? "" : `: ${why}`}`;
}

/** Records a step that has ended: an expectation as an assertion, everything else as an action. */
export function emitStep(
  recorder: Recorder,
  step: CompiledStep,
  {
    ts,
    durationMs,
    error,
    record,
  }: { ts: number; durationMs: number; error: StepError | null; record: Record<string, unknown> },
): void {
  const { expected, received, log, ...said } = error ?? { log: [] };
  const shared = {
    title: step.source,
    duration_ms: durationMs,
    ...(log.length > 0 && { log }),
    ...(error && { error: said }),
    stack: [{ file: step.at.file, line: step.at.line, column: step.at.column }],
    ...record,
  };
  if (step.action.verb === "expect") {
    recorder.emit(
      "assertion",
      {
        ok: error === null,
        message: error?.message ?? step.source,
        name: "expect",
        ...(expected !== undefined && { expected }),
        ...(received !== undefined && { received }),
        ...shared,
      },
      { ts },
    );
  } else {
    const { verb, ...params } = step.action;
    recorder.emit("agent.action", { name: verb, params, ...shared }, { ts });
  }
}
