import { useComputed, useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { formatDuration, formatOffset, formatWall, plural } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { oneLine } from "../../ui/text.ts";
import { shownTheme } from "../../ui/theme.ts";
import { drawLaneHits, drawRulerHits } from "../find/draw-hits.ts";
import { findState } from "../find/state.ts";
import { useModel } from "../model/model.ts";
import { shotAt } from "../model/shots.ts";
import { stepAt } from "../model/steps.ts";
import { drawLanes, drawRuler, LANE, prepare, RULER, readPalette } from "./draw.ts";
import { FILM, Film } from "./film.tsx";
import { createGestures, type Gestures, useGestures } from "./gestures.ts";
import { laneContents, laneName } from "./lanes.ts";
import { createScale, type Scale } from "./scale.ts";

const PREVIEW = 280;

/** What lay under the pointer: the page, the step, the time. */
function HoverPreview({ ts, scale }: { ts: number; scale: Scale }): JSX.Element {
  const model = useModel();
  const shot = shotAt(model.shots.value, ts);
  const url = shot ? model.source.blobUrl(shot.blob) : null;
  const step = stepAt(model.steps.value, ts);
  const x = scale.x(ts);
  const left = Math.max(0, Math.min(scale.width - PREVIEW, x - PREVIEW / 2));
  return (
    <>
      <div class="hover-line" style={{ transform: `translateX(${x}px)` }} />
      <div class="film-preview" style={{ left: `${left}px`, width: `${PREVIEW}px` }}>
        {url && model.detail.value?.tier !== "cold" && <img src={url} alt="" />}
        <p class="ellipsis captured">{step ? oneLine(step.title, 120) : ""}</p>
        <p class="dim num" title={formatWall(ts)}>
          {formatOffset(ts - model.origin.value)} s
        </p>
      </div>
    </>
  );
}

function Curtain({
  span,
  scale,
  isDraft,
}: {
  span: readonly [number, number];
  scale: Scale;
  isDraft: boolean;
}): JSX.Element {
  const left = Math.max(0, scale.x(span[0]));
  const right = Math.min(scale.width, scale.x(span[1]));
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

function Overlay({ gestures, scale }: { gestures: Gestures; scale: Scale }): JSX.Element {
  const model = useModel();
  const span = gestures.draft.value ?? model.window.value;
  const hover = gestures.hover.value;
  const step = model.step.value;
  const lanesTop = RULER + (model.shots.value.length > 0 ? FILM : 0);
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
      {span && <Curtain span={span} scale={scale} isDraft={gestures.draft.value !== null} />}
      <div class="playhead" style={{ transform: `translateX(${scale.x(model.playhead.value)}px)` }} />
      {hover !== null && <HoverPreview ts={hover} scale={scale} />}
    </>
  );
}

/** Width of an element, followed as it changes. */
function useWidth(element: { current: HTMLElement | null }) {
  const width = useSignal(0);
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

/** The whole trace on one strip: pictures, one thin lane per kind, the playhead, and the window that narrows all lists. */
export function Timeline(): JSX.Element {
  const model = useModel();
  const track = useRef<HTMLDivElement>(null);
  const rulerCanvas = useRef<HTMLCanvasElement>(null);
  const laneCanvas = useRef<HTMLCanvasElement>(null);
  const gestures = useMemo(createGestures, []);
  const width = useWidth(track);
  const [from, to] = gestures.zoom.value ?? model.range.value;
  const scale = createScale(from, to, width.value);
  const latest = useRef(scale);
  latest.current = scale;
  useGestures(track, () => latest.current, model, gestures);

  const contents = useComputed(() => laneContents(model, isNarrow.value)).value;
  const hasFilm = model.shots.value.length > 0;
  const theme = shownTheme.value;
  const origin = model.origin.value;
  const hits = findState(model).hits.value;
  useEffect(() => {
    if (scale.width < 1) return;
    const palette = readPalette();
    const ruler = rulerCanvas.current && prepare(rulerCanvas.current, scale.width, RULER);
    if (ruler) {
      drawRuler(ruler, scale, origin, palette);
      drawRulerHits(ruler, hits, scale, palette.hit);
    }
    const lanes = laneCanvas.current && prepare(laneCanvas.current, scale.width, contents.length * LANE);
    if (lanes) {
      drawLanes(lanes, contents, scale, palette);
      drawLaneHits(lanes, contents, hits, scale, palette.hit);
    }
  }, [contents, scale.from, scale.to, scale.width, origin, theme, hits]);

  const isZoomed = gestures.zoom.value !== null;
  useEffect(() => {
    if (isZoomed) model.wantExactTimes();
  }, [isZoomed]);
  const [first, last] = model.range.value;
  const position = model.playhead.value - first;
  const moveBy = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const sign = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (sign === 0) return;
    event.preventDefault();
    model.selectTime(model.playhead.peek() + sign * (last - first) * (event.shiftKey ? 0.05 : 0.01));
  };
  const errors = model.summary.value?.error_count ?? 0;
  const span = model.window.value;
  return (
    <section class="timeline" aria-label="Timeline" data-theme={theme}>
      <div class="gutter">
        <div class="gutter-head" style={{ height: `${RULER + (hasFilm ? FILM : 0)}px` }}>
          {span || gestures.zoom.value ? (
            <button
              type="button"
              class="link-button"
              title="Show the whole trace again ( Esc )"
              onClick={() => {
                model.setWindow(null);
                gestures.zoom.value = null;
              }}
            >
              {span ? formatDuration(span[1] - span[0]) : "Zoomed"} ×
            </button>
          ) : (
            <span class="dim num">{formatDuration(last - first)}</span>
          )}
        </div>
        {contents.map(({ lane }) => (
          <div key={lane} class="lane-name" style={{ height: `${LANE}px` }}>
            {laneName(lane)}
          </div>
        ))}
      </div>
      <div
        ref={track}
        class="track"
        role="slider"
        tabIndex={0}
        aria-label={`Position in the trace: ${plural(model.steps.value.length, "step")}, ${plural(errors, "error")}`}
        aria-valuemin={0}
        aria-valuemax={Math.round(last - first)}
        aria-valuenow={Math.round(position)}
        aria-valuetext={`${formatOffset(position)} seconds`}
        onKeyDown={moveBy}
      >
        <canvas ref={rulerCanvas} class="ruler" />
        {hasFilm && <Film scale={scale} />}
        <canvas ref={laneCanvas} class="lanes" />
        <Overlay gestures={gestures} scale={scale} />
      </div>
    </section>
  );
}
