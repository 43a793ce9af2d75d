import { join } from "node:path";

/**
 * Every path below the data folder, in one place. Paths kept in the database are relative to the data folder,
 * so that the folder can be moved.
 */
export function layout(dataDir: string) {
  return {
    root: dataDir,
    database: join(dataDir, "tracedeck.db"),
    settings: join(dataDir, "settings.json"),
    credentials: join(dataDir, "credentials.json"),
    signingKey: join(dataDir, "signing.key"),
    /** Room for the records on a full disk. */
    reserve: join(dataDir, "reserve"),
    lock: join(dataDir, "server.lock"),
    /** The id of the server that serves this folder. */
    serverId: join(dataDir, "server.id"),
    /** Work in progress. Swept at start: nothing here is ever the only copy of something acknowledged. */
    tmp: join(dataDir, "tmp"),
    /** What `doctor` set aside because no record names it. */
    strays: join(dataDir, "strays"),
    blobs: join(dataDir, "blobs", "sha256"),
    blob: (hash: string) => join(dataDir, "blobs", "sha256", hash.slice(0, 2), hash.slice(2, 4), hash),
    traces: join(dataDir, "traces"),
    trace: (id: string) => join(dataDir, "traces", id),
    /** Relative form of `trace(id)`, as kept in `artifacts.path` and `blob_locations.container`. */
    traceRelative: (id: string) => `traces/${id}`,
  };
}

export type Layout = ReturnType<typeof layout>;

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

/** The path of the index that belongs to an event file. */
export const eventIndexPath = (eventsPath: string): string => eventsPath.replace(/\.ndjson\.zst$/, ".index");
