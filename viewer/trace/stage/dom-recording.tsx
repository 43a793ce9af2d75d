import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RecordingIndex, ShownPage } from "../../player/messages.ts";
import { formatBytes, formatOffset } from "../../ui/format.ts";
import { Picture } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { type TraceModel, useModel } from "../model/model.ts";
import type { Span } from "../model/playback.ts";
import { ClickPoint } from "./click-point.tsx";
import { USUAL_VIEWPORT, useScale } from "./frame.ts";
import { LaidOver } from "./overlay.tsx";
import { connectPlayer, MOST_BYTES, type Player } from "./player.ts";

/** Spans without a change in the recording that is shown. */
export const recordingIdle = signal<readonly Span[]>([]);

interface Heard {
  index: RecordingIndex | null;
  shown: ShownPage | null;
  error: unknown;
  /** There is more of it than a tab can hold. */
  isTooLong: boolean;
}

/** The player of a trace's recording in its frame, following the playhead. */
function usePlayer(model: TraceModel) {
  const player = useRef<Player | null>(null);
  const [heard, setHeard] = useState<Heard>({ index: null, shown: null, error: null, isTooLong: false });
  const ts = model.playhead.value;
  const latest = useRef(ts);
  latest.current = ts;
  useEffect(() => player.current?.show(ts), [ts]);
  useEffect(
    () => () => {
      player.current?.close();
      recordingIdle.value = [];
    },
    [],
  );
  return {
    heard,
    /** To be called when the frame has loaded. */
    meet(frame: HTMLIFrameElement): void {
      player.current?.close();
      player.current = connectPlayer(frame, model.source.recordingUrl ?? "", {
        index(index) {
          recordingIdle.value = index.idle;
          setHeard((before) => ({ ...before, index }));
        },
        shown: (shown) => setHeard((before) => ({ ...before, shown })),
        tooLong: () => setHeard((before) => ({ ...before, isTooLong: true })),
        failed: (error) => setHeard((before) => ({ ...before, error })),
      });
      player.current.show(latest.current);
    },
  };
}

/** What stands in the way of playing a recording, or lessens it. */
function Notice({ heard }: { heard: Heard }): JSX.Element | null {
  const model = useModel();
  const { index, shown, error } = heard;
  if (error) return <Failed error={error} />;
  if (!index) return <Loading label="The recording" />;
  const { shownFrom, isComplete, last } = index;
  if (shownFrom === null) {
    if (!isComplete) return <Loading label="The recording" />;
    const title =
      index.first === null
        ? "The recording is empty."
        : "The recording has changes of the page, but never the whole page, so it cannot be replayed.";
    return <Message icon={<Picture />} title={title} />;
  }
  // What stands there would be taken for the page of this moment.
  const end = index.isCut && isComplete && last !== null && shown !== null && shown.ts > last ? last : null;
  if (end !== null)
    return (
      <Message
        icon={<Picture />}
        title={
          heard.isTooLong
            ? `Only the first ${formatBytes(MOST_BYTES)} of the recording are replayed, up to ${formatOffset(end - model.origin.value)} s.`
            : `The recording was cut short at ${formatOffset(end - model.origin.value)} s.`
        }
      >
        <p class="dim">Pictures, requests and steps of this moment are there all the same.</p>
        <button type="button" class="button" onClick={() => model.selectTime(Math.floor(end))}>
          Go to its end
        </button>
      </Message>
    );
  if (shown?.state !== "before") return null;
  return (
    <Message
      icon={<Picture />}
      title={`The recording begins at ${formatOffset(shownFrom - model.origin.value)} s.`}
    >
      <button type="button" class="button" onClick={() => model.selectTime(Math.ceil(shownFrom))}>
        Go there
      </button>
    </Message>
  );
}

function caption(model: TraceModel, { index, shown, isTooLong }: Heard): string {
  if (!index || index.first === null || index.last === null) return "Recording";
  const [first, last] = [index.first, index.last].map((ts) => formatOffset(ts - model.origin.value));
  const parts = [`Recording from ${first} to ${last} s`];
  if (!index.isComplete) parts.push("being read");
  else if (shown?.state === "busy") parts.push("catching up");
  if (isTooLong) parts.push(`more than the ${formatBytes(MOST_BYTES)} that are replayed`);
  else if (index.isCut) parts.push("cut short");
  if (index.skipped > 0) parts.push(`${index.skipped} left out`);
  return parts.join(", ");
}

/** The recording of the page, played up to the instant. It runs nothing of what was recorded. */
export function DomRecording(): JSX.Element {
  const model = useModel();
  const { heard, meet } = usePlayer(model);
  const { shown } = heard;
  const size = shown && shown.width > 0 ? { width: shown.width, height: shown.height } : USUAL_VIEWPORT;
  const { room, scale } = useScale(size);
  const notice = Notice({ heard });
  const isBusy = shown?.state === "busy" || !heard.index;
  return (
    <div class="screen" aria-busy={isBusy}>
      {notice}
      <div class={notice ? "screen-room is-waiting" : "screen-room"}>
        <div class="page-room" ref={room}>
          <div
            class="screen-frame"
            style={{ width: `${size.width * scale}px`, height: `${size.height * scale}px` }}
          >
            <iframe
              class="page-frame"
              title="The page, replayed"
              src={model.source.playerUrl}
              data-shown={shown?.state === "shown" ? Math.round(shown.ts - model.origin.value) : undefined}
              style={{
                width: `${size.width}px`,
                height: `${size.height}px`,
                transform: `scale(${scale})`,
              }}
              onLoad={(event) => meet(event.currentTarget)}
            />
            <LaidOver />
            <ClickPoint size={size} />
          </div>
        </div>
      </div>
      <div class="screen-caption dim">
        <span class="ellipsis">{caption(model, heard)}</span>
      </div>
    </div>
  );
}
