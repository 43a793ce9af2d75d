import type { Lane } from "../../../server/trace/format/summary.ts";
import { rulerStep, type Scale } from "./scale.ts";

export const RULER = 18;
export const LANE = 12;
const MARK = 64;
const BAR = 8;

/** A stretch of time on a lane; `isBad` ones are drawn on top and taller. */
export interface Span {
  ts: number;
  end: number;
  isBad: boolean;
}

export interface LaneContent {
  lane: Lane;
  /** Events per equal slice of the trace's first … last. */
  buckets: readonly number[];
  first: number;
  last: number;
  /** Exact spans, where they are known. */
  spans: readonly Span[] | null;
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

function label(ms: number, step: number): string {
  if (step < 1000 && ms < 10_000 && step % 1000 !== 0)
    return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(step < 100 ? 2 : 1)} s`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(2))} s`;
  const rest = Math.round(seconds % 60);
  return rest === 0 ? `${Math.floor(seconds / 60)} m` : `${Math.floor(seconds / 60)} m ${rest} s`;
}

export function drawRuler(
  context: CanvasRenderingContext2D,
  scale: Scale,
  origin: number,
  palette: Palette,
): void {
  const step = rulerStep(scale, MARK);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  const first = Math.ceil((scale.from - origin) / step);
  const last = Math.floor((scale.to - origin) / step);
  for (let mark = first; mark <= last; mark += 1) {
    const x = scale.x(origin + mark * step);
    context.fillStyle = palette.line;
    context.fillRect(Math.round(x), 0, 1, RULER);
    context.fillStyle = palette.text;
    if (x < scale.width - 24) context.fillText(label(mark * step, step), Math.round(x) + 4, RULER / 2);
  }
}

function drawBuckets(
  context: CanvasRenderingContext2D,
  content: LaneContent,
  scale: Scale,
  top: number,
  colour: string,
): void {
  const { buckets, first, last } = content;
  const most = buckets.reduce((highest, count) => Math.max(highest, count), 0);
  if (most === 0) return;
  const slice = Math.max(1, last - first) / buckets.length;
  context.fillStyle = colour;
  buckets.forEach((count, index) => {
    if (count === 0) return;
    const left = scale.x(first + index * slice);
    const right = scale.x(first + (index + 1) * slice);
    if (right < 0 || left > scale.width) return;
    context.globalAlpha = 0.4 + 0.6 * (Math.log1p(count) / Math.log1p(most));
    context.fillRect(left, top + (LANE - BAR) / 2, Math.max(2, right - left - 0.5), BAR);
  });
  context.globalAlpha = 1;
}

function drawSpans(
  context: CanvasRenderingContext2D,
  spans: readonly Span[],
  scale: Scale,
  top: number,
  colour: string,
  bad: string,
): void {
  for (const isBad of [false, true]) {
    context.fillStyle = isBad ? bad : colour;
    for (const span of spans) {
      if (span.isBad !== isBad || span.end < scale.from || span.ts > scale.to) continue;
      const isMoment = span.end - span.ts < 1;
      context.globalAlpha = isBad || isMoment ? 1 : 0.55;
      // What happens at the very end is still seen.
      const left = Math.min(scale.x(span.ts), scale.width - 2);
      const width = Math.max(isMoment ? 3 : 2, scale.x(span.end) - left - 1);
      const inset = isBad ? 1 : (LANE - BAR) / 2;
      context.fillRect(left, top + inset, width, LANE - 2 * inset);
    }
  }
  context.globalAlpha = 1;
}

/** One thin row per kind of event. */
export function drawLanes(
  context: CanvasRenderingContext2D,
  contents: readonly LaneContent[],
  scale: Scale,
  palette: Palette,
): void {
  contents.forEach((content, index) => {
    const top = index * LANE;
    const colour = palette.lane(content.lane);
    if (content.spans) drawSpans(context, content.spans, scale, top, colour, palette.bad);
    else drawBuckets(context, content, scale, top, colour);
  });
}

/** Sizes a canvas for sharp lines on this screen and answers its context, cleared and in CSS pixels. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const density = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context?.scale(density, density);
  return context;
}
