const BY_EXTENSION: Record<string, string> = {
  avif: "image/avif",
  css: "text/css",
  gif: "image/gif",
  html: "text/html",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  txt: "text/plain",
  webm: "video/webm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xml: "application/xml",
  zip: "application/zip",
};

/** Media type by a file name's extension; null when it tells nothing. */
export function mediaTypeOfName(name: string): string | null {
  return BY_EXTENSION[/\.(\w{2,5})$/.exec(name)?.[1]?.toLowerCase() ?? ""] ?? null;
}
