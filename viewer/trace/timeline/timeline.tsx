import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Lane } from "../../../server/trace/format/summary.ts";
import { formatDuration, formatOffset, plural } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { oneLine } from "../../ui/text.ts";
import { shownTheme } from "../../ui/theme.ts";
import { isServer } from "../../where.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { useTimelineAddress } from "./address.ts";
import { drawLanes, LANE, type LaneContent, prepare, readPalette } from "./draw.ts";
import { Film, filmHeight, stripsOf } from "./film.tsx";
import { type Break, createFolding, idleStretches } from "./folding.ts";
import { useGestures } from "./gestures.ts";
import { Hits } from "./hits.tsx";
import { targetAt } from "./hover.tsx";
import { onTrackKey, useTimelineKeys } from "./keys.ts";
import { filledLanes, LANE_TABS, laneContents, laneName } from "./lanes.ts";
import { Minimap } from "./minimap.tsx";
import { Gutter } from "./options.tsx";
import { Breaks, Needle, Overlay, placeBreaks } from "./overlay.tsx";
import { drawRuler, RULER } from "./ruler.ts";
import { createScale, type Part, type Scale } from "./scale.ts";
import { hiddenLanes, isIdleFolded, timelineState } from "./state.ts";

/** Of the track, where nobody can measure it: then nothing that depends on it is shown. */
const LIKELY_WIDTH = 1280;

/** Width of an element, followed as it changes. */
function useWidth(element: { current: HTMLElement | null }) {
  const width = useSignal(isServer ? LIKELY_WIDTH : 0);
  useLayoutEffect(() => {
    const host = element.current;
    if (!host) return;
    width.value = host.clientWidth;
    const observer = new ResizeObserver(() => {
      width.value = host.clientWidth;
    });
    observer.observe(host);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Moments at which something happened that the slices of the summary do not tell. */
function* momentsOf(model: TraceModel): Iterable<number> {
  for (const step of model.steps.value) {
    yield step.ts;
    yield step.ts + step.duration_ms;
  }
  for (const shot of model.shots.value) yield shot.ts;
  for (const move of model.clocks.moves.value) yield move.ts;
}

/** What is drawn narrow: idle time, and on the page's clock its jumps. */
function breaksOf(model: TraceModel): Break[] {
  const summary = model.summary.value;
  const { clocks, range } = model;
  const jumps: Break[] = clocks.isVirtual.value
    ? clocks.moves.value.map(({ ts, byMs }) => ({ kind: "jump", from: ts, to: ts, length: byMs }))
    : [];
  if (!isIdleFolded.value || !summary || summary.first_ts === null || summary.last_ts === null) return jumps;
  const idle = idleStretches({
    range: range.value,
    lanes: Object.values(summary.lanes),
    first: summary.first_ts,
    last: summary.last_ts,
    moments: momentsOf(model),
  });
  return [...jumps, ...idle];
}

/** The timeline in words, for those who do not see it. */
function describe(model: TraceModel, lanes: readonly Lane[], breaks: readonly Break[]): string {
  const summary = model.summary.value;
  const counts = lanes.map((lane) => {
    const count = summary?.lanes[lane]?.reduce((sum, one) => sum + one, 0) ?? 0;
    return `${laneName(lane)} ${count}`;
  });
  const failed = model.failedSteps.value
    .slice(0, 3)
    .map((step) => `${oneLine(step.title, 80)} failed at ${formatOffset(model.elapsed(step.ts))} seconds.`);
  const idle = breaks.filter((one) => one.kind === "idle");
  const folded = idle.length > 0 ? [`Idle time of ${formatDuration(sumOf(idle))} is folded.`] : [];
  return [
    `Events by kind: ${counts.join(", ")}.`,
    ...failed,
    ...folded,
    "The arrows move, plus and minus zoom, I and O set a window.",
  ].join(" ");
}

const sumOf = (breaks: readonly Break[]): number => breaks.reduce((sum, one) => sum + one.length, 0);

/** Goes to the moment of a press; on an event to the event itself, which its list opens if it is shown. */
function pick(model: TraceModel, scale: Scale, contents: readonly LaneContent[], x: number, y: number): void {
  const target = targetAt(contents, scale, x, y);
  const { injection } = timelineState(model);
  const { lane } = target?.content ?? {};
  const row = target?.row ?? -1;
  const mark = lane === "injections" ? model.marks.world.rows.peek()[row] : undefined;
  injection.value = mark && mark.seq !== injection.peek() ? mark.seq : null;
  model.selectTime(mark?.ts ?? scale.ts(x));
  const seq = target?.row == null ? null : target.content.seq(target.row);
  if (lane && seq !== null && LANE_TABS[lane] === model.tab.peek()) model.openEvent(model.tab.peek(), seq);
}

/** Keeps the end of a running trace in view while it is followed. */
function useFollowedEnd(model: TraceModel): void {
  const { zoom } = timelineState(model);
  const end = model.range.value[1];
  const was = useRef(end);
  useEffect(() => {
    const before = was.current;
    was.current = end;
    const part = zoom.peek();
    if (!part || end <= before || !model.isFollowing.peek() || !model.loader.isLive.peek()) return;
    zoom.value = [part[0] + end - before, end];
  }, [end]);
}

/** The whole trace on one strip: pictures, one thin lane per kind, the playhead, and the window that narrows all lists. */
export function Timeline(): JSX.Element {
  const model = useModel();
  const state = timelineState(model);
  const track = useRef<HTMLDivElement>(null);
  const rulerCanvas = useRef<HTMLCanvasElement>(null);
  const laneCanvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(track).value;
  useTimelineAddress(model);
  useFollowedEnd(model);
  const range = model.range.value;
  const folding = useComputed(() => createFolding(...model.range.value, breaksOf(model))).value;
  const [from, to]: Part = state.zoom.value ?? range;
  const scale = useMemo(() => createScale(from, to, width, folding), [from, to, width, folding]);

  const filled = useComputed(() => filledLanes(model, isNarrow.value)).value;
  const contents = useComputed(() =>
    laneContents(
      model,
      filledLanes(model, isNarrow.value).filter((lane) => !hiddenLanes.value.has(lane)),
    ),
  ).value;
  const latest = useRef({ scale, contents });
  latest.current = { scale, contents };
  useGestures({
    track,
    lanes: laneCanvas,
    scaleOf: () => latest.current.scale,
    model,
    state,
    onPick: (x, y) => pick(model, latest.current.scale, latest.current.contents, x, y),
  });
  useTimelineKeys(model, () => latest.current.scale, track);

  const film = filmHeight(useComputed(() => stripsOf(model.shots.value).length).value);
  const theme = shownTheme.value;
  const origin = model.origin.value;
  const isVirtual = model.clocks.isVirtual.value;
  const placed = useMemo(() => placeBreaks(scale), [scale]);
  useEffect(() => {
    const ruler = scale.width > 0 && rulerCanvas.current && prepare(rulerCanvas.current, scale.width, RULER);
    if (!ruler) return;
    const movedBy = (ts: number): number => (isVirtual ? model.clocks.movedBy(ts) : 0);
    const taken = placed.flatMap(({ label }) => (label ? [label] : []));
    drawRuler(ruler, scale, { origin, movedBy, isVirtual }, taken, readPalette());
  }, [scale, placed, origin, isVirtual, theme]);
  useEffect(() => {
    const height = contents.length * LANE;
    const lanes = scale.width > 0 && laneCanvas.current && prepare(laneCanvas.current, scale.width, height);
    if (!lanes) return;
    drawLanes(lanes, contents, scale, readPalette());
  }, [contents, scale, theme]);

  const isClose = state.zoom.value !== null;
  useEffect(() => {
    if (isClose) model.wantExactTimes(true);
  }, [isClose]);
  const isLit = useComputed(() => state.injection.value !== null).value;
  const errors = model.summary.value?.error_count ?? 0;
  return (
    <section class={isLit ? "timeline is-lit" : "timeline"} aria-label="Timeline" data-theme={theme}>
      <Gutter
        filled={filled}
        shown={contents.map(({ lane }) => lane)}
        headHeight={RULER + film}
        laneHeight={LANE}
      />
      <div class="track-column">
        <div
          ref={track}
          class="track"
          role="slider"
          tabIndex={0}
          aria-label={`Position in the trace: ${plural(model.steps.value.length, "step")}, ${plural(errors, "error")}`}
          aria-describedby="timeline-words"
          aria-valuemin={0}
          aria-valuemax={Math.round(range[1] - range[0])}
          aria-valuenow={0}
          onKeyDown={(event) => onTrackKey(event, model, latest.current.scale)}
          onPointerEnter={() => model.wantExactTimes()}
        >
          <canvas ref={rulerCanvas} class="ruler" style={{ height: `${RULER}px` }} />
          <Film scale={scale} />
          <canvas ref={laneCanvas} class="lanes" style={{ height: `${contents.length * LANE}px` }} />
          <Hits scale={scale} contents={contents} lanesTop={RULER + film} />
          <Breaks placed={placed} />
          <Overlay scale={scale} contents={contents} lanesTop={RULER + film} />
          <Needle scale={scale} host={track} />
        </div>
        <Minimap scale={scale} />
        <p id="timeline-words" class="hidden-text">
          {describe(model, filled, folding.breaks)}
        </p>
      </div>
    </section>
  );
}
