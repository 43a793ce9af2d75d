/** How bytes that came from outside are told to a browser. */
export interface ServedType {
  contentType: string;
  /** Shown in place; everything else is offered for saving. */
  isInline: boolean;
}

/** Shown as they are. Markup is too: its own content security policy keeps it from doing anything. */
const SHOWN = new Set([
  "application/json",
  "application/ndjson",
  "application/x-ndjson",
  "application/xml",
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
  "image/svg+xml",
  "image/webp",
  "image/x-icon",
  "image/vnd.microsoft.icon",
  "text/css",
  "text/csv",
  "text/html",
  "text/markdown",
  "text/plain",
  "text/xml",
  "video/mp4",
  "video/ogg",
  "video/webm",
]);

/** Scripts are shown as text: a page of this origin must not be able to load one that was captured. */
const SCRIPTS = /^(?:application|text)\/(?:x-)?(?:javascript|ecmascript|typescript|jsx)$/;
const FILES = new Set(["application/zip", "application/zstd"]);

/** What a recorded media type may be served as; one that is unknown or odd becomes bytes to save. */
export function servedType(recorded: string | null): ServedType {
  const [essence = "", ...parameters] = (recorded ?? "").toLowerCase().split(";");
  const type = essence.trim();
  if (FILES.has(type)) return { contentType: type, isInline: false };
  if (SCRIPTS.test(type))
    return { contentType: `text/plain; charset=${charset(parameters)}`, isInline: true };
  if (!SHOWN.has(type)) return { contentType: "application/octet-stream", isInline: false };
  if (!/^text\/|json$|xml$/.test(type)) return { contentType: type, isInline: true };
  return { contentType: `${type}; charset=${charset(parameters)}`, isInline: true };
}

function charset(parameters: string[]): string {
  for (const parameter of parameters) {
    const name = /^\s*charset\s*=\s*"?([a-z0-9._-]{1,40})"?\s*$/.exec(parameter)?.[1];
    if (name) return name;
  }
  return "utf-8";
}
