import { answerFinding } from "../../exchanges/answer-finding.ts";
import { targetOf } from "../../page/target.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 20;
/** One of a few values that a product has words for: `pending_approval`. */
const ONE_OF_FEW = /^[a-z]{2,20}(?:[_-][a-z]{2,20}){0,3}$/i;

/** A page that shows nothing for a value of which it has words for a few only: what the last answer says there is none of them. */
export function detectUnknownValue(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const want = bareOf(failed.expected ?? "");
  if (failed.received === null || bareOf(failed.received) !== "" || !/^\p{L}[\p{L} ]{1,30}$/u.test(want))
    return [];
  const spoken = topicsOf(targetOf(evidence));
  const answers = answersBefore(evidence, MOST, (one) => isData(one) && !isBeside(one));
  for (const one of answers.toReversed()) {
    const named = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(({ path }) =>
      isNameIn(path, spoken),
    );
    const [leaf] = named;
    if (!leaf) continue;
    if (named.length > 1 || !isOneOfFew(leaf, want)) return [];
    return [
      answerFinding(
        evidence,
        one,
        `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 60)} for ${quoted(leaf.path, 60)}, and ${targetOf(evidence)} shows nothing, where the test wants ${quoted(want, 60)}: a value that the page may not know`,
        0.7,
      ),
    ];
  }
  return [];
}

const isData = ({ type }: Exchange): boolean => /^(?:xhr|fetch)$/.test(type ?? "");

/** Whether the element is called by a name of an answer: `order-status` by `order.status`. */
function isNameIn(path: string, spoken: readonly string[]): boolean {
  if (/(?:^|\.)\d+\./.test(path)) return false;
  const name = topicsOf(path.split(".").at(-1)!);
  return name.length > 0 && name.every((word) => spoken.includes(word));
}

const isOneOfFew = ({ value }: Leaf, want: string): boolean =>
  typeof value === "string" &&
  ONE_OF_FEW.test(value) &&
  value.replace(/[_-]/g, " ").toLowerCase() !== want.toLowerCase();
