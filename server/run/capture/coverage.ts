import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { CoverageEntry } from "../../trace/format/event.ts";
import type { PageSession, PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";
import type { Redactor } from "./redact.ts";

const MOST_SCRIPTS = 2000;
const MOST_RANGES = 200;
/** To tell its counts stops a page for ten milliseconds and more, in which the next step has to wait. */
const ASK_EVERY_MS = 1000;

type Range = [from: number, to: number];

/** A script of a page, and whether each of its functions ran. The script itself is the outermost one. */
interface Script {
  url: string;
  functions: Map<string, { from: number; to: number; ran: boolean }>;
}

/** Which of the served scripts and style sheets the pages of a run used. */
export interface CoverageCapture {
  /** Resolves when every page that there is so far is listened to: what ran before that is not known. */
  ready(): Promise<unknown>;
  /** Asks the pages, if that was not done a moment ago, without waiting. */
  look(): void;
  /** Waits for the answers, a little longer than none, and records them. */
  finish(within: (work: Promise<unknown>) => Promise<unknown>): Promise<void>;
}

/**
 * Counts whole functions (V8's precise coverage without blocks). Counts are lost with their document: of a script whose page was
 * left before it was asked, it is only known that it was loaded.
 */
export function captureCoverage(
  context: BrowserContext,
  options: { recorder: Recorder; redactor: Redactor; clock: Clock; sessionOf: PageSessions },
): CoverageCapture {
  const { recorder, redactor, clock, sessionOf } = options;
  const sessions = new Map<Page, PageSession>();
  const scripts = new Map<string, Script>();
  /** Addresses that were loaded, in order. */
  const loaded = { script: new Set<string>(), stylesheet: new Set<string>() };
  const asking = new Set<Promise<void>>();
  let askedAt = clock.monotonic();

  function track(work: Promise<void>): void {
    // A page that went away has nothing more to tell.
    const settled = work.catch(() => {}).finally(() => asking.delete(settled));
    asking.add(settled);
  }

  async function begin(page: Page): Promise<void> {
    const session = await sessionOf(page);
    await Promise.all([
      session.send("Profiler.enable"),
      session.send("Profiler.startPreciseCoverage", { callCount: false, detailed: false }),
    ]);
    sessions.set(page, session);
  }

  async function ask(session: PageSession): Promise<void> {
    const { result } = await session.send("Profiler.takePreciseCoverage");
    for (const { scriptId, url, functions } of result) {
      const key = `${scriptId} ${url}`;
      if (!/^https?:/.test(url) || (scripts.size >= MOST_SCRIPTS && !scripts.has(key))) continue;
      const known = scripts.get(key) ?? { url, functions: new Map() };
      scripts.set(key, known);
      for (const { startOffset: from, endOffset: to, count } of functions.flatMap(({ ranges }) => ranges)) {
        const place = `${from} ${to}`;
        // Later answers tell of what ran since, so nothing that ran is forgotten.
        known.functions.set(place, { from, to, ran: count > 0 || known.functions.get(place)?.ran === true });
      }
    }
  }

  const askAll = () => {
    askedAt = clock.monotonic();
    for (const [page, session] of sessions) if (!page.isClosed()) track(ask(session));
  };

  context.on("page", (page) => track(begin(page)));
  context.on("requestfinished", (request) => {
    const type = request.resourceType();
    if (type !== "script" && type !== "stylesheet") return;
    if (loaded[type].size < MOST_SCRIPTS) loaded[type].add(request.url());
  });

  const loadedEntries = (type: "script" | "stylesheet"): CoverageEntry[] =>
    [...loaded[type]].map((url) => ({ url, type }));

  return {
    ready: () => Promise.all(asking),
    look() {
      if (clock.monotonic() - askedAt >= ASK_EVERY_MS) askAll();
    },
    async finish(within) {
      askAll();
      await within(Promise.all(asking));
      const counted = scriptEntries(scripts.values());
      const entries: CoverageEntry[] = [
        ...counted,
        ...loadedEntries("script").filter(({ url }) => !counted.some((entry) => entry.url === url)),
        ...loadedEntries("stylesheet"),
      ].map((entry) => ({ ...entry, url: redactor.url(entry.url) }));
      if (entries.length > 0) recorder.emit("script.coverage", { entries }, { stepId: null });
    },
  };
}

/** By address. Several scripts of one address stand within a page; their places in it are not known. */
function scriptEntries(scripts: Iterable<Script>): CoverageEntry[] {
  const byUrl = Map.groupBy(scripts, ({ url }) => url);
  return [...byUrl].map(([url, found]) => {
    const parts = found.map(({ functions }) => {
      const all = [...functions.values()];
      return { total: Math.max(...all.map(({ to }) => to)), ranges: rangesThatRan(all) };
    });
    const length = ([from, to]: Range) => to - from;
    return {
      url,
      type: "script",
      total: parts.reduce((sum, { total }) => sum + total, 0),
      used: parts.flatMap(({ ranges }) => ranges.map(length)).reduce((sum, one) => sum + one, 0),
      ...(parts.length === 1 && { ranges: parts[0]!.ranges.slice(0, MOST_RANGES) }),
    };
  });
}

/** What ran, by the innermost function around each place; in order, those that touch as one. */
export function rangesThatRan(functions: readonly { from: number; to: number; ran: boolean }[]): Range[] {
  const out: Range[] = [];
  const open: { to: number; ran: boolean }[] = [];
  let at = 0;

  function goTo(place: number): void {
    if (place > at && open.at(-1)?.ran) {
      const last = out.at(-1);
      if (last?.[1] === at) last[1] = place;
      else out.push([at, place]);
    }
    at = Math.max(at, place);
  }
  function closeUntil(place: number): void {
    for (let top = open.at(-1); top && top.to <= place; top = open.at(-1)) {
      goTo(top.to);
      open.pop();
    }
  }

  for (const one of functions.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    closeUntil(one.from);
    goTo(one.from);
    open.push(one);
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return out;
}
