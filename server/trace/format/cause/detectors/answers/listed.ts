import { counted } from "../../../words.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { hasSeveralWords, quoted, requestOf } from "../../words.ts";

/** How many things the test wants and how many it counted; null where it counts none. */
export function countsOf({
  failed: { expected, received, title, message },
}: Evidence): { want: number; got: number } | null {
  const [want, got] = [expected, received].map((value) => (/^\d+$/.test(value ?? "") ? Number(value) : null));
  return want == null || got == null || !/count|length/i.test(`${title} ${message}`) ? null : { want, got };
}

/** The texts that a page has more often than each of the passes' pages: a list names things twice, or others as well. */
export function moreItems(evidence: Evidence, one: Exchange, now: string[], pages: string[][]): Finding[] {
  const { text: normalised } = evidence.run.facts.normaliser;
  const timesIn = (texts: readonly string[], text: string) =>
    texts.filter((other) => normalised(other) === normalised(text)).length;
  const more = [...new Set(now)].filter(
    (text) => /\p{L}{3}/u.test(text) && pages.every((texts) => timesIn(texts, text) < timesIn(now, text)),
  );
  // What stands on the page once for each thing tells nothing; what was there once names the thing.
  const named = more
    .map((text) => ({ text, times: timesIn(now, text), before: timesIn(pages[0] ?? [], text) }))
    .toSorted((a, b) => a.before - b.before)
    .slice(0, MOST_NAMED);
  if (named.length === 0) return [];
  return [
    {
      ...answerFinding(
        evidence,
        one,
        `${requestOf(one, evidence.run.facts)} came with ${named.map(({ text, times }) => `${quoted(text, 60)}${times > 1 ? ` ${times} times` : ""}`).join(", ")}, which the last pass has ${named[0]!.before === 0 ? "not" : named[0]!.before === 1 ? "once" : "less often"}: it lists more things`,
        0.88,
      ),
      listsMore: true,
    },
  ];
}

/** The page has the very text that the test counts more often than in each pass, whatever else stands there: told with what no pass has beside it. */
export function countedMore(
  evidence: Evidence,
  one: Exchange,
  { now, fresh, pages }: { now: string[]; fresh: string[]; pages: string[][] },
): Finding[] {
  const places = (texts: readonly string[], name: string) =>
    texts.flatMap((text, at) => (text.includes(name) ? [at] : []));
  const [name] = wordsOfTarget(evidence).filter((text) => {
    const usual = pages.map((texts) => places(texts, text).length);
    return Math.min(...usual) > 0 && places(now, text).length > Math.max(...usual);
  });
  if (name === undefined) return [];
  const mine = places(now, name);
  const isFresh = new Set(fresh);
  const beside = mine
    .flatMap((at, nth) => now.slice(at + 1, Math.min(mine[nth + 1] ?? at + MOST_BESIDE, at + MOST_BESIDE)))
    .find((text) => isFresh.has(text) && hasSeveralWords(text));
  return [
    {
      ...answerFinding(
        evidence,
        one,
        `${requestOf(one, evidence.run.facts)} came with ${quoted(name, 60)} ${mine.length === 2 ? "twice" : `${mine.length} times`}, which the last pass has ${places(pages[0]!, name).length === 1 ? "once" : "less often"}${beside === undefined ? "" : `; ${quoted(beside, 80)} stands beside one of them, and in no pass`}`,
        0.88,
      ),
      listsMore: true,
    },
  ];
}

/** So many texts are of one row. */
const MOST_BESIDE = 12;

/** The texts that the failed step's locator names, without the roles in it. */
export const wordsOfTarget = (evidence: Evidence): string[] =>
  [
    ...targetOf(evidence)
      .replace(/getByRole\(['"]\w+['"]/g, "")
      .matchAll(/['"]([^'"]{2,80})['"]/g),
  ].map(([, text]) => text!);

const MOST_NAMED = 2;
const MOST_LOST = 3;

/** The page came without some of the texts that every pass has, and with no others: a list has fewer items, or none. */
export function lostItems(evidence: Evidence, one: Exchange, gone: string[], pages: string[][]): Finding[] {
  const { text: normalised } = evidence.run.facts.normaliser;
  const sets = pages.map((texts) => new Set(texts.map(normalised)));
  const lost = gone.filter((text) => sets.every((set) => set.has(normalised(text))));
  if (lost.length === 0) return [];
  const named = lost.filter((text) => /\p{L}{3}/u.test(text)).slice(0, MOST_LOST);
  const more = lost.length - named.length;
  return [
    answerFinding(
      evidence,
      one,
      `${requestOf(one, evidence.run.facts)} came without ${named.map((text) => quoted(text, 60)).join(", ")}${more > 0 ? ` and ${counted(more, "other text")}` : ""}, which it has in the last pass: it lists fewer things, or none`,
      0.86,
    ),
  ];
}
