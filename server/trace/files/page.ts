import { sandboxHeaders } from "./bytes.ts";
import { asUtf8 } from "./utf8.ts";

/** What reaches for other hosts whatever the page's policy is; and `noscript`, which is markup where no script may run. */
const REACHING = "link, meta[http-equiv], base, script, noscript, object, embed";

/**
 * A captured HTML file as a page to be shown in a frame: without what connects ahead, leads away by itself or would run.
 * Whatever encoding it was recorded in, it is read as UTF-8 by whoever cleans it and by the browser alike.
 */
export function pageOfFile(
  bytes: ReadableStream<Uint8Array>,
  options: { mayBeFramed: boolean; cacheControl: string },
): Response {
  const headers = {
    ...sandboxHeaders(options.mayBeFramed),
    "cache-control": options.cacheControl,
    "content-type": "text/html; charset=utf-8",
    "content-disposition": "inline",
  };
  const cleaner = new HTMLRewriter().on(REACHING, { element: (element) => void element.remove() });
  return cleaner.transform(new Response(asUtf8(bytes), { headers }));
}
