import { queryOf } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { hasNumber } from "../../values/figures.ts";
import { isForeign, quoted, requestOf, withoutQuery } from "../../words.ts";

const MOST = 20;
const SIZE = /^(?:limit|size|count|take|rows|per_?page|(?:page|batch)_?size|page_?limit)$/i;

/** A list that was asked for in parts of another size than in every pass, where the page says that size or the test wants the usual one. */
export function detectPageSize(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) =>
      one.method === "GET" &&
      /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
      !isForeign(one.url, run.facts),
  );
  for (const one of reads.toReversed())
    for (const [name, size] of sizesOf(one)) {
      const usual = usualSize(evidence, one, name);
      if (usual === null || sizesIn(run, one, name).has(usual)) continue;
      const has = (text: string | null, number: string) => text !== null && hasNumber(text, Number(number));
      const isMet =
        (has(failed.received, size) && !has(failed.expected, size)) ||
        (has(failed.expected, usual) && !has(failed.received, usual));
      const things = thingsOf(one, run.bodies).length;
      if (!isMet || things > Number(size)) continue;
      return [
        {
          kind: "page_changed",
          title: `${requestOf(one, run.facts)} asked for ${size} at a time (${quoted(name, 40)}), where the last pass asked for ${usual}${things > 0 ? `; it was answered with ${things}` : ""}`,
          detail: null,
          step_id: one.step_id,
          events: [one.requestSeq ?? one.seq, one.seq],
          ts: one.ts,
          is_new: true,
          weight: 0.86,
          about: `body ${one.seq}`,
          isOtherQuestion: true,
        },
      ];
    }
  return [];
}

const sizesOf = (one: Exchange): [string, string][] =>
  queryOf(one).filter(([name, value]) => SIZE.test(name) && /^[1-9]\d{0,3}$/.test(value));

/** The one size by which every pass asks for a list; null where they ask by several, or one does not ask. */
function usualSize({ passes }: Evidence, one: Exchange, name: string): string | null {
  const all = passes.map((pass) => sizesIn(pass, one, name));
  const [usual, ...others] = new Set(all.flatMap((sizes) => [...sizes]));
  return usual !== undefined && others.length === 0 && all.every(({ size }) => size === 1) ? usual : null;
}

/** The sizes by which the page asks for the list at one address; the test itself may ask for another one. */
function sizesIn({ facts }: RunEvidence, { method, type, url }: Exchange, name: string): Set<string> {
  const address = facts.normaliser.url(withoutQuery(url));
  return new Set(
    facts.exchanges
      .filter(
        (other) =>
          other.method === method &&
          other.type === type &&
          facts.normaliser.url(withoutQuery(other.url)) === address,
      )
      .flatMap((other) => sizesOf(other).flatMap(([its, value]) => (its === name ? [value] : []))),
  );
}
