import { textOf } from "../../alone/requests/unsaid.ts";
import { CHANGING, requestBodyOf } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;

/**
 * A write that names itself as an earlier one did, where the passes name each anew: servers take such a one for a second
 * try of what is done. Without a pass, one that was answered with what the earlier one had been sent with, and with nothing of its own.
 */
export function detectSameField(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const writes = answersBefore(evidence, MOST, ({ method }) => CHANGING.has(method));
  return [...Map.groupBy(writes, (one) => exchangeKey(one, run.facts))].flatMap(([key, mine]) => {
    if (mine.length < 2) return [];
    const anew = passes.length === 0 ? null : namedAnew(evidence, key);
    return anew?.size === 0 ? [] : (reusedIn(mine, anew, evidence) ?? []);
  });
}

type Made = readonly [path: string, value: string];

/** What of a write reads as made to name that one thing, with its place. */
function madeIn(one: Exchange, run: RunEvidence): Made[] {
  return leavesOf(requestBodyOf(one, run)).flatMap(({ path, value }): Made[] =>
    typeof value === "string" && MADE.test(value) ? [[path, value]] : [],
  );
}

/** Letters and figures together are no date and no amount. */
const MADE = /^(?=.{0,64}[a-z])(?=.{0,64}\d)[\w-]{8,64}$/i;

/** The places at which every pass sends several such values, none of them twice, in no other pass. */
function namedAnew({ passes }: Evidence, key: string): Set<string> {
  const seen = passes.map((pass) =>
    Map.groupBy(
      exchangesOf(pass.facts, key)
        .slice(-MOST)
        .flatMap((one) => madeIn(one, pass)),
      ([path]) => path,
    ),
  );
  return new Set(
    [...seen[0]!.keys()].filter((path) => {
      const all = seen.map((places) => places.get(path)?.map(([, value]) => value) ?? []);
      return all.every(({ length }) => length > 1) && new Set(all.flat()).size === all.flat().length;
    }),
  );
}

/** @param anew the places that name each write anew; null where no pass tells */
function reusedIn(
  mine: readonly Exchange[],
  anew: ReadonlySet<string> | null,
  evidence: Evidence,
): Finding | null {
  const { run } = evidence;
  const known = new Map<string, Exchange>();
  for (const one of mine)
    for (const [path, value] of madeIn(one, run).filter(([place]) => anew?.has(place) ?? true)) {
      const name = `${path} ${value}`;
      const first = known.get(name);
      if (first === undefined) known.set(name, one);
      else if (
        first !== one &&
        isAnother(first, one, run) &&
        (anew !== null || isTakenFor(first, one, run)) &&
        !isGiven(value, first, evidence)
      )
        return findingOf(first, one, path, evidence);
    }
  return null;
}

/** Whether the first was done by then, and the other one says something else: it is no second try. */
const isAnother = (first: Exchange, one: Exchange, run: RunEvidence): boolean =>
  first.end !== null &&
  first.end <= one.ts &&
  JSON.stringify(requestBodyOf(first, run)) !== JSON.stringify(requestBodyOf(one, run));

/** Whether both have one answer, which has of what only the first was sent with, and nothing of what only the other was. */
function isTakenFor(first: Exchange, one: Exchange, run: RunEvidence): boolean {
  const answer = bodyOf(one, run.bodies);
  if (!answer || answer !== bodyOf(first, run.bodies)) return false;
  const [before, now] = [first, one].map(
    (write) =>
      new Set(
        leavesOf(requestBodyOf(write, run)).flatMap(({ value }) =>
          typeof value === "string" && value.length >= SHORTEST ? [value] : [],
        ),
      ),
  ) as [Set<string>, Set<string>];
  const own = [...now.difference(before)];
  return (
    own.length > 0 &&
    !own.some((value) => answer.includes(value)) &&
    [...before.difference(now)].some((value) => answer.includes(value))
  );
}

const SHORTEST = 3;

/** Whether the page did not make it: an answer named a thing so, or the test typed it. */
const isGiven = (value: string, first: Exchange, evidence: Evidence): boolean =>
  evidence.run.facts.steps.some((step) => textOf(step)?.includes(value)) ||
  answersBefore(evidence, MOST, ({ ts }) => ts < first.ts).some((answer) =>
    bodyOf(answer, evidence.run.bodies)?.includes(value),
  );

function findingOf(first: Exchange, one: Exchange, path: string, { run, passes }: Evidence): Finding {
  const key = exchangeKey(one, run.facts);
  const answers = [first, one].map((write) => bodyOf(write, run.bodies));
  const isSame = answers[0] !== undefined && answers[0] === answers[1];
  const isOther = passes.every(({ facts }) =>
    exchangesOf(facts, key).every(({ status }) => status !== one.status),
  );
  const isAlone = passes.length === 0;
  return {
    kind: "page_changed",
    title: `${requestOf(one, run.facts)} was sent with the same ${quoted(path, 60)} as the one before it${isAlone ? "" : ", where every pass sends another each time"}: the server ${isSame ? "took it for that one, and answered the same" : "may take it for that one, which had been done"}`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq, first.seq],
    ts: one.end ?? one.ts,
    is_new: isAlone ? null : true,
    // Who is not answered so is not known to have been taken for another.
    weight: isAlone ? 0.86 : isSame || isOther ? 0.97 : 0.6,
    about: `body ${one.seq}`,
  };
}
