import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageSnapshot } from "../../api.ts";
import { External, Picture } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { type Loaded, useLoad } from "../../ui/use-load.ts";
import { useModel } from "../model/model.ts";
import { attach, detach, inspectState, pageUrl, sandboxOf } from "./inspect/state.ts";

const PHASES = ["before", "action", "after"] as const;
type Phase = (typeof PHASES)[number];

const LABELS: Record<Phase, { label: string; title: string }> = {
  before: { label: "Before", title: "The page before the step" },
  action: { label: "Action", title: "The page at the moment of the action, its target outlined" },
  after: { label: "After", title: "The page after the step" },
};
/** What is shown of a step that lacks the wanted phase. */
const NEAREST: Record<Phase, readonly Phase[]> = {
  before: ["before", "action", "after"],
  action: ["action", "after", "before"],
  after: ["after", "action", "before"],
};
const USUAL_VIEWPORT = { width: 1280, height: 720 };

const wanted = signal<Phase>("action");

type Names = Partial<Record<Phase, { name: string; page: string }>>;

/** The names of the main frame's snapshots that a step took, by phase. */
function useNames(): Loaded<Names> {
  const model = useModel();
  const step = model.step.value;
  return useLoad(step && `pages ${step.step_id}`, async (signal) => {
    const query = { step: step?.step_id ?? "", kind: "dom.snapshot", limit: 200 };
    const { events } = await model.source.events(query, signal);
    const names: Names = {};
    for (const { snapshot: name, phase, page, is_main_frame: isMain } of events) {
      const known = PHASES.find((one) => one === phase);
      if (!isMain || !known || typeof name !== "string" || typeof page !== "string") continue;
      // Of a step of several calls: from before the first to after the last.
      if (known !== "before" || !names.before) names[known] = { name, page };
    }
    return names;
  });
}

/** The factor by which a page fits into its room; 0 before it is known. */
function useScale(viewport: { width: number; height: number }) {
  const room = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(0);
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const measure = () =>
      setScale(Math.min(1, element.clientWidth / viewport.width, element.clientHeight / viewport.height));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [viewport.width, viewport.height]);
  return { room, scale };
}

/**
 * The page in a frame of its own that runs nothing. The next page loads behind the present one and takes its place when
 * it is there, so that a step change never flashes.
 */
function Frames({ snapshot }: { snapshot: PageSnapshot }): JSX.Element {
  const model = useModel();
  useEffect(() => () => detach(model), []);
  const [frames, setFrames] = useState<PageSnapshot[]>([snapshot]);
  const [ready, setReady] = useState<string | null>(null);
  useEffect(() => {
    setFrames((before) =>
      [...before.filter(({ html_url }) => html_url !== snapshot.html_url), snapshot].slice(-2),
    );
  }, [snapshot.html_url]);
  const shown = frames.find(({ html_url }) => html_url === ready) ?? frames[0] ?? snapshot;
  const viewport = shown.viewport ?? USUAL_VIEWPORT;
  const { room, scale } = useScale(viewport);
  return (
    <div class="screen-room">
      <div class="page-room" ref={room}>
        <div
          class="screen-frame"
          style={{ width: `${viewport.width * scale}px`, height: `${viewport.height * scale}px` }}
        >
          {frames.map((frame) => {
            const { width, height } = frame.viewport ?? USUAL_VIEWPORT;
            const isShown = frame === shown;
            return (
              <iframe
                key={frame.html_url}
                class={isShown ? "page-frame" : "page-frame is-waiting"}
                title={isShown ? `The page, ${frame.phase ?? "as it was"}` : "The next page"}
                aria-hidden={!isShown}
                sandbox={sandboxOf(frame.html_url)}
                src={frame.html_url}
                style={{ width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` }}
                onLoad={(event) => {
                  setReady(frame.html_url);
                  if (frame.html_url === snapshot.html_url) attach(model, event.currentTarget);
                }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Phases({ names, shown }: { names: Names; shown: Phase }): JSX.Element {
  return (
    <fieldset class="switch" aria-label="Moment of the step">
      {PHASES.map((phase) => (
        <button
          key={phase}
          type="button"
          class="toggle"
          aria-pressed={phase === shown}
          disabled={!names[phase]}
          title={LABELS[phase].title}
          onClick={() => {
            wanted.value = phase;
          }}
        >
          {LABELS[phase].label}
        </button>
      ))}
    </fieldset>
  );
}

/** The recorded page before, during or after the step, rendered by the server without its scripts. */
export function RecordedPage(): JSX.Element {
  const model = useModel();
  const names = useNames();
  const phase = NEAREST[wanted.value].find((one) => names.data?.[one]) ?? null;
  const named = phase && names.data?.[phase];
  const found = useLoad(named ? `${named.page} ${named.name}` : null, (signal) =>
    model.source.snapshot(named?.name ?? "", named?.page ?? "", signal),
  );
  // While the next page is asked for, the present one stays.
  const last = useRef<PageSnapshot | null>(null);
  last.current = found.data ?? last.current;
  const { page } = inspectState(model);
  useEffect(() => {
    if (found.data) page.value = { snapshot: found.data, stepId: model.step.peek()?.step_id ?? null };
  }, [found.data]);
  const error = names.error ?? found.error;
  const isEmpty = names.data !== null && !named;
  if (error || isEmpty) last.current = null;
  return (
    <div class="screen" aria-busy={names.isLoading || found.isLoading}>
      {error ? (
        <Failed error={error} />
      ) : isEmpty ? (
        <Message icon={<Picture />} title="No page was recorded at this step." />
      ) : last.current ? (
        <Frames snapshot={{ ...last.current, html_url: pageUrl(model, last.current) }} />
      ) : (
        <Loading label="The page" />
      )}
      {named && (
        <div class="screen-caption dim">
          <Phases names={names.data ?? {}} shown={phase ?? wanted.value} />
          <span class="ellipsis captured mono">{oneLine(last.current?.url ?? "", 300)}</span>
          {last.current && (
            <a
              href={last.current.html_url}
              target="_blank"
              rel="noopener"
              class="icon-link"
              title="Open the page in a new tab"
            >
              <External label="Open the page in a new tab" />
            </a>
          )}
        </div>
      )}
    </div>
  );
}
