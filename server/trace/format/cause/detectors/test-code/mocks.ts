import { isBefore } from "../../compare.ts";
import { queryOf } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { counterpart, GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, isTracker, quoted, requestOf } from "../../words.ts";

const MOST = 5;
const SHOWN = 80;

/** What each pass was answered to what is called so, or how it failed. */
const answeredTo = oncePer(({ passes }: Evidence, key: string) =>
  passes.map(({ facts }) =>
    exchangesOf(facts, key).filter(({ status, error }) => status !== null || error !== null),
  ),
);

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
      const theirs = answeredTo(evidence, key);
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

/** The page asks another address than in passes, which the test's own route does not take. */
export function detectMissedRoute(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const [newest] = passes;
  if (!newest) return [];
  const missing = new Map<string, Exchange>();
  for (const one of newest.facts.exchanges) {
    if (one.handled !== "fulfilled" || isTracker(one.url) || missing.size >= MOST) continue;
    const key = exchangeKey(one, newest.facts);
    const isAlways = passes.every(({ facts }) =>
      exchangesOf(facts, key).some(({ handled }) => handled === "fulfilled"),
    );
    if (isAlways && exchangesOf(run.facts, key).length === 0) missing.set(key, one);
  }
  return [...missing.values()].flatMap((usual): Finding[] => {
    const one = askedInstead(evidence, usual);
    if (!one) return [];
    return [
      {
        kind: "test_code",
        title: `The test's own route did not take ${requestOf(one, run.facts)}: the server answered it; in the last pass the page sent ${requestOf(usual, newest.facts)} in its place, and the test answered that`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: true,
        weight: 0.93,
        about: `route ${aboutUrl(one.url, run.facts, one.operation)}`,
      },
    ];
  });
}

/** The one request that no pass sends and the server answered, after the action that sends the usual one in the newest pass. */
function askedInstead(evidence: Evidence, usual: Exchange): Exchange | undefined {
  const { run, passes } = evidence;
  const { facts } = passes[0]!;
  const gesture = facts.steps.findLast(
    ({ kind, name, ts }) => kind === "agent.action" && GESTURES_AND_OPENINGS.test(name) && ts <= usual.ts + 5,
  );
  const action = gesture && counterpart(facts, gesture, run.facts);
  if (!action) return undefined;
  const others = run.facts.exchanges.filter(
    (one) =>
      one.ts >= action.ts - 5 &&
      isBefore(evidence, one.end ?? one.ts) &&
      one.method === usual.method &&
      one.type === usual.type &&
      one.handled === null &&
      one.status !== null &&
      !isTracker(one.url) &&
      passes.every((pass) => exchangesOf(pass.facts, exchangeKey(one, run.facts)).length === 0),
  );
  const alike = others.filter((one) => namesIn(one) === namesIn(usual));
  return [others, alike].find(({ length }) => length === 1)?.[0];
}

/** What a request asks by: a new address of an old question goes on asking so. */
const namesIn = (one: Exchange): string =>
  queryOf(one)
    .map(([name]) => name)
    .sort()
    .join("&");

function otherwise(one: Exchange, theirs: Exchange[][], { run, passes }: Evidence): string | null {
  const all = (handled: string | null) =>
    theirs.every((list) => list.every((other) => other.handled === handled));
  const request = requestOf(one, run.facts);
  if (one.handled === null && one.status !== null && all("fulfilled"))
    return `did not take ${request}: the server answered it; in the last pass the test did`;
  if (one.handled === "aborted" && all(null))
    return `aborted ${request}, which it let through in the last pass`;
  if (one.handled !== "fulfilled") return null;
  const mine = bodyOf(one, run.bodies);
  if (all(null)) return `answered ${request}${lacking(mine, theirs, passes)}`;
  const [usual, ...others] = theirs.map((list, at) => bodyOf(list[0]!, passes[at]!.bodies));
  const isOther =
    mine !== undefined && usual !== undefined && mine !== usual && others.every((text) => text === usual);
  return isOther && theirs.every(({ length }) => length === 1)
    ? `answered ${request} with ${quoted(mine, SHOWN)}, where it answered ${quoted(usual, SHOWN)} in the last pass`
    : null;
}

/** What the test's answer has not that the server's has in every pass, or that the server answers that. */
function lacking(mine: string | undefined, theirs: Exchange[][], passes: RunEvidence[]): string {
  const names = namesOf(mine);
  const usual = theirs.map((list, at) => namesOf(bodyOf(list[0]!, passes[at]!.bodies)));
  const [lacked] = [...(usual[0] ?? [])].filter(
    ([place]) => !names.has(place) && isIn(names, parentOf(place)) && usual.every((all) => all.has(place)),
  );
  return lacked && names.size > 0
    ? ` without ${quoted(lacked[0], SHOWN)}, which the server gives in the last pass (${quoted(lacked[1], 40)})`
    : ", which it left to the server in the last pass";
}

/** The places of an answer that hold a value, items of a list as one, each with the first that it holds. */
const namesOf = (body: string | undefined): Map<string, string> => {
  const names = new Map<string, string>();
  for (const { path, value } of leavesOf(jsonOf(body ?? ""))) {
    const place = path.replace(/\.\d+(?=\.|$)/g, "");
    if (!names.has(place)) names.set(place, String(value));
  }
  return names;
};

const parentOf = (place: string): string => place.slice(0, place.lastIndexOf(".") + 1);
const isIn = (names: ReadonlyMap<string, string>, parent: string): boolean =>
  [...names.keys()].some((one) => one.startsWith(parent));
