import { isBefore } from "../compare.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange } from "../run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, bodyOf, isTracker, quoted, requestOf } from "../words.ts";

const MOST = 5;
const SHOWN = 80;

/** What the test answers in the server's place: a route that no longer takes a request, takes too many, or answers otherwise. */
export function detectMocks(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const told = new Set<string>();
  return run.facts.exchanges
    .filter((one) => isBefore(evidence, one.end ?? one.ts) && !isTracker(one.url))
    .flatMap((one): Finding[] => {
      const key = exchangeKey(one, run.facts);
      if (told.has(key)) return [];
      const theirs = passes.map(({ facts }) =>
        exchangesOf(facts, key).filter(({ status, error }) => status !== null || error !== null),
      );
      if (theirs.some((list) => list.length === 0)) return [];
      const words = otherwise(one, theirs, evidence);
      if (words === null) return [];
      told.add(key);
      return [
        {
          kind: "test_code",
          title: `The test's own route ${words}`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: one.end ?? one.ts,
          is_new: true,
          // What it aborted failed, which is told as well.
          weight: one.handled === "aborted" ? 0.98 : 0.93,
          about: `route ${aboutUrl(one.url, run.facts, one.operation)}`,
        },
      ];
    })
    .slice(0, MOST);
}

function otherwise(one: Exchange, theirs: Exchange[][], { run, passes }: Evidence): string | null {
  const all = (handled: string | null) =>
    theirs.every((list) => list.every((other) => other.handled === handled));
  const request = requestOf(one, run.facts);
  if (one.handled === null && one.status !== null && all("fulfilled"))
    return `did not take ${request}: the server answered it; in the last pass the test did`;
  if (one.handled === "aborted" && all(null))
    return `aborted ${request}, which it let through in the last pass`;
  if (one.handled !== "fulfilled") return null;
  if (all(null)) return `answered ${request}, which it left to the server in the last pass`;
  const mine = bodyOf(one, run.bodies);
  const [usual, ...others] = theirs.map((list, at) => bodyOf(list[0]!, passes[at]!.bodies));
  const isOther =
    mine !== undefined && usual !== undefined && mine !== usual && others.every((text) => text === usual);
  return isOther && theirs.every(({ length }) => length === 1)
    ? `answered ${request} with ${quoted(mine, SHOWN)}, where it answered ${quoted(usual, SHOWN)} in the last pass`
    : null;
}
