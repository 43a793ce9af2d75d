import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatOffset } from "../../ui/format.ts";
import { Picture } from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import { useModel } from "../model/model.ts";
import { ClickPoint } from "./click-point.tsx";
import { type Size, USUAL_VIEWPORT, useScale } from "./frame.ts";
import { LaidOver } from "./overlay.tsx";

/** Further from the clock than this the video is put right, seconds; less would be seen as a stutter. */
const DRIFT_S = 0.12;
/** Past the end of any video: going there makes a browser learn a length that the file does not tell. */
const FAR_S = 1e7;

/** The recorded video at the instant: it follows the trace's clock, and never runs by its own. */
export function Video(): JSX.Element {
  const model = useModel();
  const { playback } = model;
  const video = useRef<HTMLVideoElement>(null);
  const [size, setSize] = useState<Size>(USUAL_VIEWPORT);
  const [length, setLength] = useState<number | null>(null);
  const [isBroken, setBroken] = useState(false);
  const url = model.detail.value?.signed_urls.video;
  // A video says nothing of when it began; recorders start it with the trace.
  const at = (model.playhead.value - model.origin.value) / 1000;
  const isPlaying = playback.isPlaying.value;
  const speed = playback.speed.value;
  const { room, scale } = useScale(size);

  useEffect(() => {
    const element = video.current;
    if (!element || length === null) return;
    const target = Math.max(0, Math.min(length, at));
    const isRunning = isPlaying && at < length;
    element.playbackRate = speed;
    if (!isRunning) element.pause();
    else if (element.paused) element.play().catch(() => setBroken(element.error !== null));
    const gap = Math.abs(element.currentTime - target);
    if (gap > (isRunning ? DRIFT_S * speed : 0.001) && !(isRunning && element.seeking))
      element.currentTime = target;
  }, [at, isPlaying, speed, length]);

  const learnLength = (element: HTMLVideoElement): void => {
    if (Number.isFinite(element.duration)) setLength(element.duration);
    else element.currentTime = FAR_S;
  };
  return (
    <div class="screen" aria-busy={length === null && !isBroken}>
      {isBroken && <Message icon={<Picture />} title="The video cannot be played." />}
      <div class={isBroken ? "screen-room is-waiting" : "screen-room"}>
        <div class="page-room" ref={room}>
          <div
            class="screen-frame"
            style={{ width: `${size.width * scale}px`, height: `${size.height * scale}px` }}
          >
            <video
              ref={video}
              class="stage-video"
              src={url}
              muted
              playsInline
              preload="auto"
              aria-label={`The recorded video at ${formatOffset(at * 1000)} seconds`}
              onLoadedMetadata={({ currentTarget: element }) => {
                if (element.videoWidth > 0)
                  setSize({ width: element.videoWidth, height: element.videoHeight });
                learnLength(element);
              }}
              onDurationChange={(event) => learnLength(event.currentTarget)}
              onError={() => setBroken(true)}
            />
            <LaidOver />
            <ClickPoint size={size} />
          </div>
        </div>
      </div>
      <div class="screen-caption dim">
        <span class="ellipsis">
          {length === null
            ? "Video"
            : `Video of ${formatOffset(length * 1000)} s, from the trace's first event`}
        </span>
      </div>
    </div>
  );
}
