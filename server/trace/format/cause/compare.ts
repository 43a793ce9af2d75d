import { exchangesOf } from "./run/keys.ts";
import type { Evidence, Failed, RunEvidence } from "./types.ts";

/** Whether no compared pass has something; null when there is none to compare with. */
export function isNew({ passes }: Evidence, has: (pass: RunEvidence) => boolean): boolean | null {
  return passes.length === 0 ? null : !passes.some(has);
}

/** Whether a moment is up to when the step gave up; what is told some ms later still belongs to it. */
export function isBefore({ failed }: Evidence, ts: number): boolean {
  return ts <= failed.to + AFTERWARDS_MS;
}

const LONG_OPEN_MS = 1_000;

/** Whether what had long been open ended when the step had given up: whoever ends the test ends its connections. */
export function hasOutlasted({ to }: Pick<Failed, "to">, begun: number, end: number): boolean {
  return end > to && to - begun >= LONG_OPEN_MS;
}

/** Recorders note what happened in a step some ms after its end. */
export const AFTERWARDS_MS = 50;

/** How long the passes waited for the answer to a request of this name, at most; null when none of them sent it. */
export function usualMs({ passes }: Evidence, key: string): number | null {
  const spans = passes.flatMap(({ facts }) =>
    exchangesOf(facts, key).flatMap(({ ts, end }) => (end !== null ? [end - ts] : [])),
  );
  return spans.length === 0 ? null : Math.max(...spans);
}
