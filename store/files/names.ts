/** File names inside a trace's folder. */
export const TRACE_FILES = {
  events: "events.ndjson.zst",
  eventIndex: "events.index",
  playwright: "playwright.zip",
  snapshots: "playwright.snapshots",
  rrweb: "rrweb.ndjson.zst",
  summary: "summary.json",
  manifest: "manifest.json",
  report: "report.md",
  pack: "pack.zip",
  /** What the records say of the trace, so that they can be made anew. */
  record: "record.json",
} as const;

/** The name of a file that never changes: the first 12 digits of its content's SHA-256 come before its endings. */
export function contentName(name: string, sha256: string): string {
  const dot = name.indexOf(".");
  return `${name.slice(0, dot)}.${sha256.slice(0, 12)}${name.slice(dot)}`;
}

/** The path, or the key, of the index that belongs to an event file. */
export const eventIndexPath = (events: string): string => events.replace(/\.ndjson\.zst$/, ".index");

const CONTENT = /\.[0-9a-f]{12}(?=\.)/;

/** The name of a file without the part that says its content. */
export const plainName = (name: string): string => name.replace(CONTENT, "");
