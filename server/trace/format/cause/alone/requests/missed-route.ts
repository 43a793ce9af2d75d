import { similarity } from "../../../similarity.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isTracker, pathOf, quoted, requestOf } from "../../words.ts";

const MOST_STEPS = 400;
const MOST_REQUESTS = 400;
const ROUTES = /setNetworkInterceptionPatterns$/;
/** So alike are two addresses that differ in a letter or a word's ending. */
const ALIKE = 0.75;

/** A route of the test that no request met, where the page asked an address that is almost the one it was set for: the server answered that. */
export function detectRouteUnmet(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const sent = run.facts.exchanges
    .filter(
      ({ ts, url, type, handled }) =>
        ts <= failed.to && handled === null && /^(?:xhr|fetch)$/.test(type ?? "") && !isTracker(url),
    )
    .slice(0, MOST_REQUESTS);
  const globs = new Set(
    run.facts.steps
      .slice(0, MOST_STEPS)
      .filter(({ name, ts }) => ROUTES.test(name) && ts <= failed.from)
      .flatMap(globsOf),
  );
  for (const glob of globs) {
    const wanted = plainOf(glob);
    if (wanted === null || run.facts.exchanges.some(({ url }) => pathOf(url).endsWith(wanted))) continue;
    const one = sent.findLast((other) => isAlmost(other, wanted));
    if (!one) continue;
    return [
      {
        kind: "test_code",
        title: `The test's own route for ${quoted(glob, 80)} was never used: no request matches it, the page asked ${requestOf(one, run.facts)}, which the real server answered`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: 0.92,
      },
    ];
  }
  return [];
}

function globsOf({ params: { patterns } }: Step): string[] {
  return Array.isArray(patterns)
    ? patterns.flatMap((one: unknown) =>
        typeof one === "object" && one !== null && "glob" in one && typeof one.glob === "string"
          ? [one.glob]
          : [],
      )
    : [];
}

/** The path that a pattern stands for, where nothing in it is open but its beginning; null of any other. */
function plainOf(glob: string): string | null {
  const path = glob.replace(/^(?:\*\*|https?:\/\/[^/*]+)/, "");
  return /^(?:\/[\w.-]+){2,}$/.test(path) ? path : null;
}

/** Whether two paths have the same parts but for one, which is alike. */
function isAlmost({ url }: Exchange, wanted: string): boolean {
  const [asked, given] = [pathOf(url), wanted].map((path) => path.split("/").filter((part) => part !== ""));
  if (asked!.length !== given!.length) return false;
  const others = asked!.flatMap((part, at) => (part === given![at] ? [] : [[part, given![at]!] as const]));
  return others.length === 1 && others.every(([one, other]) => areAlike(one, other));
}

const areAlike = (one: string, other: string): boolean =>
  similarity(one, other) >= ALIKE || one.startsWith(other) || other.startsWith(one);
