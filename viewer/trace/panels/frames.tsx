import { useSignal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { formatBytes, formatOffset } from "../../ui/format.ts";
import { ArrowDown, ArrowUp, Search } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { Split } from "../../ui/split.tsx";
import { oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { createFrameRows, type FrameRow } from "../model/frames.ts";
import { useModel } from "../model/model.ts";
import { useEvent } from "../model/use-event.ts";
import { BodyView, BytesBody } from "./body.tsx";

const ROW = 24;
const OPCODES: Record<number, string> = {
  0: "more",
  1: "text",
  2: "binary",
  8: "close",
  9: "ping",
  10: "pong",
};
const DIRECTIONS = [
  ["sent", "Sent"],
  ["received", "Received"],
] as const;

function Line({
  frame,
  isActive,
  onOpen,
  style,
}: {
  frame: FrameRow;
  isActive: boolean;
  onOpen: () => void;
  style: CSSProperties;
}): JSX.Element {
  const model = useModel();
  return (
    <div class={isActive ? "row frame-row is-active" : "row frame-row"} role="listitem" style={style}>
      {frame.isSent ? (
        <ArrowUp class="is-running" label="Sent" />
      ) : (
        <ArrowDown class="is-passed" label="Received" />
      )}
      <button type="button" class="row-link ellipsis captured mono" aria-expanded={isActive} onClick={onOpen}>
        {frame.text === null
          ? `(${OPCODES[frame.opcode] ?? `opcode ${frame.opcode}`})`
          : oneLine(frame.text, 300) || "(empty)"}
      </button>
      <span class="num dim">{formatBytes(frame.size)}</span>
      <span class="num dim">{formatOffset(model.elapsed(frame.ts))}</span>
    </div>
  );
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    // What is no base64 is shown as the text it is.
    return new TextEncoder().encode(base64);
  }
}

function Frame({ seq }: { seq: number }): JSX.Element {
  const model = useModel();
  const { data: event, error, isLoading } = useEvent(model, seq);
  const bytes = useMemo(() => (typeof event?.base64 === "string" ? bytesOf(event.base64) : null), [event]);
  if (error) return <Failed error={error} />;
  if (isLoading || !event) return <Loading />;
  const note = event.is_cut === true && <p class="notice dim">Only its beginning was kept.</p>;
  const body =
    typeof event.blob === "string" ? event.blob : typeof event.text === "string" ? event.text : null;
  return (
    <div class="panel-column">
      {note}
      {bytes ? (
        <BytesBody
          bytes={bytes}
          total={event.is_cut === true ? null : bytes.length}
          mediaType=""
          label="Message"
        />
      ) : body ? (
        <BodyView body={body} mediaType="" label="Message" />
      ) : (
        <Message title="The message is empty." />
      )}
    </div>
  );
}

/** What was said over a WebSocket, message by message. `shown` is the number of the message to open first. */
export function Frames({ requestId, shown }: { requestId: string; shown: number | null }): JSX.Element {
  const model = useModel();
  const rows = useMemo(() => createFrameRows(model.source, requestId), [model, requestId]);
  const words = useSignal("");
  const direction = useSignal("");
  const open = useSignal<number | null>(shown);
  useEffect(() => {
    rows.ensure();
    return () => rows.dispose();
  }, [rows]);
  const all = rows.rows.value;
  const typed = words.value.trim().toLowerCase();
  const frames = useMemo(
    () =>
      all.filter(
        (frame) =>
          (direction.value === "" || frame.isSent === (direction.value === "sent")) &&
          (typed === "" || (frame.text ?? "").toLowerCase().includes(typed)),
      ),
    [all, typed, direction.value],
  );
  if (rows.state.value === "error") return <Failed error={rows.error.value} retry={rows.ensure} />;
  const list = (): JSX.Element => {
    if (frames.length === 0 && rows.state.value !== "ready") return <Loading label="Loading messages" />;
    if (frames.length === 0)
      return <Message title={all.length > 0 ? "No message matches." : "No messages were recorded."} />;
    return (
      <VirtualList
        label="Messages"
        count={frames.length}
        rowHeight={ROW}
        active={frames.findIndex((frame) => frame.seq === open.value)}
        row={(index, style) => {
          const frame = frames[index];
          if (!frame) return null;
          const isActive = frame.seq === open.value;
          return (
            <Line
              key={frame.seq}
              frame={frame}
              isActive={isActive}
              style={style}
              onOpen={() => {
                open.value = isActive ? null : frame.seq;
              }}
            />
          );
        }}
      />
    );
  };
  return (
    <div class="panel-column">
      <div class="subbar find-bar">
        <Search />
        <input
          class="bare-input"
          type="search"
          aria-label="Filter messages"
          placeholder="Filter"
          value={words.value}
          spellcheck={false}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
        {DIRECTIONS.map(([id, title]) => (
          <button
            key={id}
            type="button"
            class="toggle"
            aria-pressed={direction.value === id}
            onClick={() => {
              direction.value = direction.value === id ? "" : id;
            }}
          >
            {title}
          </button>
        ))}
        <span class="dim num" role="status">
          {frames.length} of {all.length}
        </span>
      </div>
      {open.value === null ? (
        list()
      ) : (
        <Split
          id="frame"
          label="Height of the message"
          direction="column"
          fixed="end"
          initial={140}
          min={60}
          rest={60}
          start={list()}
          end={<Frame key={open.value} seq={open.value} />}
        />
      )}
    </div>
  );
}
