import { answerFinding } from "../../exchanges/answer-finding.ts";
import { queryOf } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf, withoutQuery } from "../../words.ts";

const MOST = 60;
const PAGE = /^(?:page|p|page_?(?:number|index|no))$/i;
const TOTAL = /^(?:total|count|total_?(?:count|items|elements|results)|totalCount)$/i;

/** A later page of a list that was asked for with another filter than the page before it: the list is shorter now, and has no such page. */
export function detectBeyondLastPage(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const reads = answersBefore(evidence, MOST, ({ method, url }) => method === "GET" && url.includes("?"));
  for (const one of reads.toReversed()) {
    const query = queryOf(one);
    const page = query.find(([name, value]) => PAGE.test(name) && /^[1-9]\d{0,5}$/.test(value));
    const total = page && page[1] !== "1" ? totalOfNothing(bodyOf(one, run.bodies)) : null;
    if (!page || total === null) continue;
    const before = reads.findLast(
      (other) => other.ts < one.ts && pathAlike(other.url, one.url) && pageOf(other) === page[1],
    );
    const changed = before && query.find(([name, value]) => (get(before, name) ?? value) !== value);
    if (!changed) continue;
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
function totalOfNothing(body: string | undefined): number | null {
  const answer = jsonOf(body ?? "");
  if (!isRecord(answer)) return null;
  const lists = Object.values(answer).filter(Array.isArray);
  const total = Object.entries(answer).find(([name, value]) => TOTAL.test(name) && typeof value === "number");
  return lists.length === 1 && lists[0]!.length === 0 && Number(total?.[1]) > 0 ? Number(total![1]) : null;
}

const get = (one: Parameters<typeof queryOf>[0], name: string): string | undefined =>
  queryOf(one).find(([other]) => other === name)?.[1];

const pageOf = (one: Parameters<typeof queryOf>[0]): string | undefined =>
  queryOf(one).find(([name]) => PAGE.test(name))?.[1];

const pathAlike = (one: string, other: string): boolean => withoutQuery(one) === withoutQuery(other);
