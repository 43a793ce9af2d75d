import { askPatiently } from "./patience.ts";

/** Pictures that are kept after they came late; the oldest is asked for anew. */
const MOST_KEPT = 200;
const BLOB_PATH = /\/blob\/[0-9a-f]{64}$/;

/** Addresses of the bytes of pictures that came late, by the address that was asked. */
const late = new Map<string, Promise<string | null>>();

/** An element cannot wait for a server that takes no request for now: what it could not show is fetched for it. */
export function showLatePictures(root: Document): void {
  const onError = ({ target }: Event): void => {
    if (target instanceof HTMLImageElement) void showLate(target);
  };
  // Errors of elements do not bubble.
  root.addEventListener("error", onError, { capture: true });
}

async function showLate(image: HTMLImageElement): Promise<void> {
  const asked = image.src;
  const address = await latePicture(asked);
  // It may show another picture by now.
  if (address === null || image.src !== asked) return;
  image.src = address;
  image.style.visibility = "";
}

/**
 * A picture that is ready to be shown, and the address to show it by.
 * @throws DOMException when there is none, or the server takes no request for too long
 */
export async function decodePicture(url: string): Promise<{ image: HTMLImageElement; url: string }> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return { image, url };
  } catch (error) {
    const address = await latePicture(image.src);
    if (address === null) throw error;
    image.src = address;
    await image.decode();
    return { image, url: address };
  }
}

/** The address of a stored picture's bytes in this page; null when they cannot be had, or the picture is none of the server's. */
function latePicture(url: string): Promise<string | null> {
  const { origin, pathname } = new URL(url, location.href);
  if (origin !== location.origin || !BLOB_PATH.test(pathname)) return Promise.resolve(null);
  const known = late.get(url);
  if (known) return known;
  const fetched = fetchPicture(url);
  late.set(url, fetched);
  void fetched.then((address) => address === null && late.delete(url));
  for (const [oldest, kept] of late) {
    if (late.size <= MOST_KEPT) break;
    late.delete(oldest);
    void kept.then((address) => address !== null && URL.revokeObjectURL(address));
  }
  return fetched;
}

async function fetchPicture(url: string): Promise<string | null> {
  try {
    const response = await askPatiently(() => fetch(url));
    return response.ok ? URL.createObjectURL(await response.blob()) : null;
  } catch {
    // The server cannot be reached any more: the picture stays away.
    return null;
  }
}
