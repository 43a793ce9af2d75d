import type { JSX, TargetedEvent } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Shot } from "../../../server/trace/format/summary.ts";
import { isNarrow } from "../../ui/media.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { filterRows, type RowList } from "../model/row-list.ts";
import { shotAt } from "../model/shots.ts";
import type { Scale } from "./scale.ts";

const SINGLE = 48;
/** Where pages have a strip each, and how many are seen without scrolling. */
const STRIP = 32;
const MOST_STRIPS = 3;
const PAD = 4;

/** The pictures of one page, by time. */
interface Strip {
  page: string | null;
  shots: RowList<Shot>;
}

/** One strip a page, in the order they appear; pictures that name no page share one. */
export function stripsOf(shots: RowList<Shot>): Strip[] {
  const pages = new Set<string | null>();
  for (const shot of shots) pages.add(shot.page ?? null);
  return Array.from(pages, (page) => ({
    page,
    shots: filterRows(shots, (shot) => (shot.page ?? null) === page),
  }));
}

/** Height of all strips together, bounded. */
export function filmHeight(strips: number): number {
  if (strips === 0) return 0;
  if (strips === 1 || isNarrow.value) return SINGLE;
  return Math.min(strips, MOST_STRIPS) * STRIP;
}

/** The picture of a moment as the timeline may show it: in cold storage only the last one is at hand. */
export function shotUrl(model: TraceModel, shot: Shot | null): string | null {
  const isCold = model.detail.value?.tier === "cold";
  if (!shot || (isCold && shot.blob !== model.summary.value?.final_screenshot)) return null;
  return model.source.blobUrl(shot.blob);
}

/** A picture that cannot be had leaves its place empty. */
function hide(event: TargetedEvent<HTMLImageElement>): void {
  event.currentTarget.style.visibility = "hidden";
}

/** What the rest of the first screen has for itself after its first frame. */
const HEAD_START_MS = 100;

/** False until the first screen is out: twenty pictures are more work than everything else on it. */
function useIsPainted(): boolean {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true), HEAD_START_MS);
    });
    return () => {
      cancelAnimationFrame(frame);
      if (timer) clearTimeout(timer);
    };
  }, []);
  return isPainted;
}

interface StripViewProps {
  strip: Strip;
  height: number;
  scale: Scale;
  /** Number of the page; null where it is the only one. */
  number: number | null;
  isPainted: boolean;
}

/** As many pictures side by side as fit, each the page at the moment under its middle. */
function StripView({ strip, height, scale, number, isPainted }: StripViewProps): JSX.Element | null {
  const model = useModel();
  const first = strip.shots.at(0);
  if (!first) return null;
  const ratio =
    first.width > 0 && first.height > 0 ? Math.min(3, Math.max(0.4, first.width / first.height)) : 16 / 9;
  const width = Math.max(24, Math.round((height - PAD) * ratio));
  const count = Math.max(1, Math.floor(scale.width / width));
  const slot = scale.width / count;
  const opened = scale.x(first.ts);
  return (
    <div class="film-strip" data-page={strip.page ?? undefined} style={{ height: `${height}px` }}>
      {number !== null && (
        <span class="film-page" style={{ left: `${Math.max(0, Math.min(scale.width - 48, opened))}px` }}>
          Page {number}
        </span>
      )}
      {Array.from({ length: count }, (_, index) => {
        // A page has no picture before it was opened.
        const isOpen = number === null || (index + 1) * slot >= opened;
        const shot = shotAt(strip.shots, scale.ts((index + 0.5) * slot));
        const url = isOpen ? shotUrl(model, shot) : null;
        return (
          <div key={index} class="film-slot" style={{ width: `${slot}px` }}>
            {url && isPainted && (
              <img
                key={url}
                src={url}
                alt=""
                loading="lazy"
                decoding="async"
                draggable={false}
                onError={hide}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The pages as they looked, a strip each; more than three scroll. */
export function Film({ scale }: { scale: Scale }): JSX.Element | null {
  const model = useModel();
  const shots = model.shots.value;
  const strips = useMemo(() => stripsOf(shots), [shots]);
  const isPainted = useIsPainted();
  if (strips.length === 0 || scale.width < 10) return null;
  // A slim screen has room for one: whatever page was on top.
  const shown = isNarrow.value ? [{ page: null, shots }] : strips;
  const height = filmHeight(strips.length);
  const isLong = shown.length > MOST_STRIPS;
  return (
    <div class={isLong ? "film is-long" : "film"} aria-hidden="true" style={{ height: `${height}px` }}>
      {shown.map((strip, index) => (
        <StripView
          key={strip.page ?? ""}
          strip={strip}
          height={shown.length === 1 ? SINGLE : STRIP}
          scale={scale}
          number={shown.length === 1 ? null : index + 1}
          isPainted={isPainted}
        />
      ))}
    </div>
  );
}
