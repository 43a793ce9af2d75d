/** How bytes that came from outside are told to a browser. */
export interface ServedType {
  contentType: string;
  /** Shown in place; everything else is offered for saving. */
  isInline: boolean;
}

/** Shown as they are. */
const SHOWN = new Set([
  "application/json",
  "application/ndjson",
  "application/x-ndjson",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "audio/webm",
  "font/otf",
  "font/ttf",
  "font/woff",
  "font/woff2",
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/x-icon",
  "image/vnd.microsoft.icon",
  "text/css",
  "text/csv",
  "text/markdown",
  "text/plain",
  "video/mp4",
  "video/ogg",
  "video/webm",
]);

/**
 * Markup is for saving: opened by itself it would be a page, and no policy keeps a page from connecting to a host that it names
 * (`<link rel="preconnect">`). As a picture of another page SVG is shown all the same.
 */
const MARKUP = new Set(["image/svg+xml", "text/html"]);
/** XML may hold elements of XHTML, so it is shown as text. */
const XML = /^(?:application|text)\/xml$/;
/** Scripts are shown as text: a page of this origin must not be able to load one that was captured. */
const SCRIPTS = /^(?:application|text)\/(?:x-)?(?:javascript|ecmascript|typescript|jsx)$/;
const FILES = new Set(["application/zip", "application/zstd"]);

/** What a recorded media type may be served as; one that is unknown or odd becomes bytes to save. */
export function servedType(recorded: string | null): ServedType {
  const [essence = "", ...parameters] = (recorded ?? "").toLowerCase().split(";");
  const type = essence.trim();
  if (FILES.has(type)) return { contentType: type, isInline: false };
  if (SCRIPTS.test(type) || XML.test(type))
    return { contentType: `text/plain; charset=${charset(parameters)}`, isInline: true };
  const isInline = SHOWN.has(type);
  if (!isInline && !MARKUP.has(type)) return { contentType: "application/octet-stream", isInline };
  if (!/^text\/|json$|xml$/.test(type)) return { contentType: type, isInline };
  return { contentType: `${type}; charset=${charset(parameters)}`, isInline };
}

function charset(parameters: string[]): string {
  for (const parameter of parameters) {
    const name = /^\s*charset\s*=\s*"?([a-z0-9._-]{1,40})"?\s*$/.exec(parameter)?.[1];
    if (name) return name;
  }
  return "utf-8";
}
