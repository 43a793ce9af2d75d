import { counted } from "../../../words.ts";
import { answerFinding } from "../../answer-finding.ts";
import type { Exchange } from "../../run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";

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
