import type { Lane } from "../../../server/trace/format/summary.ts";
import { type LaneIndex, placeOf, visible } from "./lane-index.ts";
import type { Scale } from "./scale.ts";

export const LANE = 12;
const BAR = 8;
const DIAMOND = 4;

export interface LaneContent {
  lane: Lane;
  /** Events per equal slice of the trace's first … last. */
  buckets: readonly number[];
  first: number;
  last: number;
  /** Exact spans, where they are known: those that went well, and those that did not. */
  spans: { good: LaneIndex; bad: LaneIndex } | null;
  /** What a reader calls a row of the spans. */
  tell(row: number): string;
  /** Sequence number of the event of a row; null where it is not one event. */
  seq(row: number): number | null;
}

export interface Palette {
  text: string;
  line: string;
  bad: string;
  hit: string;
  lane(lane: Lane): string;
}

/** The colours of the present theme. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: token("--text-2"),
    line: token("--line"),
    bad: token("--lane-errors"),
    hit: token("--hit"),
    lane: (lane) => token(`--lane-${lane}`),
  };
}

type Context = CanvasRenderingContext2D;

function drawBuckets(
  context: Context,
  { buckets, first, last }: LaneContent,
  scale: Scale,
  top: number,
): void {
  const most = buckets.reduce((highest, count) => Math.max(highest, count), 0);
  if (most === 0) return;
  const slice = Math.max(1, last - first) / buckets.length;
  buckets.forEach((count, index) => {
    if (count === 0) return;
    const left = scale.x(first + index * slice);
    const right = scale.x(first + (index + 1) * slice);
    if (right < 0 || left > scale.width) return;
    context.globalAlpha = 0.4 + 0.6 * (Math.log1p(count) / Math.log1p(most));
    context.fillRect(left, top + (LANE - BAR) / 2, Math.max(2, right - left - 0.5), BAR);
  });
}

/** Something that went wrong differs in shape too: a diamond, or a bar of the lane's whole height. */
function diamond(context: Context, x: number, top: number): void {
  const middle = top + LANE / 2;
  context.beginPath();
  context.moveTo(x, middle - DIAMOND - 1);
  context.lineTo(x + DIAMOND, middle);
  context.lineTo(x, middle + DIAMOND + 1);
  context.lineTo(x - DIAMOND, middle);
  context.fill();
}

/** Each span by itself. */
function drawSingly(
  context: Context,
  index: LaneIndex,
  [first, after]: readonly [number, number],
  scale: Scale,
  top: number,
  isBad: boolean,
): void {
  for (let at = first; at < after; at += 1) {
    const [ts, end] = [index.start(at), index.end(at)];
    if (end < scale.from) continue;
    const isMoment = end - ts < 1;
    // What happens at the very end is still seen.
    const left = Math.min(scale.x(ts), scale.width - 2);
    if (isBad && isMoment) {
      context.globalAlpha = 1;
      diamond(context, Math.max(DIAMOND, Math.min(left, scale.width - DIAMOND)), top);
      continue;
    }
    const width = isMoment ? 3 : Math.max(2, scale.x(end) - left - 1);
    const inset = isBad ? 1 : (LANE - BAR) / 2;
    context.globalAlpha = isBad || isMoment ? 1 : 0.6;
    context.fillRect(left, top + inset, width, LANE - 2 * inset);
  }
}

const SHADES = 6;

/** Column for column: how many begin in it, or whether any goes on through it. Its cost is that of the width alone. */
function drawColumns(context: Context, index: LaneIndex, scale: Scale, top: number, isBad: boolean): void {
  const inset = isBad ? 1 : (LANE - BAR) / 2;
  let at = placeOf(index, scale.from);
  let runStart = 0;
  let runShade = 0;
  const flush = (x: number): void => {
    if (runShade > 0) {
      context.globalAlpha = isBad ? 1 : 0.4 + (0.6 * runShade) / SHADES;
      context.fillRect(runStart, top + inset, Math.max(2, x - runStart), LANE - 2 * inset);
    }
    runStart = x;
  };
  for (let x = 0; x < scale.width; x += 1) {
    const isLast = x + 1 >= scale.width;
    const next = placeOf(index, isLast ? scale.to : scale.ts(x + 1), isLast, at);
    const begun = next - at;
    const goesOn = begun === 0 && at > 0 && index.reach(at - 1) >= scale.ts(x);
    const shade = begun > 0 ? Math.min(SHADES, 1 + Math.floor(Math.log2(begun + 1))) : goesOn ? 1 : 0;
    at = next;
    if (shade === runShade) continue;
    flush(x);
    runShade = shade;
  }
  flush(scale.width);
}

function drawSpans(context: Context, index: LaneIndex, scale: Scale, top: number, isBad: boolean): void {
  const range = visible(index, scale.from, scale.to);
  if (range[1] - range[0] > scale.width) drawColumns(context, index, scale, top, isBad);
  else drawSingly(context, index, range, scale, top, isBad);
}

/** One thin row per kind of event. */
export function drawLanes(
  context: Context,
  contents: readonly LaneContent[],
  scale: Scale,
  palette: Palette,
): void {
  contents.forEach((content, index) => {
    const top = index * LANE;
    context.fillStyle = palette.lane(content.lane);
    if (content.spans) {
      drawSpans(context, content.spans.good, scale, top, false);
      context.fillStyle = palette.bad;
      drawSpans(context, content.spans.bad, scale, top, true);
    } else drawBuckets(context, content, scale, top);
    context.globalAlpha = 1;
  });
}

/** Sizes a canvas for sharp lines on this screen and answers its context, cleared and in CSS pixels. */
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): Context | null {
  const density = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context?.scale(density, density);
  return context;
}
