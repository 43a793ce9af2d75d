import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffSide } from "../../../server/trace/format/diff/types.ts";
import type { Summary } from "../../../server/trace/format/summary.ts";
import type { PageSnapshot } from "../../api/answers.ts";
import { eventsBetween, memberTrace, type TraceSource } from "../../api/trace-source.ts";
import { createShotRows, shotAt } from "../../trace/model/shots.ts";
import { formatDuration } from "../../ui/format.ts";
import { External, Picture } from "../../ui/icons.tsx";
import { ImageDiff } from "../../ui/image-diff.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { recall, remember } from "../../ui/storage.ts";
import { useLoad } from "../../ui/use-load.ts";

/** A picture this much later than a step's end still shows what the step did. */
const SETTLE_MS = 60;
const USUAL_VIEWPORT = { width: 1280, height: 720 };
const PHASES = ["after", "action", "before"];

type View = "screenshot" | "page";
const shown = signal<View>(recall("compare.view") === "page" ? "page" : "screenshot");

export interface Recorded {
  source: TraceSource;
  summary: Summary | null;
}

/** What is known of a trace's pictures. */
export function useRecorded(id: string, version: string): Recorded {
  const source = useMemo(() => memberTrace(id), [id]);
  const { data } = useLoad(`${id} ${version}`, (until) => source.summary(until));
  return { source, summary: data };
}

/** The picture of a moment: of the summary's film strip, or of all pictures where it has not got them all. */
function useShot({ source, summary }: Recorded, at: number | null): string | null {
  const rows = useMemo(() => createShotRows(source), [source]);
  const isPartial = summary !== null && (summary.counts.screenshot ?? 0) > summary.filmstrip.length;
  useEffect(() => {
    if (isPartial) rows.ensure();
  }, [isPartial]);
  useEffect(() => () => rows.dispose(), [rows]);
  if (!summary || at === null) return null;
  const shots = rows.rows.value.length > summary.filmstrip.length ? rows.rows.value : summary.filmstrip;
  const shot = shotAt(shots, at + SETTLE_MS);
  return shot && source.blobUrl(shot.blob);
}

/** Epoch ms of what a side shows; a step is shown as it ended. */
function momentOf(side: DiffSide | undefined): number | null {
  if (side?.ts === undefined) return null;
  return side.ts + (typeof side.duration_ms === "number" ? side.duration_ms : 0);
}

/** The recorded page of a step, as it was left. */
function usePage({ source }: Recorded, side: DiffSide | undefined) {
  const step = typeof side?.step_id === "string" ? side.step_id : null;
  return useLoad<PageSnapshot | null>(step && `${source.id} ${step}`, async (until) => {
    const query = { step: step ?? "", kind: "dom.snapshot" };
    const { events } = await eventsBetween(source, query, { offset: 0, limit: 200 }, until);
    const own = events.filter((event) => event.is_main_frame !== false);
    for (const phase of PHASES) {
      const event = own.findLast((one) => one.phase === phase);
      if (typeof event?.snapshot === "string" && typeof event.page === "string")
        return source.snapshot(event.snapshot, event.page, until);
    }
    return null;
  });
}

/** A recorded page in a frame that runs nothing, made to fit the room's width. */
function PageFrame({ page, label }: { page: PageSnapshot; label: string }): JSX.Element {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const viewport = page.viewport ?? USUAL_VIEWPORT;
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  const scale = Math.min(1, width / viewport.width);
  return (
    <div ref={room} class="compare-page-room" style={{ height: `${viewport.height * scale}px` }}>
      <iframe
        class="page-frame"
        title={`The page, ${label}`}
        sandbox=""
        src={page.html_url}
        style={{
          width: `${viewport.width}px`,
          height: `${viewport.height}px`,
          transform: `scale(${scale})`,
        }}
      />
    </div>
  );
}

function PageSide({
  recorded,
  side,
  label,
}: {
  recorded: Recorded;
  side: DiffSide | undefined;
  label: string;
}): JSX.Element {
  const { data, error, isLoading } = usePage(recorded, side);
  return (
    <figure class="shot-figure compare-shot">
      <figcaption class="dim">
        {label}
        {data && (
          <a href={data.html_url} target="_blank" rel="noopener" title="Open the page in a new tab">
            <External label={`Open the page of ${label} in a new tab`} />
          </a>
        )}
      </figcaption>
      {error ? (
        <Failed error={error} />
      ) : isLoading ? (
        <Loading label="The page" />
      ) : data ? (
        <PageFrame key={data.html_url} page={data} label={label} />
      ) : (
        <Message icon={<Picture />} title="No page was recorded at this step." />
      )}
    </figure>
  );
}

function Screenshots({ a, b, left, right }: MomentProps): JSX.Element {
  const [one, other] = [useShot(left, momentOf(a)), useShot(right, momentOf(b))];
  if (one && other) {
    return <ImageDiff left={one} right={other} labels={{ left: "A", right: "B" }} initial="both" />;
  }
  const label = one ? "A" : "B";
  const alone = one ?? other;
  if (!alone) return <Message icon={<Picture />} title="No screenshot was recorded." />;
  return (
    <div class="shot-room">
      <figure class="shot-figure">
        <figcaption class="dim">{a && b ? `Only ${label} has a screenshot` : label}</figcaption>
        <img class="shot" src={alone} alt={`The page in ${label}`} />
      </figure>
    </div>
  );
}

interface MomentProps {
  a: DiffSide | undefined;
  b: DiffSide | undefined;
  left: Recorded;
  right: Recorded;
}

const VIEWS: { id: View; label: string }[] = [
  { id: "screenshot", label: "Screenshots" },
  { id: "page", label: "Pages" },
];

export function toggleView(): void {
  shown.value = shown.peek() === "page" ? "screenshot" : "page";
  remember("compare.view", shown.peek());
}

/** Both pages at the moment of an item: their pictures compared, or the pages themselves. */
export function Moment(props: MomentProps): JSX.Element {
  const { a, b, left, right } = props;
  const hasPages = [left, right].some(({ summary }) => (summary?.counts["dom.snapshot"] ?? 0) > 0);
  const view = hasPages ? shown.value : "screenshot";
  const gap =
    a && b && typeof a.duration_ms === "number" && typeof b.duration_ms === "number"
      ? `A took ${formatDuration(a.duration_ms)}, B ${formatDuration(b.duration_ms)}`
      : "";
  return (
    <section class="compare-moment" aria-label="The page at this moment">
      <div class="toolbar">
        <h2>The page then</h2>
        <span class="dim ellipsis">{gap}</span>
        <span class="bar-space" />
        {hasPages && (
          <fieldset class="switch" aria-label="Shown of the page">
            {VIEWS.map(({ id, label }) => (
              <button
                key={id}
                type="button"
                class="toggle"
                aria-pressed={view === id}
                title={`${label} ( v )`}
                onClick={() => {
                  if (view !== id) toggleView();
                }}
              >
                {label}
              </button>
            ))}
          </fieldset>
        )}
      </div>
      {view === "page" ? (
        <div class="compare-pages">
          {a && <PageSide recorded={left} side={a} label="A" />}
          {b && <PageSide recorded={right} side={b} label="B" />}
        </div>
      ) : (
        <Screenshots {...props} />
      )}
    </section>
  );
}
