import type { JSX } from "preact";
import { formatCount, formatDuration, formatMoment, formatOffset, plural } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { filterRows } from "../model/row-list.ts";
import { shotAt } from "../model/shots.ts";
import { stepAt } from "../model/steps.ts";
import { LANE, type LaneContent } from "./draw.ts";
import { shotUrl } from "./film.tsx";
import { tieOf } from "./injections.ts";
import { countBetween, spanAt } from "./lane-index.ts";
import { laneName } from "./lanes.ts";
import type { Scale } from "./scale.ts";
import type { Hover } from "./state.ts";

const PREVIEW = 320;
/** Over the pictures they are the thing looked for. */
const LARGE_PREVIEW = 400;
const SLACK = 4;

/** What lies under the pointer on a lane. */
export interface Target {
  content: LaneContent;
  /** The row of its list; null where only numbers are known. */
  row: number | null;
  /** How many events lie there. */
  count: number;
}

/** Finds the event under a point: what went wrong before what did not. */
export function targetAt(
  contents: readonly LaneContent[],
  scale: Scale,
  x: number,
  y: number,
): Target | null {
  const content = y < 0 ? undefined : contents[Math.floor(y / LANE)];
  if (!content) return null;
  const ts = scale.ts(x);
  const { spans, buckets, first, last } = content;
  if (!spans) {
    const slice = Math.max(1, last - first) / buckets.length;
    const count = buckets[Math.min(buckets.length - 1, Math.floor((ts - first) / slice))] ?? 0;
    return count > 0 ? { content, row: null, count } : null;
  }
  const slack = SLACK * scale.perPixel;
  const [from, to] = [scale.ts(x - SLACK), scale.ts(x + SLACK)];
  const count = countBetween(spans.good, from, to) + countBetween(spans.bad, from, to);
  for (const index of [spans.bad, spans.good]) {
    const at = spanAt(index, ts, slack);
    if (at >= 0) return { content, row: index.row(at), count };
  }
  return null;
}

function TargetLine({ target }: { target: Target }): JSX.Element {
  const { content, row, count } = target;
  return (
    <p class="preview-item">
      <span class="lane-chip" style={{ background: `var(--lane-${content.lane})` }} />
      <span class="captured">
        {row === null ? `${formatCount(count)} in ${laneName(content.lane)}` : content.tell(row)}
        {row !== null && count > 1 && <span class="dim"> and {formatCount(count - 1)} more</span>}
      </span>
    </p>
  );
}

/** What an injected fault led to, in words. */
export function tieWords(model: TraceModel, row: number): string | null {
  const mark = model.marks.world.rows.value[row];
  const tie = mark ? tieOf(model, mark) : null;
  if (!tie) return null;
  const hit = plural(tie.requests.length, "request");
  const errors = plural(tie.errors.length, "error");
  return `Hit ${hit}; ${errors} after it.`;
}

function Time({ name, elapsed, at }: { name: string | null; elapsed: number; at: number }): JSX.Element {
  return (
    <p class="preview-time num">
      {name && <span class="dim">{name}</span>}
      <span>{formatOffset(elapsed)} s</span>
      <span class="preview-wall dim">{formatMoment(at)}</span>
    </p>
  );
}

/** A moment since the beginning and by the time of day; on both clocks once they differ, the chosen one first. */
function Times({ ts }: { ts: number }): JSX.Element {
  const { clocks, origin } = useModel();
  const moved = clocks.movedBy(ts);
  const elapsed = ts - origin.value;
  if (moved === 0) return <Time name={null} elapsed={elapsed} at={ts} />;
  const wall = <Time name="wall" elapsed={elapsed} at={ts} />;
  const page = <Time name="page" elapsed={elapsed + moved} at={ts + moved} />;
  return clocks.isVirtual.value ? (
    <>
      {page}
      {wall}
    </>
  ) : (
    <>
      {wall}
      {page}
    </>
  );
}

interface HoverPreviewProps {
  hover: Hover;
  scale: Scale;
  contents: readonly LaneContent[];
}

/** What lies under the pointer: the page, the event, the step, the time. */
export function HoverPreview({ hover, scale, contents }: HoverPreviewProps): JSX.Element {
  const model = useModel();
  const { ts } = hover;
  const shots = model.shots.value;
  const own = hover.page === null ? shots : filterRows(shots, (shot) => shot.page === hover.page);
  const url = shotUrl(model, shotAt(own, ts));
  const step = stepAt(model.steps.value, ts);
  const target = targetAt(contents, scale, hover.x, hover.y);
  const tie = target?.content.lane === "injections" && target.row !== null && tieWords(model, target.row);
  const idle = scale.folding.breaks.find((one) => one.kind === "idle" && ts > one.from && ts < one.to);
  const width = Math.min(scale.width, hover.y < 0 ? LARGE_PREVIEW : PREVIEW);
  const left = Math.max(0, Math.min(scale.width - width, hover.x - width / 2));
  return (
    <>
      <div class="hover-line" style={{ transform: `translateX(${hover.x}px)` }} />
      <div class="film-preview" style={{ left: `${left}px`, width: `${width}px` }}>
        {url && <img src={url} alt="" />}
        {target && <TargetLine target={target} />}
        {tie && <p class="dim">{tie}</p>}
        {idle && <p>Nothing recorded for {formatDuration(idle.length)}</p>}
        {step && <p class="ellipsis captured">{oneLine(step.title, 120)}</p>}
        <Times ts={ts} />
      </div>
    </>
  );
}
