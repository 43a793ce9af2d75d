import { batch, type ReadonlySignal, signal } from "@preact/signals";
import { isAbort } from "../../api/request.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { type Bodies, type BodyProgress, createBodyReading } from "./bodies.ts";
import { type FoundHit, type Group, type GroupId, keyOf, toHit } from "./groups.ts";
import { createMatcher } from "./matcher.ts";

/** Hits of a group that are read first, about as many as a screen has; then at once; and without being asked for. */
const FIRST = 25;
const PAGE = 200;
const READ = 1000;
/** Between two drawings of what came in: each has hits, steps and timeline drawn anew. */
const DRAW_MS = 150;

export interface GroupHits extends Group {
  hits: readonly FoundHit[];
  /** Hits there are: events while some are not read yet. */
  total: number;
  isComplete: boolean;
  /** Of what is looked through on the server piece by piece: how far that is. */
  progress?: BodyProgress | null;
}

export interface Search {
  readonly groups: ReadonlySignal<readonly GroupHits[]>;
  readonly state: ReadonlySignal<"idle" | "searching" | "ready" | "error">;
  readonly error: ReadonlySignal<unknown>;
  /** Of pages and bodies; null until they were asked for. */
  readonly progress: ReadonlySignal<BodyProgress | null>;
  /** Looks for a text in the groups, in place of whatever was looked for. An empty one stops. */
  start(text: string, groups: readonly Group[]): void;
  /** Reads more hits: of a group that has more of them, or of all that a running trace got since. */
  readMore(id: GroupId | null): void;
  dispose(): void;
}

interface Reading {
  group: Group;
  hits: Map<string, FoundHit>;
  events: number;
  left: number;
  lastSeq: number;
  isComplete: boolean;
}

/** Pages and bodies are looked through in one go: the last of their groups leads on. */
function storedGroups({ reading: { hits, isComplete, progress } }: Bodies): GroupHits[] {
  const pages = hits.filter(({ group }) => group === "pages");
  const rest = hits.filter(({ group }) => group !== "pages");
  const hasMore = progress !== null && !isComplete;
  const group = (id: "pages" | "bodies", title: string, of: FoundHit[], isLast: boolean): GroupHits[] =>
    of.length > 0 || (isLast && hasMore)
      ? [{ id, title, kinds: "", hits: of, total: of.length, isComplete: !isLast || isComplete, progress }]
      : [];
  return [...group("pages", "Recorded pages", pages, false), ...group("bodies", "Bodies", rest, true)];
}

/** Looks through a trace's events on the server, group after group, and keeps of every hit only what a row shows. */
export function createSearch(source: TraceSource): Search {
  const groups = signal<readonly GroupHits[]>([]);
  const state = signal<"idle" | "searching" | "ready" | "error">("idle");
  const error = signal<unknown>(null);
  const progress = signal<BodyProgress | null>(null);
  let controller = new AbortController();
  let readings: Reading[] = [];
  let bodies: Bodies | null = null;
  let wanted = "";
  /** What was asked to be read on while something was read; undefined for nothing. */
  let wish: GroupId | null | undefined;
  let isAnyShown = false;
  let drawing: ReturnType<typeof setTimeout> | null = null;

  function putOff(): void {
    if (drawing !== null) clearTimeout(drawing);
    drawing = null;
  }

  /** The first hits at once, what follows them in a while. */
  function publishSoon(): void {
    if (!isAnyShown) publish();
    else drawing ??= setTimeout(publish, DRAW_MS);
  }

  function publish(): void {
    putOff();
    const found: GroupHits[] = readings
      .filter(({ hits }) => hits.size > 0)
      .map(({ group, hits, events, left, isComplete }) => ({
        ...group,
        hits: [...hits.values()],
        total: isComplete ? hits.size : events + left,
        isComplete,
      }));
    if (bodies) found.push(...storedGroups(bodies));
    isAnyShown ||= found.length > 0;
    batch(() => {
      groups.value = found;
      progress.value = bodies?.reading.progress ?? null;
    });
  }

  async function readPage(reading: Reading, matcher: RegExp, abort: AbortSignal): Promise<void> {
    const { group, events } = reading;
    const limit = events === 0 ? FIRST : PAGE - (events % PAGE);
    const page = await source.events(
      { q: wanted, match: "loose", kind: group.kinds, limit, from_seq: reading.lastSeq + 1 },
      abort,
    );
    for (const event of page.events) {
      const key = keyOf(event, group.id);
      if (!reading.hits.has(key)) reading.hits.set(key, toHit(event, group.id, matcher));
      reading.lastSeq = event.seq;
    }
    reading.events += page.events.length;
    reading.left = page.total - page.events.length;
    reading.isComplete = reading.left <= 0;
  }

  async function read(parts: readonly Reading[], count: number, options: { bodies: boolean }): Promise<void> {
    const { signal: abort } = controller;
    const matcher = createMatcher(wanted);
    state.value = "searching";
    const until = new Map(parts.map((part) => [part, part.hits.size + count]));
    try {
      // The beginning of every group before the rest of any.
      await Promise.all(parts.map((part) => readPage(part, matcher, abort)));
      publishSoon();
      for (const part of parts) {
        while (!part.isComplete && part.hits.size < (until.get(part) ?? 0)) {
          await readPage(part, matcher, abort);
          publishSoon();
        }
      }
      if (options.bodies) await bodies?.read(abort, publishSoon);
      batch(() => {
        publish();
        state.value = "ready";
      });
      if (wish !== undefined) readMore(wish);
    } catch (problem) {
      if (isAbort(problem) || abort.aborted) return;
      putOff();
      batch(() => {
        error.value = problem;
        state.value = "error";
      });
    }
  }

  function readMore(id: GroupId | null): void {
    if (state.value === "searching") wish = id;
    if (state.value !== "ready") return;
    wish = undefined;
    const parts = readings.filter((part) => (id === null ? part.isComplete : part.group.id === id));
    const wantsBodies = id === "bodies" || id === "pages";
    if (parts.length > 0 || wantsBodies) void read(parts, READ, { bodies: wantsBodies });
  }

  return {
    groups,
    state,
    error,
    progress,
    readMore,
    start(text, wantedGroups) {
      controller.abort();
      controller = new AbortController();
      putOff();
      isAnyShown = false;
      wanted = text;
      wish = undefined;
      readings = wantedGroups.map((group) => ({
        group,
        hits: new Map(),
        events: 0,
        left: 0,
        lastSeq: -1,
        isComplete: false,
      }));
      bodies = text === "" || !source.findInBodies ? null : createBodyReading(source.findInBodies, text);
      if (text !== "") return void read(readings, READ, { bodies: true });
      batch(() => {
        state.value = "idle";
        groups.value = [];
      });
    },
    dispose() {
      controller.abort();
      putOff();
    },
  };
}
