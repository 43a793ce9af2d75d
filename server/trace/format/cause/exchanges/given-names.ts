import { oncePer } from "../once.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { ofSameTurn } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf } from "../words.ts";
import { isWrite, requestBodyOf } from "./sent.ts";

/** Whether two values are what a server named the same new thing by, here and in a pass: the next number, another code. */
export const isGivenName = (evidence: Evidence, now: unknown, before: unknown): boolean =>
  isOfValue(now) && isOfValue(before) && givenNames(evidence, "pairs").has(pairOf(now, before));

/** What is given to what a write makes, and that later requests of the passes go by. */
const givenNames = oncePer((evidence: Evidence, _: "pairs"): ReadonlySet<string> => {
  const { run, passes } = evidence;
  const made = run.facts.exchanges.filter((one) => isWrite(one, run) && !isFailedExchange(one));
  const pairs = new Set<string>();
  for (const one of made.slice(0, MOST)) {
    const mine = new Map(namesIn(one, run).map(({ path, value }) => [path, value]));
    for (const pass of mine.size > 0 ? passes : []) {
      const same = ofSameTurn(one, run.facts, pass.facts);
      for (const { path, value: before } of same ? namesIn(same, pass) : []) {
        const now = mine.get(path);
        if (now === undefined || now === before || !isAskedBy(before, same!, pass)) continue;
        pairs.add(pairOf(now, before));
        const { text } = run.facts.normaliser;
        pairs.add(pairOf(text(String(now)), text(String(before))));
      }
    }
  }
  return pairs;
});

const MOST = 50;

type Value = string | number;

const isOfValue = (value: unknown): value is Value => typeof value === "string" || typeof value === "number";

/** In whichever letters: who searches for such a name may have it sent in small ones. */
const pairOf = (now: Value, before: Value): string => JSON.stringify([now, before]).toLowerCase();

/** Fields of an answer that name what was made, other than by a word that was sent. */
function namesIn(one: Exchange, run: RunEvidence): { path: string; value: Value }[] {
  const sent = new Set(leavesOf(requestBodyOf(one, run)).map(({ value }) => value));
  return leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).flatMap(({ path, value }) =>
    isOfValue(value) && NAMES.test(path) && /^[\w-]{1,64}$/.test(String(value)) && !sent.has(value)
      ? [{ path, value }]
      : [],
  );
}

const NAMES =
  /(?:^|[._])(?:id|number|num|no|nr|code|ref|reference|key|slug)$|[a-z](?:Id|Number|No|Nr|Code|Ref|Reference|Key|Slug)$/;

/** Whether a run asks for what goes by that name afterwards. */
function isAskedBy(name: Value, { ts }: Exchange, run: RunEvidence): boolean {
  const part = new RegExp(`[/=]${String(name)}(?![\\w-])`);
  return run.facts.exchanges.some(
    (later) =>
      later.ts > ts &&
      (part.test(later.url) || leavesOf(requestBodyOf(later, run)).some(({ value }) => value === name)),
  );
}
