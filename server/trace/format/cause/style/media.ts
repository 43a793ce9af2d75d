import type { PageShot, RunFacts } from "../run/run-facts.ts";
import { both, type Certainty, either, MAYBE, NO, not, YES } from "./certainty.ts";

/** Of a page's window, in CSS pixels. */
export interface WindowSize {
  width: number;
  height: number;
  /** Whether the page is drawn as it would be printed. */
  isPrinted?: boolean;
}

/** The size that a run says of its window: `1280 × 720`. */
export function windowOf(said: unknown): WindowSize | null {
  const [, width, height] = (typeof said === "string" && /^(\d{1,6}) × (\d{1,6})$/.exec(said)) || [];
  return width === undefined ? null : { width: Number(width), height: Number(height) };
}

/** Whether the test had asked for a page as it would be printed, when it was pictured. */
export function isPrinted({ steps }: Pick<RunFacts, "steps">, { ts }: Pick<PageShot, "ts">): boolean {
  const emulated = steps.findLast(
    (step) => /emulateMedia$/i.test(step.name) && step.params.media !== undefined && step.ts <= ts,
  );
  return emulated?.params.media === "print";
}

const LONGEST = 500;
const LENGTH = "(-?\\d*\\.?\\d+)(px|r?em)?";
const BOUND = new RegExp(`^\\(\\s*(min|max)-(width|height)\\s*:\\s*${LENGTH}\\s*\\)$`);
const NAME_FIRST = new RegExp(`^\\(\\s*(width|height)\\s*(<=?|>=?|=)\\s*${LENGTH}\\s*\\)$`);
const LENGTH_FIRST = new RegExp(
  `^\\(\\s*${LENGTH}\\s*(<=?|>=?|=)\\s*(width|height)(?:\\s*(<=?|>=?)\\s*${LENGTH})?\\s*\\)$`,
);
/** Of the root's first font, which media queries go by. */
const EM = 16;

/** Whether a list of media queries holds in a window (CSS Media Queries 4, as far as types and the window's size go). */
export function mediaHold(list: string, window: WindowSize | null): Certainty {
  const text = list.trim().toLowerCase();
  if (text === "") return YES;
  if (text.length > LONGEST) return MAYBE;
  return text
    .split(",")
    .map((query) => queryHolds(query.trim(), window))
    .reduce(either, NO);
}

/** Whether a list of media queries asks for the size of the window. */
export const asksForWindow = (list: string): boolean => /\b(?:width|height)\b/i.test(list);

function queryHolds(query: string, window: WindowSize | null): Certainty {
  const [, negation, rest] = /^(?:(not|only)\s+)?(.*)$/s.exec(query)!;
  if (/\bor\b|\bnot\b/.test(rest!)) return MAYBE;
  const held = rest!
    .split(/(?<!\s)\s+and\s+/)
    .map((part) => partHolds(part.trim(), window))
    .reduce(both, YES);
  return negation === "not" ? not(held) : held;
}

function partHolds(part: string, window: WindowSize | null): Certainty {
  if (part === "all") return YES;
  if (part === "screen" || part === "print")
    return (part === "print") === (window?.isPrinted ?? false) ? YES : NO;
  if (part === "speech") return NO;
  const bound = BOUND.exec(part);
  if (bound) {
    const [, end, name, number, unit] = bound;
    return compared(window, name!, end === "min" ? ">=" : "<=", pixels(number!, unit));
  }
  const named = NAME_FIRST.exec(part);
  if (named) {
    const [, name, sign, number, unit] = named;
    return compared(window, name!, sign!, pixels(number!, unit));
  }
  const between = LENGTH_FIRST.exec(part);
  if (!between) return MAYBE;
  const [, number, unit, sign, name, upper, most, mostUnit] = between;
  const first = compared(window, name!, TURNED[sign!]!, pixels(number!, unit));
  return upper === undefined ? first : both(first, compared(window, name!, upper, pixels(most!, mostUnit)));
}

const TURNED: Record<string, string> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=" };

/** Null for a number that is no length. */
function pixels(number: string, unit: string | undefined): number | null {
  const value = Number(number);
  return unit === undefined ? (value === 0 ? 0 : null) : unit === "px" ? value : value * EM;
}

function compared(window: WindowSize | null, name: string, sign: string, length: number | null): Certainty {
  if (window === null || length === null) return MAYBE;
  const own = name === "width" ? window.width : window.height;
  const holds =
    sign === "="
      ? own === length
      : own === length
        ? sign.length === 2
        : own < length === sign.startsWith("<");
  return holds ? YES : NO;
}
