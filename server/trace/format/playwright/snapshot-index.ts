import { traceFiles } from "./contents.ts";
import { parseLine } from "./parse-line.ts";
import { list, number, type Raw, record, text } from "./shape.ts";
import type { PlaywrightSource, TraceFile } from "./source.ts";
import { upgrade } from "./upgrade/chain.ts";
import { newUpgradeState, type UpgradeState } from "./upgrade/step.ts";

/** Where a snapshot's line lies in the file that keeps them. */
export interface LinePlace {
  block: number;
  /** Bytes within the unpacked block. */
  at: number;
  length: number;
}

/** Bytes in the archive and the media type they were recorded with. Offsets count from the archive's first byte. */
export interface Content {
  offset: number;
  stored_size: number;
  size: number;
  method: 0 | 8;
  type: string | null;
}

export interface IndexedSnapshot extends LinePlace {
  /** As `dom.snapshot` events name it: `before@call@7`. Equal for all frames of one moment. */
  name: string;
  phase: string | null;
  /** Milliseconds of the recorder's monotonic clock. */
  time: number;
  url: string;
  viewport: { width: number; height: number } | null;
  /** What style sheets had become by then: numbers of URL and content. */
  overrides: [url: number, content: number][];
}

/** Snapshots of one frame in the order in which they were taken, which is what references count by. */
export interface IndexedFrame {
  frame: string;
  page: string;
  is_main_frame: boolean;
  snapshots: IndexedSnapshot[];
}

/** An answer that a page got: which URL, for which frame, when, and its body. */
export type IndexedResponse = [url: number, frame: string, time: number, content: number];

export interface SnapshotIndex {
  version: 1;
  frames: IndexedFrame[];
  urls: string[];
  contents: Content[];
  responses: IndexedResponse[];
}

export interface SnapshotArchive {
  /** Takes a snapshot's line into keeping. */
  keep(line: string): LinePlace;
  /** The member of that name; null when there is none. */
  member(name: string): Omit<Content, "type"> | null;
}

/** What an indexer has found. It survives structured clone. */
export interface IndexerState {
  frames: Map<string, IndexedFrame>;
  urls: Map<string, number>;
  contents: Content[];
  contentNumbers: Map<string, number | null>;
  /** Of each content, the members that it may be, the first that there is. */
  members: [name: string, otherwise: string][];
  responses: IndexedResponse[];
  snapshots: number;
  overrides: number;
}

const newState = (): IndexerState => ({
  frames: new Map(),
  urls: new Map(),
  contents: [],
  contentNumbers: new Map(),
  members: [],
  responses: [],
  snapshots: 0,
  overrides: 0,
});

/** No recording comes near these; what is beyond them is not shown. */
const MOST_SNAPSHOTS = 300_000;
const MOST_RESPONSES = 500_000;
const MOST_OVERRIDES = 1_000_000;
const LONGEST_URL = 65_536;

const TYPE = /^\{"type":"([a-z-]{1,40})"/;
const NEEDED = new Set(["context-options", "frame-snapshot", "resource-snapshot"]);
/** These name the snapshots of old versions. */
const ACTIONS = new Set(["before", "input", "after", "action"]);
const VERSION_NAMED_BY_CALL = 9;

/**
 * Finds the page snapshots of an archive, and what was loaded for them, among the lines that are read from it. Memory
 * grows with the number of snapshots and requests, not with the size of the pages.
 * @param state what was found before
 */
export function createSnapshotIndexer(archive: SnapshotArchive, state: IndexerState = newState()) {
  const { frames, urls, contents, contentNumbers, members, responses } = state;

  function urlNumber(url: string): number {
    const known = urls.get(url);
    if (known !== undefined) return known;
    urls.set(url, urls.size);
    return urls.size - 1;
  }

  function contentNumber(folder: string, name: string, type: string | null): number | null {
    const key = `${folder}\n${name}\n${type}`;
    const known = contentNumbers.get(key);
    if (known !== undefined) return known;
    const member = archive.member(folder + name) ?? archive.member(name);
    const made = member ? contents.push({ ...member, type }) - 1 : null;
    if (made !== null) members.push([folder + name, name]);
    contentNumbers.set(key, made);
    return made;
  }

  function addSnapshot(snapshot: Raw, line: string, { prefix, folder }: TraceFile) {
    const frameId = text(snapshot.frameId, 200) ?? "";
    const key = `${prefix}\n${frameId}`;
    const frame = frames.get(key) ?? {
      frame: frameId,
      page: text(snapshot.pageId, 200) ?? "",
      is_main_frame: snapshot.isMainFrame === true,
      snapshots: [],
    };
    frames.set(key, frame);
    if (state.snapshots++ >= MOST_SNAPSHOTS) return;
    const phase = text(snapshot.phase, 100) ?? null;
    const { width, height } = record(snapshot.viewport);
    const hasSize = number(width) !== undefined && number(height) !== undefined;
    frame.snapshots.push({
      ...archive.keep(line),
      name: text(snapshot.snapshotName, 500) ?? `${phase}@${text(snapshot.callId, 500)}`,
      phase,
      time: number(snapshot.timestamp) ?? 0,
      url: text(snapshot.frameUrl, LONGEST_URL) ?? "",
      viewport: hasSize ? { width: number(width)!, height: number(height)! } : null,
      overrides: overridesOf(snapshot, frame, folder),
    });
  }

  function overridesOf(snapshot: Raw, frame: IndexedFrame, folder: string): [number, number][] {
    const found: [number, number][] = [];
    for (const override of list(snapshot.resourceOverrides).map(record)) {
      const url = text(override.url, LONGEST_URL);
      if (!url || state.overrides >= MOST_OVERRIDES) continue;
      const name = text(override.file, 1000) ?? (override.sha1 ? `resources/${override.sha1}` : undefined);
      const content = name
        ? contentNumber(folder, name, "text/css")
        : earlierOverride(frame, number(override.ref), urlNumber(url));
      if (content === null) continue;
      state.overrides += 1;
      found.push([urlNumber(url), content]);
    }
    return found;
  }

  function addResponse(entry: Raw, folder: string) {
    const request = record(entry.request);
    const response = record(entry.response);
    const url = text(request.url, LONGEST_URL);
    // An answer without a body of its own stands for the one before it.
    if (!url || request.method !== "GET" || response.status === 304) return;
    const content = record(response.content);
    const name = text(content._file, 1000);
    const found = name ? contentNumber(folder, name, text(content.mimeType, 200) ?? null) : null;
    if (found === null || responses.length >= MOST_RESPONSES) return;
    const frame = text(entry._frameref, 200) ?? "";
    responses.push([urlNumber(withoutHash(url)), frame, number(entry._monotonicTime) ?? 0, found]);
  }

  return {
    /** Takes a line of a trace file, those of its network file after them. @param event it in the form of the latest version */
    take(event: Raw, line: string, file: TraceFile): void {
      if (event.type === "frame-snapshot") addSnapshot(record(event.snapshot), line, file);
      else if (event.type === "resource-snapshot") addResponse(record(event.snapshot), file.folder);
    },
    state,
    finish: (): SnapshotIndex => ({
      version: 1,
      frames: [...frames.values()],
      urls: [...urls.keys()],
      contents,
      responses,
    }),
  };
}

export type SnapshotIndexer = ReturnType<typeof createSnapshotIndexer>;

/** Reads what the indexer needs, and nothing else, of an archive that nobody else reads. */
export async function readSnapshots(source: PlaywrightSource, indexer: SnapshotIndexer): Promise<void> {
  for (const file of traceFiles(source.entries())) {
    const state = newUpgradeState();
    for (const name of [`${file.prefix}.trace`, `${file.prefix}.network`]) {
      let number = 0;
      if (!source.has(name)) continue;
      for await (const line of source.lines(name)) {
        number += 1;
        const parsed = isNeeded(line, state) ? parseLine(line) : null;
        if (parsed)
          for (const event of upgrade(parsed, state, `${name}, line ${number}`))
            indexer.take(event, line, file);
      }
    }
  }
}

function isNeeded(line: string, { version }: UpgradeState): boolean {
  const type = TYPE.exec(line)?.[1];
  if (!type || NEEDED.has(type)) return true;
  return (version ?? 0) < VERSION_NAMED_BY_CALL && ACTIONS.has(type);
}

/** The content that a snapshot of the same frame, `back` before the one being added, had for the URL. */
function earlierOverride(frame: IndexedFrame, back: number | undefined, url: number): number | null {
  const earlier = back === undefined ? undefined : frame.snapshots[frame.snapshots.length - back];
  return earlier?.overrides.find(([known]) => known === url)?.[1] ?? null;
}

export function withoutHash(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? url : url.slice(0, hash);
}
