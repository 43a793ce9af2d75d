import type { HourResult } from "../../../store/records/result-hours.ts";

/** From a moment, which belongs to it, to another, which does not. Epoch ms. */
export interface Span {
  from: number;
  to: number;
}

/** A time for which a result speaks. */
export interface Spoken extends Span {
  state: "up" | "down";
}

/**
 * The times for which results speak. A result does so from its end until the next one's, until a fire comes that is left out or the
 * check rests, and no longer than `holdMs`: what is not heard of is not up. A run that could not be made says nothing.
 * @param results of one series, oldest first
 * @param cuts epoch ms, in their order: when a fire was left out, or a rest began
 * @param until epoch ms: where the last one ends at most
 */
export function spokenBy(
  results: readonly Pick<HourResult, "at" | "status">[],
  { cuts, holdMs, until }: { cuts: readonly number[]; holdMs: number; until: number },
): Spoken[] {
  const spoken: Spoken[] = [];
  let next = 0;
  for (const [index, { at, status }] of results.entries()) {
    while (next < cuts.length && cuts[next]! < at) next++;
    if (status === "error") continue;
    const to = Math.min(results[index + 1]?.at ?? until, at + holdMs, cuts[next] ?? until, until);
    if (to > at) spoken.push({ from: at, to, state: status === "passed" ? "up" : "down" });
  }
  return spoken;
}

/** Spans that lie apart from each other and in their order, of any. */
export function joined(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (to <= from) continue;
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}

/** What is left of a span outside of others. @param others apart from each other and in their order */
export function outside<One extends Span>(span: One, others: readonly Span[]): One[] {
  const left: One[] = [];
  let from = span.from;
  for (const other of others) {
    if (other.to <= from) continue;
    if (other.from >= span.to) break;
    if (other.from > from) left.push({ ...span, from, to: other.from });
    from = other.to;
  }
  if (from < span.to) left.push({ ...span, from });
  return left;
}

/** The part of spans that lies within another. */
export const within = <One extends Span>(spans: readonly One[], { from, to }: Span): One[] =>
  spans
    .filter((span) => span.to > from && span.from < to)
    .map((span) => ({ ...span, from: Math.max(span.from, from), to: Math.min(span.to, to) }));

export const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + to - from, 0);
