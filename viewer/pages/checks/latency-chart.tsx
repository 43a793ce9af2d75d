import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Figures, Point } from "../../../server/watch/availability/model.ts";
import { formatDuration, formatWall } from "../../ui/format.ts";

const HEIGHT = 120;
const LINES = [
  { key: "p99_ms", word: "p99" },
  { key: "p95_ms", word: "p95" },
  { key: "p50_ms", word: "p50" },
] as const;
type Key = (typeof LINES)[number]["key"];

/** A round number at or above: the scale ends there. */
export function topOf(most: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 2.5, 5, 10].map((times) => times * step).find((top) => top >= most)!;
}

/** A line over the points, broken where nothing passed; a point without neighbours is a dash. */
export function pathOf(points: readonly Pick<Point, Key>[], key: Key, top: number): string {
  const y = (ms: number) => (HEIGHT - (ms / top) * HEIGHT).toFixed(1);
  return points
    .map((point, at) => {
      const value = point[key];
      if (value === null) return "";
      const begins = at === 0 || points[at - 1]![key] === null;
      const ends = at === points.length - 1 || points[at + 1]![key] === null;
      if (begins && ends) return `M${at + 0.1} ${y(value)}h0.8`;
      return `${begins ? "M" : "L"}${at + 0.5} ${y(value)}`;
    })
    .join("");
}

const words = (point: Point): string => {
  const told = LINES.toReversed().map(({ key, word }) =>
    point[key] === null ? null : `${word} ${formatDuration(point[key])}`,
  );
  const runs = `${point.passed} passed`;
  return `${formatWall(point.at)}: ${point.p50_ms === null ? "no run passed" : `${told.join(", ")}; ${runs}`}`;
};

/** p50, p95 and p99 over time. Arrow keys walk through the points, as the pointer does; what each is stands below. */
export function LatencyChart({ figures }: { figures: Figures & { points: Point[] } }): JSX.Element {
  const { points } = figures;
  const at = useSignal<number | null>(null);
  const most = Math.max(0, ...points.map(({ p99_ms }) => p99_ms ?? 0));
  if (most === 0) return <p class="dim latency-empty">No run has passed in this time.</p>;
  const top = topOf(most);
  const last = points.length - 1;
  const shown = at.value === null ? null : Math.min(at.value, last);
  const go = (to: number): void => {
    at.value = Math.max(0, Math.min(last, to));
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => go((shown ?? last + 1) - 1),
    ArrowRight: () => go((shown ?? -1) + 1),
    Home: () => go(0),
    End: () => go(last),
  };
  return (
    <div class="latency">
      <div class="latency-scale num dim" aria-hidden="true">
        <span>{formatDuration(top)}</span>
        <span>{formatDuration(top / 2)}</span>
        <span>0</span>
      </div>
      <div
        class="latency-plot"
        role="slider"
        tabIndex={0}
        aria-label="How long passed runs took"
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown ?? last}
        aria-valuetext={words(points[shown ?? last]!)}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (!act) return;
          event.preventDefault();
          act();
        }}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          go(Math.floor(((clientX - left) / width) * points.length));
        }}
        onPointerLeave={() => {
          at.value = null;
        }}
      >
        <svg viewBox={`0 0 ${points.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {[0, HEIGHT / 2, HEIGHT].map((y) => (
            <line key={y} class="latency-grid" x1={0} x2={points.length} y1={y} y2={y} />
          ))}
          {shown !== null && <rect class="latency-cursor" x={shown} y={0} width={1} height={HEIGHT} />}
          {LINES.map(({ key, word }) => (
            <path key={key} class={`latency-line is-${word}`} d={pathOf(points, key, top)} />
          ))}
        </svg>
      </div>
      <div class="latency-ends dim" aria-hidden="true">
        <span>{formatWall(points[0]!.at)}</span>
        <span>now</span>
      </div>
      <p class="latency-words">
        {LINES.toReversed().map(({ key, word }) => (
          <span key={key} class="availability-sign">
            <svg class="latency-sign" width="20" height="8" aria-hidden="true">
              <path class={`latency-line is-${word}`} d="M0 4h20" />
            </svg>
            {word} <span class="num">{figures[key] === null ? "–" : formatDuration(figures[key])}</span>
          </span>
        ))}
      </p>
      {/* It keeps its room: what lies below stays where it is while the pointer goes there. */}
      <p class={`latency-words is-point ${shown === null ? "dim" : "num"}`}>
        {shown === null ? "Pointer or arrow keys tell of each part." : words(points[shown]!)}
      </p>
    </div>
  );
}
