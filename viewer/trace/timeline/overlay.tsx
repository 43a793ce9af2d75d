import { effect, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatDuration, formatOffset } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import { shownTheme } from "../../ui/theme.ts";
import { useModel } from "../model/model.ts";
import { isBad } from "../model/network.ts";
import { LANE, type LaneContent, prepare, readPalette } from "./draw.ts";
import type { Break } from "./folding.ts";
import { HoverPreview, targetAt } from "./hover.tsx";
import { type Tie, tieOf } from "./injections.ts";
import { formatAdvance } from "./lanes.ts";
import { breakLabelWidth } from "./ruler.ts";
import type { Part, Scale } from "./scale.ts";
import { type TimelineState, timelineState } from "./state.ts";

interface LayerProps {
  scale: Scale;
  contents: readonly LaneContent[];
}

/**
 * The playhead. It moves by itself, without anything else being drawn again, and keeps the slider's value: `host` is
 * the element with that role.
 */
export function Needle({
  scale,
  host,
}: {
  scale: Scale;
  host: { current: HTMLElement | null };
}): JSX.Element {
  const model = useModel();
  const line = useRef<HTMLDivElement>(null);
  const place = (): void => {
    const ts = model.playhead.value;
    const step = model.step.value;
    if (line.current) line.current.style.transform = `translateX(${scale.x(ts)}px)`;
    const title = step ? `, ${oneLine(step.title, 120)}` : "";
    host.current?.setAttribute("aria-valuenow", String(Math.round(ts - model.origin.value)));
    host.current?.setAttribute("aria-valuetext", `${formatOffset(model.elapsed(ts))} seconds${title}`);
  };
  const latestPlace = useRef(place);
  latestPlace.current = place;
  useEffect(() => effect(() => latestPlace.current()), []);
  useEffect(place, [scale]);
  return <div ref={line} class="playhead" />;
}

function Curtain({ span, scale, isDraft }: { span: Part; scale: Scale; isDraft: boolean }): JSX.Element {
  const left = Math.max(0, Math.min(scale.width, scale.x(span[0])));
  const right = Math.max(0, Math.min(scale.width, scale.x(span[1])));
  return (
    <>
      <div class="curtain" style={{ left: "0", width: `${left}px` }} />
      <div class="curtain" style={{ left: `${right}px`, right: "0" }} />
      {!isDraft && (
        <>
          <div class="grip" data-grip="from" style={{ left: `${left}px` }} />
          <div class="grip" data-grip="to" style={{ left: `${right}px` }} />
        </>
      )}
    </>
  );
}

/** What a break is called on the ruler. */
export const breakLabel = ({ kind, length }: Break): string =>
  kind === "idle" ? formatDuration(length) : `${length < 0 ? "−" : "+"}${formatAdvance(Math.abs(length))}`;

export interface PlacedBreak {
  one: Break;
  left: number;
  right: number;
  /** Where its label stands, or null where there is no room. */
  label: Part | null;
}

/** The breaks in view, each with its label unless that of the one before stands there. */
export function placeBreaks(scale: Scale): PlacedBreak[] {
  let free = 0;
  return scale.folding.breaks.flatMap((one): PlacedBreak[] => {
    if (one.to < scale.from || one.from > scale.to) return [];
    const left = scale.x(one.from);
    // A jump takes no time on the wall: it ends where the next moment is.
    const right = one.kind === "jump" ? scale.x(one.to + 1e-3) : scale.x(one.to);
    const width = breakLabelWidth(breakLabel(one));
    const at = Math.max(0, Math.min(scale.width - width, (left + right - width) / 2));
    const isFree = at >= free;
    if (isFree) free = at + width;
    return [{ one, left, right, label: isFree ? [at, at + width] : null }];
  });
}

/** Idle stretches and jumps of the clock, narrow and hatched, with their length. */
export function Breaks({ placed }: { placed: readonly PlacedBreak[] }): JSX.Element {
  return (
    <>
      {placed.map(({ one, left, right, label }) => (
        <div key={`${one.kind} ${one.from}`} class="break-place">
          <div class={`break is-${one.kind}`} style={{ left: `${left}px`, width: `${right - left}px` }} />
          {label && (
            <span
              class="break-label num"
              style={{ left: `${label[0]}px`, width: `${label[1] - label[0]}px` }}
            >
              {breakLabel(one)}
            </span>
          )}
        </div>
      ))}
    </>
  );
}

function drawTie(canvas: HTMLCanvasElement, tie: Tie, { scale, contents }: LayerProps): void {
  const context = prepare(canvas, scale.width, contents.length * LANE);
  if (!context) return;
  const palette = readPalette();
  const row = (lane: string): number => contents.findIndex((content) => content.lane === lane);
  const own = row("injections");
  const start = scale.x(tie.injection.ts);
  context.lineWidth = 1.5;
  context.strokeStyle = palette.lane("injections");
  const point = (lane: string, from: number, to: number, colour: string): void => {
    const at = row(lane);
    if (at < 0 || to < 0 || from > scale.width) return;
    const middle = own * LANE + LANE / 2;
    context.fillStyle = colour;
    context.fillRect(from - 1, at * LANE + 1, Math.max(4, to - from), LANE - 2);
    context.beginPath();
    context.rect(from - 2, at * LANE + 0.5, Math.max(6, to - from + 2), LANE - 1);
    if (own >= 0) {
      context.moveTo(start, middle);
      context.lineTo(from, middle);
      context.lineTo(from, at < own ? (at + 1) * LANE : at * LANE);
    }
    context.stroke();
  };
  for (const request of tie.requests) {
    const colour = isBad(request) ? palette.bad : palette.lane("network");
    point("network", scale.x(request.ts), scale.x(request.ts + (request.durationMs ?? 0)), colour);
  }
  for (const { ts, lane } of tie.errors) {
    const x = scale.x(ts);
    point("errors", x, x, palette.bad);
    if (lane !== "network") point(lane, x, x, palette.bad);
  }
  point("injections", start, start, palette.lane("injections"));
}

/** The injection under the pointer, or the one picked, with what followed it. */
export function useTie(state: TimelineState, { scale, contents }: LayerProps): Tie | null {
  const model = useModel();
  const latest = useRef({ scale, contents });
  latest.current = { scale, contents };
  const mark = useComputed(() => {
    const hover = state.hover.value;
    const world = model.marks.world.rows.value;
    const target = hover && targetAt(latest.current.contents, latest.current.scale, hover.x, hover.y);
    const under = target?.content.lane === "injections" && target.row !== null ? world[target.row] : null;
    return under ?? world.find((one) => one.seq === state.injection.value) ?? null;
  });
  return useComputed(() => (mark.value ? tieOf(model, mark.value) : null)).value;
}

/** Lights what an injected fault led to. */
function TieLayer({ tie, ...layer }: LayerProps & { tie: Tie }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = shownTheme.value;
  useEffect(() => {
    if (canvas.current) drawTie(canvas.current, tie, layer);
  }, [tie, layer.scale, layer.contents, theme]);
  return <canvas ref={canvas} class="tie" />;
}

/** Everything that moves with the pointer and the choice of the reader, above the lanes. */
export function Overlay({ scale, contents, lanesTop }: LayerProps & { lanesTop: number }): JSX.Element {
  const model = useModel();
  const state = timelineState(model);
  const draft = state.draft.value;
  const span = draft ?? model.window.value;
  const hover = state.hover.value;
  const step = model.step.value;
  const tie = useTie(state, { scale, contents });
  const stepLeft = step ? scale.x(step.ts) : 0;
  const stepWidth = step ? Math.max(2, scale.x(step.ts + step.duration_ms) - stepLeft) : 0;
  return (
    <>
      {step && (
        <div
          class="step-span"
          style={{ left: `${stepLeft}px`, width: `${stepWidth}px`, top: `${lanesTop}px` }}
        />
      )}
      {tie && (
        <div class="tie-place" style={{ top: `${lanesTop}px` }}>
          <TieLayer tie={tie} scale={scale} contents={contents} />
        </div>
      )}
      {span && <Curtain span={span} scale={scale} isDraft={draft !== null} />}
      {hover && <HoverPreview hover={hover} scale={scale} contents={contents} />}
    </>
  );
}
