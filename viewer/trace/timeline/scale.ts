import { createFolding, type Folding } from "./folding.ts";

/** Places moments (epoch ms) on a strip of pixels, with breaks drawn narrow. */
export interface Scale {
  from: number;
  to: number;
  width: number;
  folding: Folding;
  /** Milliseconds to a pixel, outside of breaks. */
  perPixel: number;
  x(ts: number): number;
  ts(x: number): number;
}

export function createScale(
  from: number,
  to: number,
  width: number,
  folding: Folding = createFolding(from, to, []),
): Scale {
  const start = folding.place(from);
  const span = Math.max(1e-3, folding.place(to) - start);
  const across = Math.max(1, width);
  return {
    from,
    to,
    width,
    folding,
    perPixel: span / across,
    x: (ts) => ((folding.place(ts) - start) / span) * width,
    ts: (x) => folding.moment(start + (x / across) * span),
  };
}

const NICE = [1, 2, 5];

/** Distance of the marks of a ruler: a round number of milliseconds, at least `least` pixels wide. */
export function rulerStep(scale: Scale, least: number): number {
  const wanted = Math.max(1, scale.perPixel * least);
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const factor = NICE.find((nice) => nice * magnitude >= wanted) ?? 10;
  return factor * magnitude;
}

export type Part = readonly [number, number];

/** Closest view, in milliseconds. */
const CLOSEST_MS = 5;

/** The part of the trace (epoch ms) that shows `factor` times as much, with the moment at `x` staying where it is; null is all of it. */
export function zoomed(scale: Scale, whole: Part, x: number, factor: number): Part | null {
  const { folding, width } = scale;
  const [start, length] = extent(scale);
  const wanted = Math.max(CLOSEST_MS, length * factor);
  const share = Math.max(0, Math.min(1, x / Math.max(1, width)));
  return fitted(folding, whole, start + share * (length - wanted), wanted);
}

/** The part that lies `pixels` to the right of what is shown. */
export function panned(scale: Scale, whole: Part, pixels: number): Part | null {
  const [start, length] = extent(scale);
  return fitted(scale.folding, whole, start + (pixels / Math.max(1, scale.width)) * length, length);
}

/** The part as near as can be to a place and a length on the folded line. */
export function fitted(folding: Folding, whole: Part, start: number, length: number): Part | null {
  const [first, last] = [folding.place(whole[0]), folding.place(whole[1])];
  if (length >= last - first) return null;
  const from = Math.max(first, Math.min(start, last - length));
  return [folding.moment(from), folding.moment(from + length)];
}

function extent({ folding, from, to }: Scale): Part {
  const start = folding.place(from);
  return [start, folding.place(to) - start];
}
