import type { Injection, Mark } from "../model/marks.ts";
import type { TraceModel } from "../model/model.ts";
import type { NetworkRow } from "../model/network.ts";
import { type Trouble, troubles } from "./lanes.ts";

/** What followed an injected fault, as far as the trace tells. */
export interface Tie {
  injection: Mark;
  /** Requests to its addresses that bear its mark: its status, or its delay. */
  requests: readonly NetworkRow[];
  /** What else went wrong afterwards. */
  errors: readonly Trouble[];
}

/**
 * Whether an address fits a glob: `**` stands for anything, `*` for anything without a slash, `?` for itself, as in
 * Playwright's routes. Takes time in proportion to both lengths, whatever is written.
 */
export function fitsGlob(glob: string, url: string): boolean {
  const pattern = glob.split(/(\*+)/).flatMap((part) => (part.startsWith("*") ? [part] : [...part]));
  let states = new Uint8Array(pattern.length + 1);
  const enter = (set: Uint8Array, at: number): void => {
    for (let next = at; ; next += 1) {
      set[next] = 1;
      if (!pattern[next]?.startsWith("*")) return;
    }
  };
  enter(states, 0);
  for (const character of url) {
    const next = new Uint8Array(pattern.length + 1);
    for (let at = 0; at < pattern.length; at += 1) {
      if (!states[at]) continue;
      const token = pattern[at] ?? "";
      if (token.startsWith("*")) {
        if (token.length > 1 || character !== "/") enter(next, at);
      } else if (token === character) enter(next, at + 1);
    }
    states = next;
  }
  return states[pattern.length] === 1;
}

function wasHit({ kind, url, value }: Injection, row: NetworkRow): boolean {
  if (!fitsGlob(url, row.url)) return false;
  if (kind === "latency") return value === null || (row.durationMs ?? Number.POSITIVE_INFINITY) >= value;
  return value === null ? row.error !== null || (row.status ?? 0) >= 400 : row.status === value;
}

/** Ties an injected fault to the requests it hit and to what went wrong after it; null for any other event. */
export function tieOf(model: TraceModel, mark: Mark): Tie | null {
  const { injection, ts } = mark;
  if (!injection) return null;
  const requests = model.network.rows.value.filter((row) => row.ts >= ts && wasHit(injection, row));
  return {
    injection: mark,
    requests,
    errors: (troubles(model) ?? []).filter((trouble) => trouble.ts >= ts),
  };
}

/** All injected faults of the trace, in the order of time. */
export const injectionsOf = (model: TraceModel): readonly Mark[] =>
  model.marks.world.rows.value.filter((mark) => mark.injection).sort((a, b) => a.ts - b.ts);
