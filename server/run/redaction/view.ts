import { mayEscape, unescapeLayer } from "./escapes.ts";
import type { Span } from "./runs.ts";
import { unitsOf } from "./units.ts";

/** A text without its escapes, and where each part of it stands in the original. */
export interface View {
  text: string;
  spanOf(from: number, to: number): Span;
}

const LAYERS = 6;

/** What a text says when every escape in it is read. Null for one without escapes, which says what it says. */
export function readEscapes(text: string): View | null {
  if (!mayEscape(text)) return null;
  const units = unitsOf(text, 0);
  for (let layer = 0; layer < LAYERS; layer++) if (!unescapeLayer(units, () => {})) break;
  if (units.count === text.length) return null;
  const start = units.start.slice(0, units.count);
  const end = units.end.slice(0, units.count);
  // One unit each, so that places stay what they are: no pattern tells characters outside of the first plane apart.
  const parts = [...units.unit.subarray(0, units.count)].map((unit) => String.fromCharCode(unit));
  return {
    text: parts.join(""),
    spanOf: (from, to) => ({ from: start[from]!, to: end[to - 1]! }),
  };
}
