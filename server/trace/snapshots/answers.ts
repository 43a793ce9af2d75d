import { servedType } from "../files/media-types.ts";
import { DOCTYPE } from "../format/playwright/snapshot-html.ts";
import type { Content } from "../format/playwright/snapshot-index.ts";

/** What a grant opens stays the same for as long as the grant; behind a share it must be asked for each time. */
const cacheControl = (viaShare: boolean) => (viaShare ? "no-store" : "private, max-age=3600, immutable");

/** Nothing runs and nothing is loaded, should somebody open a part of a page by itself. */
const ALONE = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

interface PageOptions {
  /** Absolute URL of the grant's path, without a slash at its end. */
  root: string;
  viaShare: boolean;
  /** Whether the viewer's own inspector runs in it. */
  isInspected?: boolean;
}

/** Below a grant: the one script that an inspected page runs. */
export const INSPECTOR = "inspector.js";

/**
 * A captured page as an answer. It has no origin, runs no script but the inspector where that is asked for, submits nothing
 * and loads from `root` alone. Whoever has the link may frame it: frames within it have an ancestor without an origin, which
 * no list of ancestors can name.
 */
export function pageResponse(html: Uint8Array, { root, viaShare, isInspected }: PageOptions): Response {
  const own = `${root}/`;
  const body = isInspected ? withInspector(html) : html;
  return new Response(body as Uint8Array<ArrayBuffer>, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": cacheControl(viaShare),
      "content-security-policy": [
        isInspected ? "sandbox allow-scripts" : "sandbox",
        "default-src 'none'",
        ...(isInspected ? [`script-src ${own}${INSPECTOR}`] : []),
        `style-src 'unsafe-inline' ${own}c/`,
        `img-src data: ${own}r/`,
        `font-src data: ${own}r/`,
        `media-src data: ${own}r/`,
        `frame-src ${own}${isInspected ? "i" : "d"}/`,
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; "),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-dns-prefetch-control": "off",
    },
  });
}

/** At the start, where no unclosed element of the page can swallow it; it runs when all of the page is there. */
function withInspector(html: Uint8Array): Uint8Array {
  const bytes = Buffer.from(html.buffer, html.byteOffset, html.byteLength);
  const at = bytes.subarray(0, DOCTYPE.length).toString("latin1") === DOCTYPE ? DOCTYPE.length : 0;
  const script = Buffer.from(`<script defer src="../../${INSPECTOR}"></script>`);
  return Buffer.concat([bytes.subarray(0, at), script, bytes.subarray(at)]);
}

/** A rewritten style sheet. */
export function sheetResponse(css: Uint8Array, viaShare: boolean): Response {
  return new Response(css as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": "text/css; charset=utf-8", ...partHeaders(viaShare) },
  });
}

/** A picture, font or the like. */
export function contentResponse(
  body: ReadableStream<Uint8Array>,
  content: Content,
  viaShare: boolean,
): Response {
  const { contentType, isInline } = servedType(content.type);
  return new Response(body, {
    headers: {
      "content-type": contentType,
      "content-length": String(content.size),
      "content-disposition": isInline ? "inline" : "attachment",
      ...partHeaders(viaShare),
    },
  });
}

function partHeaders(viaShare: boolean): Record<string, string> {
  return {
    "cache-control": cacheControl(viaShare),
    "content-security-policy": ALONE,
    // To a page without an origin every origin is another one; fonts are asked for with CORS.
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
  };
}
