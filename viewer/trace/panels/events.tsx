import { signal, useSignal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { isErrorEvent, type TraceEvent } from "../../../server/trace/format/event.ts";
import type { EventQuery } from "../../api/answers.ts";
import { formatCount, formatOffset } from "../../ui/format.ts";
import { CrossCircle, Search } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { CopyButton } from "../../ui/parts.tsx";
import { oneLine } from "../../ui/text.ts";
import { TextView } from "../../ui/text-view.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { type TraceModel, useModel } from "../model/model.ts";
import { createPagedEvents, offsetAt, type PagedEvents } from "../model/paged.ts";
import { perModel } from "../model/scope.ts";
import { useEvent } from "../model/use-event.ts";
import { Detail, ListWithDetail } from "./detail.tsx";
import { StepToggle } from "./step-toggle.tsx";

const ROW = 24;
const TYPING_MS = 250;
const MAX_PREVIEW = 300;

const panelState = perModel(() => ({ words: signal(""), kind: signal(""), isStepOnly: signal(false) }));

/** The fields that belong to the kind, in one line. */
function preview(event: TraceEvent): string {
  const { seq: _seq, ts: _ts, kind: _kind, step_id: _step, ...rest } = event;
  const parts: string[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(rest)) {
    const text =
      typeof value === "string"
        ? value.slice(0, MAX_PREVIEW)
        : (JSON.stringify(value) ?? "").slice(0, MAX_PREVIEW);
    parts.push(`${name}: ${text}`);
    length += text.length;
    if (length > MAX_PREVIEW) break;
  }
  return oneLine(parts.join("  "), MAX_PREVIEW);
}

function KindPicker({ model, kind }: { model: TraceModel; kind: { value: string } }): JSX.Element {
  const counts = Object.entries(model.summary.value?.counts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <select
      class="select"
      aria-label="Kind"
      value={kind.value}
      onChange={(event) => {
        kind.value = event.currentTarget.value;
      }}
    >
      <option value="">All kinds</option>
      {counts.map(([name, count]) => (
        <option key={name} value={name}>
          {oneLine(name, 60)} ({formatCount(count)})
        </option>
      ))}
    </select>
  );
}

function EventRow({
  event,
  isActive,
  style,
}: {
  event: TraceEvent | null;
  isActive: boolean;
  style: CSSProperties;
}): JSX.Element {
  const model = useModel();
  if (!event) return <div class="row event-row is-pending" role="listitem" style={style} aria-busy="true" />;
  const bad = isErrorEvent(event);
  return (
    <div
      class={`row event-row${isActive ? " is-active" : ""}${bad ? " is-bad" : ""}`}
      role="listitem"
      style={style}
    >
      <span class="num dim">{event.seq}</span>
      <span class="num dim">{formatOffset(model.elapsed(event.ts))}</span>
      <span class={bad ? "ellipsis mono is-failed captured" : "ellipsis mono captured"}>
        {bad && <CrossCircle label="Error" />}
        {oneLine(event.kind, 60)}
      </span>
      <button
        type="button"
        class="row-link ellipsis mono dim captured"
        aria-expanded={isActive}
        onClick={() => model.openEvent("events", isActive ? null : event.seq)}
      >
        {preview(event) || "{}"}
      </button>
    </div>
  );
}

interface EventListProps {
  list: PagedEvents;
  /** Rows shown: from this position up to the other, which is excluded. */
  from: number;
  to: number;
}

function EventList({ list, from, to }: EventListProps): JSX.Element {
  const model = useModel();
  void list.version.value;
  const selected = model.eventSeq.value;
  return (
    <VirtualList
      label="Events"
      count={Math.max(0, to - from)}
      rowHeight={ROW}
      onRange={(first, last) => list.want(from + first, from + last)}
      row={(index, style) => {
        const event = list.get(from + index);
        return (
          <EventRow
            key={index}
            event={event}
            isActive={event !== null && event.seq === selected}
            style={style}
          />
        );
      }}
    />
  );
}

function EventDetail({ seq }: { seq: number }): JSX.Element {
  const model = useModel();
  const { data: event, error, isLoading } = useEvent(model, seq);
  if (error) return <Failed error={error} />;
  if (isLoading) return <Loading />;
  const text = event ? JSON.stringify(event, null, 2) : "";
  return (
    <Detail
      tab="events"
      head={
        <>
          <span class="detail-title ellipsis mono">
            {seq} {oneLine(event?.kind ?? "", 60)}
          </span>
          {event && (
            <button type="button" class="link-button" onClick={() => model.selectTime(event.ts)}>
              Go to its time
            </button>
          )}
          <CopyButton text={text} what="Event" />
        </>
      }
    >
      {event ? (
        <TextView text={text} label="Event" />
      ) : (
        <Message title="The trace has no event of this number." />
      )}
    </Detail>
  );
}

/** The events as they were recorded, page by page. */
export function EventsPanel(): JSX.Element {
  const model = useModel();
  const state = panelState(model);
  const typed = useSignal(state.words.value);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const step = state.isStepOnly.value ? (model.step.value?.step_id ?? "") : "";
  const key = [state.kind.value, state.words.value, step].join("\u0000");
  const query = useMemo<EventQuery>(() => ({ kind: state.kind.value, q: state.words.value, step }), [key]);
  const list = useMemo(() => createPagedEvents(model.source, query), [model, query]);
  useEffect(() => () => list.dispose(), [list]);
  // What comes while it is read is put below: the reader stays where they are.
  const count = model.summary.value?.event_count ?? 0;
  const counted = useRef(count);
  useEffect(() => {
    if (count !== counted.current) list.grow();
    counted.current = count;
  }, [list, count]);

  const total = list.total.value;
  const span = model.window.value;
  const bounds = useLoad(
    span && total ? `${key} ${span.join("~")}` : null,
    async (signal) => {
      if (!span || !total) return { from: 0, to: 0 };
      const from = await offsetAt(model.source, query, total, span[0], signal);
      return { from, to: await offsetAt(model.source, query, total, span[1] + 1, signal) };
    },
    total ?? 0,
  );
  const from = span ? (bounds.data?.from ?? 0) : 0;
  const to = span ? (bounds.data?.to ?? 0) : (total ?? 0);
  const selected = model.eventSeq.value;

  const body = (): JSX.Element => {
    const error = list.error.value ?? bounds.error;
    if (error) return <Failed error={error} />;
    if (total === null || bounds.isLoading) return <Loading label="Loading events" />;
    if (to <= from) return <Message title="No event matches." />;
    return <EventList list={list} from={from} to={to} />;
  };
  return (
    <div class="panel-column">
      <div class="toolbar">
        <Search />
        <input
          class="bare-input"
          type="search"
          aria-label="Text in the event"
          placeholder="Text in the event (exact case)"
          value={typed.value}
          spellcheck={false}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            if (timer.current) clearTimeout(timer.current);
            timer.current = setTimeout(() => {
              state.words.value = typed.value;
            }, TYPING_MS);
          }}
        />
        <KindPicker model={model} kind={state.kind} />
        <StepToggle isOn={state.isStepOnly} />
        <span class="dim num" role="status">
          {total === null ? "" : formatCount(to - from)}
        </span>
      </div>
      <ListWithDetail
        id="events"
        label="Height of the event"
        initial={280}
        list={body()}
        detail={selected !== null ? <EventDetail key={selected} seq={selected} /> : null}
      />
    </div>
  );
}
