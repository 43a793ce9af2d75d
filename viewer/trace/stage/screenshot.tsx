import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Shot } from "../../../server/trace/format/summary.ts";
import { decodePicture } from "../../api/late-pictures.ts";
import { formatDuration, formatOffset } from "../../ui/format.ts";
import { External, Picture } from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import { type TraceModel, useModel } from "../model/model.ts";
import { lowerBoundBy } from "../model/sorted.ts";
import { AddressBar } from "./address-bar.tsx";
import { ClickPoint } from "./click-point.tsx";

interface Selection {
  shot: Shot;
  url: string;
  width: number;
  height: number;
}

/** A picture in the size that the recording says, or null where it says none. */
function asRecorded(model: TraceModel, shot: Shot | null): Selection | null {
  const url = shot ? model.source.blobUrl(shot.blob) : null;
  return shot && url && shot.width > 0 && shot.height > 0
    ? { shot, url, width: shot.width, height: shot.height }
    : null;
}

/** Decodes the next picture before the present one goes, so that a step change never flashes. */
export function useDecoded(
  model: TraceModel,
  shot: Shot | null,
): { shown: Selection | null; isBroken: boolean } {
  const [shown, setShown] = useState<Selection | null>(() =>
    model.isFirstScreen() ? asRecorded(model, shot) : null,
  );
  const [broken, setBroken] = useState<string | null>(null);
  const url = shot ? model.source.blobUrl(shot.blob) : null;
  useEffect(() => {
    if (!shot || !url) return setShown(null);
    let isCurrent = true;
    decodePicture(url).then(
      ({ image, url: address }) => {
        if (isCurrent)
          setShown({ shot, url: address, width: image.naturalWidth, height: image.naturalHeight });
      },
      () => {
        if (isCurrent) setBroken(url);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [url, shot]);
  return { shown, isBroken: broken !== null && broken === url };
}

/** Fetches the pictures of the steps beside the shown one into the browser's cache. */
function usePreload(model: TraceModel, shot: Shot | null): void {
  useEffect(() => {
    if (!shot) return;
    const shots = model.shots.peek();
    const after = lowerBoundBy(shots.length, (at) => shots.at(at)?.ts ?? 0, shot.ts, { isAbove: true });
    const timer = setTimeout(() => {
      for (const near of [shots.at(after), after > 1 ? shots.at(after - 2) : undefined]) {
        const url = near ? model.source.blobUrl(near.blob) : null;
        if (url) new Image().src = url;
      }
    }, 80);
    return () => clearTimeout(timer);
  }, [shot]);
}

function caption(model: TraceModel, shot: Shot): string {
  const at = formatOffset(model.elapsed(shot.ts));
  const gap = model.playhead.value - shot.ts;
  const where =
    Math.abs(gap) < 2
      ? "at this moment"
      : `${formatDuration(Math.abs(gap))} ${gap > 0 ? "before" : "after"} this moment`;
  return `Screenshot at ${at} s, ${where}`;
}

/** The page as it looked at the step: the last picture up to its end. */
export function Screenshot(): JSX.Element {
  const model = useModel();
  const shot = model.shot.value;
  const { shown, isBroken } = useDecoded(model, shot);
  const isLeftOut = model.source.file !== null && shot !== null && model.source.blobUrl(shot.blob) === null;
  usePreload(model, shot);
  if (!shot) {
    return (
      <div class="screen">
        <Message
          icon={<Picture />}
          title={model.loader.isLive.value ? "No screenshot yet." : "No screenshot was recorded."}
        />
      </div>
    );
  }
  if (isLeftOut) {
    return (
      <div class="screen">
        <Message icon={<Picture />} title="This screenshot was left out to keep the file small." />
      </div>
    );
  }
  if (isBroken) {
    const isCold = model.detail.value?.tier === "cold";
    return (
      <div class="screen">
        <Message
          icon={<Picture />}
          title={isCold ? "This screenshot is in cold storage." : "This screenshot could not be loaded."}
        />
      </div>
    );
  }
  if (!shown) return <div class="screen" aria-busy="true" />;
  const address = model.isAtFailure.value ? model.summary.value?.failure?.page?.url : undefined;
  const ratio = shown.width / Math.max(1, shown.height);
  const frame = {
    width: `min(100cqw, 100cqh * ${ratio.toFixed(4)}, ${Math.max(shown.width, 640)}px)`,
    aspectRatio: String(ratio),
  };
  return (
    <div class="screen">
      {address && <AddressBar address={address} />}
      <div class="screen-room">
        <div class="screen-frame" style={frame}>
          <img src={shown.url} alt={`The page, ${caption(model, shown.shot)}`} draggable={false} />
          <ClickPoint
            size={{
              width: shown.shot.width || shown.width,
              height: shown.shot.height || shown.height,
            }}
          />
        </div>
      </div>
      <div class="screen-caption dim">
        <span class="ellipsis">{caption(model, shown.shot)}</span>
        <a
          href={shown.url}
          target="_blank"
          rel="noopener"
          class="icon-link"
          title="Open the picture in a new tab"
        >
          <External label="Open the picture in a new tab" />
        </a>
      </div>
    </div>
  );
}
