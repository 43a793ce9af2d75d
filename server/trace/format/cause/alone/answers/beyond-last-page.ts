import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, askedFor, isAskedAlike, isRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { quoted, requestOf } from "../../words.ts";

const MOST = 60;
const PAGE = /^(?:page|p|page_?(?:number|index|no))$/i;
const TOTAL = /^(?:total|count|total_?(?:count|items|elements|results)|totalCount)$/i;

/** A later page of a list that was asked for with another filter than the page before it: the list is shorter now, and has no such page. */
export function detectBeyondLastPage(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const reads = answersBefore(evidence, MOST, (one) => isRead(one, run) && askedFor(one, run).length > 0);
  for (const one of reads.toReversed()) {
    const asked = askedFor(one, run);
    const page = asked.find(([name, value]) => PAGE.test(name) && /^[1-9]\d{0,5}$/.test(value));
    const total = page && page[1] !== "1" ? totalOfNothing(answeredWith(one, run)) : null;
    if (!page || total === null) continue;
    const before = reads.findLast(
      (other) => other.ts < one.ts && isAskedAlike(other, one) && pageOf(other, run) === page[1],
    );
    const had = new Map(before && askedFor(before, run));
    const changed = asked.find(([name, value]) => (had.get(name) ?? value) !== value);
    if (!before || !changed) continue;
    return [
      answerFinding(
        evidence,
        one,
        `${requestOf(one, run.facts)} still asked for ${page.join("=")} when ${quoted(changed[0], 40)} had become ${quoted(changed[1], 40)}, and was answered with nothing, of ${total} in all: the page number was kept, and the list is not that long any more`,
        0.9,
      ),
    ];
  }
  return [];
}

/** How many things there are in all by an answer that lists none; null of any other. */
function totalOfNothing(answer: unknown): number | null {
  if (!isRecord(answer)) return null;
  const lists = Object.values(answer).filter(Array.isArray);
  const total = Object.entries(answer).find(([name, value]) => TOTAL.test(name) && typeof value === "number");
  return lists.length === 1 && lists[0]!.length === 0 && Number(total?.[1]) > 0 ? Number(total![1]) : null;
}

const pageOf = (one: Exchange, run: RunEvidence): string | undefined =>
  askedFor(one, run).find(([name]) => PAGE.test(name))?.[1];
