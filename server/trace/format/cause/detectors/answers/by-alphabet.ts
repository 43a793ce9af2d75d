import { answerFinding } from "../../exchanges/answer-finding.ts";
import { queryOf } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, quoted, requestOf, withoutQuery } from "../../words.ts";
import { partAsSaid } from "../requests/given-in-query.ts";

const MOST = 40;
const MOST_PARTS = 20;
const MOST_THINGS = 500;
/** Fewer things stand in the order of the alphabet by chance. */
const FEWEST = 3;

/** A list that was asked for by the order of a field, whose words stand by the alphabet here and by what they mean in every pass: high, low, normal. */
export function detectByAlphabet(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const got = bareOf(failed.received ?? "").toLowerCase();
  if (passes.length === 0 || got === "") return [];
  for (const one of answersBefore(evidence, MOST, ({ method }) => method === "GET").toReversed()) {
    const things = thingsOf(one, run.bodies);
    const sort = sortIn(one, Object.keys(things[0] ?? {}));
    if (sort === null) continue;
    const { name, part } = sort;
    const mine = wordsIn(things, name);
    const usual = passes.map((pass) => usualWords(pass, one, run, name));
    const [before] = usual;
    if (!mine || !before || !usual.every((words) => words?.join() === before.join())) continue;
    // Only where the test met the one that stands first.
    if (before[0] === mine[0] || !got.includes(mine[0]!.toLowerCase())) continue;
    if (!isByAlphabet(mine, before) || isByAlphabet(before, mine)) continue;
    const request = requestOf({ ...one, url: withoutQuery(one.url) }, run.facts);
    const title = `${request}, asked with ${partAsSaid(part)}, answered its list in the order of the alphabet: ${begun(mine)}, where the last pass has ${begun(before)}`;
    return [{ ...answerFinding(evidence, one, title, 0.93), isSortedAsText: true }];
  }
  return [];
}

const MOST_TOLD = 3;

const begun = (words: readonly string[]): string =>
  words
    .slice(0, MOST_TOLD)
    .map((word) => quoted(word, 40))
    .join(", ");

/** The part of a question that names a field of the things as what they are sorted by. */
function sortIn(one: Exchange, names: readonly string[]): { name: string; part: [string, string] } | null {
  for (const part of queryOf(one).slice(0, MOST_PARTS)) {
    const words = part[1].toLowerCase().split(/[^\p{L}\d]+/u);
    const name = names.find((field) => words.includes(field.toLowerCase()));
    if (name !== undefined) return { name, part };
  }
  return null;
}

/** The words that things have under a name, each once, in their order; null where few have one, or the same ones do not stand together. */
function wordsIn(things: readonly Record<string, unknown>[], name: string): string[] | null {
  const all = things.slice(0, MOST_THINGS).map((thing) => thing[name]);
  if (all.length < FEWEST || !all.every((word) => typeof word === "string" && WORD.test(word))) return null;
  const words = (all as string[]).filter((word, at) => word !== all[at - 1]);
  return new Set(words).size === words.length && words.length < all.length ? words : null;
}

const WORD = /^\p{L}[\p{L} _-]{0,39}$/u;

const usualWords = (pass: RunEvidence, one: Exchange, run: RunEvidence, name: string): string[] | null => {
  const same = exchangesOf(pass.facts, exchangeKey(one, run.facts)).findLast(
    ({ url }) => URL.parse(url)?.search === URL.parse(one.url)?.search,
  );
  return same === undefined ? null : wordsIn(thingsOf(same, pass.bodies), name);
};

/** Whether words are the first of all that are known, by the alphabet in either direction. */
function isByAlphabet(words: readonly string[], others: readonly string[]): boolean {
  const all = [...new Set([...words, ...others])].sort((one, other) =>
    one.toLowerCase() < other.toLowerCase() ? -1 : 1,
  );
  const isFirst = (known: readonly string[]) => words.every((word, at) => word === known[at]);
  return isFirst(all) || isFirst(all.toReversed());
}
