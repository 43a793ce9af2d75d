import type { Palette } from "./draw.ts";
import { rulerStep, type Scale } from "./scale.ts";

export const RULER = 24;
const MARK = 64;
/** Days and hours before the seconds need more room. */
const WIDE_MARK = 112;
const GAP = 8;
const CHARACTER = 6.2;

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** `250 ms`, `1.25 s`, `2 m 5 s`, `30 d 400 ms`: as fine as marks `step` ms apart need it. */
export function rulerLabel(ms: number, step: number): string {
  let rest = Math.abs(ms);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  if (rest > 0 || parts.length === 0) parts.push(seconds(rest, step));
  return (ms < 0 ? "−" : "") + parts.join(" ");
}

function seconds(ms: number, step: number): string {
  if (ms < 1000 && step < 1000) return `${Math.round(ms)} ms`;
  const digits = step % 1000 === 0 ? 0 : step % 100 === 0 ? 1 : step % 10 === 0 ? 2 : 3;
  return `${(ms / 1000).toFixed(digits)} s`;
}

/** The parts of the view between breaks. */
function stretches({ from, to, folding }: Scale): (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  let start = from;
  for (const one of folding.breaks) {
    if (one.to < from || one.from > to) continue;
    if (one.from > start) parts.push([start, one.from]);
    start = Math.max(start, one.to);
  }
  if (to > start || parts.length === 0) parts.push([start, to]);
  return parts;
}

/** Width of the label of a break, CSS pixels. */
export const breakLabelWidth = (text: string): number => text.length * CHARACTER + 2 * 3;

/**
 * Marks at round times of the chosen clock. `movedBy` says how far that clock is ahead of the wall's at a moment;
 * `taken` are spans of pixels where other labels stand.
 */
export function drawRuler(
  context: CanvasRenderingContext2D,
  scale: Scale,
  clock: { origin: number; movedBy: (ts: number) => number; isVirtual: boolean },
  taken: readonly (readonly [number, number])[],
  palette: Palette,
): void {
  const step = rulerStep(scale, clock.isVirtual ? WIDE_MARK : MARK);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  let free = 0;
  for (const [from, to] of stretches(scale)) {
    const zero = clock.origin - clock.movedBy((from + to) / 2);
    for (let mark = Math.ceil((from - zero) / step); mark * step <= to - zero; mark += 1) {
      const x = Math.round(scale.x(zero + mark * step));
      const text = rulerLabel(mark * step, step);
      const end = x + 4 + text.length * CHARACTER;
      context.fillStyle = palette.line;
      context.fillRect(x, 0, 1, RULER);
      if (x < free || end > scale.width || taken.some(([left, right]) => x < right && end > left)) continue;
      context.fillStyle = palette.text;
      context.fillText(text, x + 4, RULER / 2);
      free = end + GAP;
    }
  }
}
