import pixelmatch from "pixelmatch";

/** How far two pixels may be apart, from 0 to 1, that two renderings of the same page have. */
const THRESHOLD = 0.1;
const CHANGED: [number, number, number] = [214, 32, 44];
/** Of what is alike, so much is left to be seen. */
const PALE = 0.25;
/** Larger pictures are compared at this many pixels. */
const MOST_PIXELS = 8_000_000;

export interface PixelDiff {
  /** Pixels that differ, of all that either picture has. */
  changed: number;
  total: number;
  canvas: HTMLCanvasElement;
}

function load(url: string, signal: AbortSignal): Promise<HTMLImageElement> {
  const { promise, resolve, reject } = Promise.withResolvers<HTMLImageElement>();
  const image = new Image();
  image.onload = () => resolve(image);
  image.onerror = () => reject(new Error("A picture could not be loaded."));
  signal.addEventListener("abort", () => reject(new DOMException("Given up.", "AbortError")));
  image.src = url;
  return promise;
}

function pixels(image: HTMLImageElement, width: number, height: number, scale: number): Uint8ClampedArray {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser gives no canvas to compare pictures on.");
  context.drawImage(image, 0, 0, image.naturalWidth * scale, image.naturalHeight * scale);
  return context.getImageData(0, 0, width, height).data;
}

/**
 * Two pictures laid over each other at their top left corner: what is alike in pale grey, what differs in red, what
 * only smoothing of edges changed in yellow and not counted. Pictures of other sizes differ where only one of them is.
 * @throws Error in words when a picture cannot be loaded.
 */
export async function comparePictures(left: string, right: string, signal: AbortSignal): Promise<PixelDiff> {
  const [a, b] = await Promise.all([load(left, signal), load(right, signal)]);
  const full = {
    width: Math.max(a.naturalWidth, b.naturalWidth),
    height: Math.max(a.naturalHeight, b.naturalHeight),
  };
  if (full.width === 0 || full.height === 0) throw new Error("A picture has no size.");
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (full.width * full.height)));
  const width = Math.max(1, Math.round(full.width * scale));
  const height = Math.max(1, Math.round(full.height * scale));
  const before = pixels(a, width, height, scale);
  const after = pixels(b, width, height, scale);
  const out = new ImageData(width, height);
  const changed = pixelmatch(before, after, out.data, width, height, {
    threshold: THRESHOLD,
    diffColor: CHANGED,
    alpha: PALE,
  });
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.putImageData(out, 0, 0);
  return { changed, total: width * height, canvas };
}
