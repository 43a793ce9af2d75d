import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Size, useScale } from "./frame.ts";

/** A recorded page, and where it is served. */
export interface FramedPage {
  url: string;
  /** Names the moment for screen readers. */
  title: string;
  size: Size;
  /** What its frame may do: nothing with an empty text. */
  sandbox: string;
}

/**
 * Which frames there are, and which of them is seen: the wanted one as soon as it has loaded, until then the one before.
 * Frames stay where they are in the document, since one that is moved loads again.
 */
export interface Frames {
  pages: readonly FramedPage[];
  shown: string | null;
}

export const NO_FRAMES: Frames = { pages: [], shown: null };

/** Wants a page; the one that is seen stays until it has loaded, all others go. */
export function want(frames: Frames, page: FramedPage): Frames {
  const { url } = page;
  const kept = frames.pages.filter((one) => one.url === url || one.url === frames.shown);
  const pages = kept.some((one) => one.url === url)
    ? kept.map((one) => (one.url === url ? page : one))
    : [...kept, page];
  return { pages, shown: frames.shown };
}

/** A frame has loaded: it takes the place of the one before if it is the wanted one; else it was overtaken. */
export function didLoad(frames: Frames, url: string, wanted: string): Frames {
  const pages = frames.pages.filter((page) => page.url === wanted);
  return url === wanted && pages.length > 0 ? { pages, shown: url } : frames;
}

/**
 * The page in a frame of its own that runs nothing. The next page loads behind the present one and takes its place when
 * it is there, so that a step change never flashes.
 */
export function PageFrames({
  page,
  onShown,
  children,
}: {
  page: FramedPage;
  /** The frame of the wanted page has loaded. */
  onShown: (frame: HTMLIFrameElement) => void;
  /** Laid over the page, in its size. */
  children?: ComponentChildren;
}): JSX.Element {
  const [frames, setFrames] = useState(() => want(NO_FRAMES, page));
  useEffect(() => setFrames((before) => want(before, page)), [page.url, page.title]);
  const shown = frames.pages.find(({ url }) => url === frames.shown) ?? frames.pages[0] ?? page;
  const { room, scale } = useScale(shown.size);
  return (
    <div class="screen-room">
      <div class="page-room" ref={room}>
        <div
          class="screen-frame"
          style={{ width: `${shown.size.width * scale}px`, height: `${shown.size.height * scale}px` }}
        >
          {frames.pages.map(({ url, title, size, sandbox }) => {
            const isShown = url === shown.url;
            return (
              <iframe
                key={url}
                class={isShown ? "page-frame" : "page-frame is-waiting"}
                title={isShown ? title : "The next page"}
                aria-hidden={!isShown}
                sandbox={sandbox}
                src={url}
                style={{ width: `${size.width}px`, height: `${size.height}px`, transform: `scale(${scale})` }}
                onLoad={(event) => {
                  setFrames((before) => didLoad(before, url, page.url));
                  if (url === page.url) onShown(event.currentTarget);
                }}
              />
            );
          })}
          {children}
        </div>
      </div>
    </div>
  );
}
