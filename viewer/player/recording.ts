import type { Idle, RecordingIndex } from "./messages.ts";

/** An event of rrweb's format. */
export interface RecordedEvent {
  type: number;
  timestamp: number;
  data: Record<string, unknown>;
}

const FULL_SNAPSHOT = 2;
const INCREMENTAL = 3;
const META = 4;
/** Sources of incremental events that hold the positions of half a second: mouse, touch, drag. */
const MOVES = new Set([1, 6, 12]);
/** How far back in time a later line can reach: such positions, and events of frames. */
const DISORDER_MS = 1000;
/** Nothing changed for this long: the page was idle. */
export const IDLE_MS = 2000;
const MOST_IDLE = 500;

/** Kept as text until it is wanted: an event as an object takes several times the memory. */
interface Entry {
  ts: number;
  type: number;
  content: string | RecordedEvent;
}

/**
 * A recording as it arrives, in order of time. Positions of the pointer, which are recorded several at once, become
 * events of their own, each at its time.
 */
export function createRecording() {
  const entries: Entry[] = [];
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let isSorted = true;
  let isComplete = false;
  let isCut = false;
  let skipped = 0;

  function push(entry: Entry): void {
    const before = entries.at(-1);
    if (before && before.ts > entry.ts) isSorted = false;
    entries.push(entry);
  }

  function addLine(line: string): void {
    if (line.trim() === "") return;
    const event = parseEvent(line);
    if (!event) {
      skipped += 1;
      return;
    }
    const { positions } = event.data;
    const isMove = event.type === INCREMENTAL && MOVES.has(event.data.source as number);
    if (!isMove || !Array.isArray(positions)) {
      push({ ts: event.timestamp, type: event.type, content: line });
      return;
    }
    for (const position of positions) {
      const offset = Number(position?.timeOffset);
      const timestamp = event.timestamp + (offset <= 0 ? Math.max(offset, -DISORDER_MS) : 0);
      const data = { ...event.data, positions: [{ ...position, timeOffset: 0 }] };
      push({ ts: timestamp, type: event.type, content: { ...event, timestamp, data } });
    }
  }

  function addText(text: string): void {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    if (lines.length === 0) {
      rest.push(last);
      return;
    }
    addLine(rest.join("") + lines[0]);
    for (const line of lines.slice(1)) addLine(line);
    rest = [last];
  }

  /** Index of the first entry after a moment. */
  function after(ts: number): number {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((entries[middle]?.ts ?? 0) <= ts) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    /** @returns the time of the earliest event that was put before ones already there; null when all came after. */
    add(bytes: Uint8Array): number | null {
      const known = entries.length;
      addText(decoder.decode(bytes, { stream: true }));
      return settle(known);
    },
    /** @returns as `add` */
    end(wasCut: boolean): number | null {
      const known = entries.length;
      const last = rest.join("") + decoder.decode();
      const isWhole = last.trim() === "" || parseEvent(last) !== null;
      if (isWhole) addLine(last);
      rest = [];
      isComplete = true;
      isCut = wasCut || !isWhole;
      return settle(known);
    },
    /** Up to where the order of events is settled, epoch ms. */
    settledUntil: () => (isComplete ? Number.POSITIVE_INFINITY : (entries.at(-1)?.ts ?? 0) - DISORDER_MS),
    after,
    /** Where to begin in order to show what stands before `end`: the last whole page there; null when there is none. */
    startFor(end: number): number | null {
      for (let at = end - 1; at >= 0; at -= 1) {
        if (entries[at]?.type !== FULL_SNAPSHOT) continue;
        return entries[at - 1]?.type === META ? at - 1 : at;
      }
      return null;
    },
    /** The last event of a kind before `end` that tells the size of the window. */
    sizeBefore(end: number): RecordedEvent | null {
      for (let at = end - 1; at >= 0; at -= 1) if (entries[at]?.type === META) return eventAt(at);
      return null;
    },
    eventAt,
    /** Counts an event that could not be shown. */
    leaveOut(): void {
      skipped += 1;
    },
    index(): RecordingIndex {
      return {
        type: "index",
        first: entries[0]?.ts ?? null,
        last: entries.at(-1)?.ts ?? null,
        shownFrom: entries.find(({ type }) => type === FULL_SNAPSHOT)?.ts ?? null,
        isComplete,
        isCut,
        skipped,
        idle: idleOf(entries),
      };
    },
  };

  function eventAt(at: number): RecordedEvent | null {
    const content = entries[at]?.content;
    if (typeof content !== "string") return content ?? null;
    return parseEvent(content);
  }

  function settle(known: number): number | null {
    if (isSorted) return null;
    let earliest = Number.POSITIVE_INFINITY;
    for (let at = known; at < entries.length; at += 1)
      earliest = Math.min(earliest, entries[at]?.ts ?? earliest);
    entries.sort((a, b) => a.ts - b.ts);
    isSorted = true;
    return earliest;
  }
}

export type Recording = ReturnType<typeof createRecording>;

function parseEvent(line: string): RecordedEvent | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return null;
    const { type, timestamp, data } = value as Partial<RecordedEvent>;
    if (!Number.isInteger(type) || !Number.isFinite(timestamp)) return null;
    return { type: Number(type), timestamp: Number(timestamp), data: data ?? {} };
  } catch {
    // A line of something else, or one that was cut.
    return null;
  }
}

function idleOf(entries: readonly Entry[]): Idle[] {
  const found: Idle[] = [];
  let before: number | null = null;
  for (const { ts } of entries) {
    if (before !== null && ts - before >= IDLE_MS && found.length < MOST_IDLE) found.push([before, ts]);
    before = ts;
  }
  return found;
}
