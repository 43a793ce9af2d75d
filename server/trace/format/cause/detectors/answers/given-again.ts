import { isWrite, SECRET } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, headerOf, quoted } from "../../words.ts";

/** What servers make for one thing. */
const MADE = /^(?=.*[a-z])(?=.*\d)[\w-]{6,64}$/i;
const OF_AN_ID = /(?:^|[._])(?:id|uuid|key|ref|reference|number|code)$|Id$/;
/** Answers to one address that are looked through. */
const MOST = 50;

/** That a write was answered with the very thing which an earlier one of the run had made, as none is in a pass, as a clause; empty where it was not. */
export function givenAgain({ run, passes }: Evidence, one: Exchange): string {
  if (one.method !== "POST" || !isWrite(one, run)) return "";
  const key = exchangeKey(one, run.facts);
  const before = answersTo(key, run).filter(({ end }) => end !== null && end <= one.ts);
  const given = idIn(one, run);
  if (given === null || passes.some((pass) => isAnyTwice(answersTo(key, pass), pass))) return "";
  const first = before.find((earlier) => idIn(earlier, run)?.value === given.value);
  return first === undefined || isSameKey(first, one)
    ? ""
    : `: it came with ${quoted(given.value, 40)} for ${quoted(given.path, 40)} again, which an earlier one had made`;
}

const answersTo = (key: string, { facts }: RunEvidence): Exchange[] =>
  exchangesOf(facts, key)
    .filter(({ status }) => status !== null && status < 300)
    .slice(0, MOST);

/** The first id that an answer gives. */
function idIn(one: Exchange, { bodies }: RunEvidence): { path: string; value: string } | null {
  const leaf = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).find(
    ({ path, value }) =>
      typeof value === "string" && OF_AN_ID.test(path) && !SECRET.test(path) && MADE.test(value),
  );
  return leaf ? { path: leaf.path, value: String(leaf.value) } : null;
}

/** Whether two answers give the same id. */
function isAnyTwice(answers: readonly Exchange[], run: RunEvidence): boolean {
  const ids = answers.flatMap((one) => idIn(one, run)?.value ?? []);
  return new Set(ids).size < ids.length;
}

/** Who sends the same key again asks for the same thing again. */
const isSameKey = (first: Exchange, one: Exchange): boolean => {
  const [before, now] = [first, one].map(({ requestHeaders }) => headerOf(requestHeaders, "idempotency-key"));
  return now !== null && now === before;
};
