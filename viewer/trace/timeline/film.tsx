import type { JSX, TargetedEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useModel } from "../model/model.ts";
import { shotAt } from "../model/shots.ts";
import type { Scale } from "./scale.ts";

export const FILM = 48;

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

/** As many pictures side by side as fit, each the page at the moment under its middle. */
export function Film({ scale }: { scale: Scale }): JSX.Element | null {
  const model = useModel();
  const shots = model.shots.value;
  const isPainted = useIsPainted();
  const first = shots[0];
  if (!first || scale.width < 10) return null;
  const ratio =
    first.width > 0 && first.height > 0 ? Math.min(3, Math.max(0.4, first.width / first.height)) : 16 / 9;
  const width = Math.max(24, Math.round((FILM - 4) * ratio));
  const count = Math.max(1, Math.floor(scale.width / width));
  const slot = scale.width / count;
  // In cold storage only the last picture is at hand.
  const isCold = model.detail.value?.tier === "cold";
  const kept = model.summary.value?.final_screenshot;
  return (
    <div class="film" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => {
        const shot = shotAt(shots, scale.ts((index + 0.5) * slot));
        const url = shot && (!isCold || shot.blob === kept) ? model.source.blobUrl(shot.blob) : null;
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
