import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { CoverageEntry } from "../../trace/format/event.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";

const MOST_SCRIPTS = 2000;
const MOST_RANGES = 200;
/** To tell what ran stops a page for some milliseconds, in which the next step has to wait. */
const ASK_EVERY_MS = 1000;

type Range = [from: number, to: number];

/** A script of a page, and whether each of its functions ran. */
interface Script {
  url: string;
  /** Characters; null while it is not known. */
  length: number | null;
  functions: Map<string, { from: number; to: number; ran: boolean }>;
}

/** Which of the served scripts and style sheets the pages of a run used. */
export interface CoverageCapture {
  /** Asks the pages, if that was not done a moment ago, without waiting. */
  look(): void;
  /** Waits for the answers, a little longer than none, and records them. */
  finish(within: (work: Promise<unknown>) => Promise<unknown>): Promise<void>;
}

/**
 * Whole functions, as far as V8 knows of itself that they ran (its "best effort" coverage). To have it count costs every page a
 * tenth of its time and more. What it does not need any more it forgets: a function that ran once may be told of as one that did
 * not when it was asked late, and of a script whose page was left it may only be known that it was loaded.
 */
export function captureCoverage(
  context: BrowserContext,
  options: { recorder: Recorder; redactor: Redactor; clock: Clock; sessionOf: PageSessions },
): CoverageCapture {
  const { recorder, redactor, clock, sessionOf } = options;
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

  async function ask(page: Page): Promise<void> {
    const session = await sessionOf(page);
    const { result } = await session.send("Profiler.getBestEffortCoverage");
    for (const { scriptId, url, functions } of result) {
      const key = `${scriptId} ${url}`;
      if (!/^https?:/.test(url) || (scripts.size >= MOST_SCRIPTS && !scripts.has(key))) continue;
      const known: Script = scripts.get(key) ?? { url, length: null, functions: new Map() };
      scripts.set(key, known);
      for (const { functionName, ranges } of functions)
        for (const { startOffset: from, endOffset: to, count } of ranges) {
          // The code outside of functions has no name. There are functions only because it ran.
          const isItself = functionName === "" && from === 0;
          if (isItself) known.length = Math.max(to, known.length ?? 0);
          const place = `${from} ${to}`;
          const ran = count > 0 || isItself || known.functions.get(place)?.ran === true;
          known.functions.set(place, { from, to, ran });
        }
    }
  }

  const askAll = () => {
    askedAt = clock.monotonic();
    for (const page of context.pages()) track(ask(page));
  };

  context.on("requestfinished", (request) => {
    const type = request.resourceType();
    if (type !== "script" && type !== "stylesheet") return;
    if (loaded[type].size < MOST_SCRIPTS) loaded[type].add(request.url());
  });

  const loadedEntries = (type: "script" | "stylesheet"): CoverageEntry[] =>
    [...loaded[type]].map((url) => ({ url, type }));

  return {
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
    const lengths = found.flatMap(({ length }) => length ?? []);
    if (lengths.length < found.length) return { url, type: "script" };
    const ranges = found.map(({ functions }) => rangesThatRan([...functions.values()]));
    return {
      url,
      type: "script",
      total: sum(lengths),
      used: sum(ranges.flat().map(([from, to]) => to - from)),
      ...(ranges.length === 1 && { ranges: ranges[0]!.slice(0, MOST_RANGES) }),
    };
  });
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

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
