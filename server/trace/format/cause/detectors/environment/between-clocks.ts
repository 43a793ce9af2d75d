import { dataIn } from "../../exchanges/asked-again.ts";
import { valueAt } from "../../exchanges/difference-words.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 30;
/** What the server made just then has its clock's own time. */
const JUST_THEN = 60_000;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
/** By what it is called: a moment at which something is over. */
const OF_AN_END = /(?:due|end|until|expir|clos|deadline)/i;
const STATE = /^[\p{L}][\p{L}_ -]{2,29}$/u;

/**
 * A moment in an answer that the server's clock is past and the run's is not, beside what it is in no pass; without a pass a moment at
 * which something is over.
 *
 * @param ahead ms by which the server's clock is ahead
 */
export function betweenClocks(evidence: Evidence, ahead: number): { words: string; seq: number } | null {
  const { run, passes } = evidence;
  if (ahead <= 0) return null;
  for (const one of answersBefore(evidence, MOST, ({ end }) => end !== null).reverse()) {
    const data = dataIn(bodyOf(one, run.bodies) ?? "");
    const there = passes.map((pass) => dataOf(ofSameTurn(one, run.facts, pass.facts), pass));
    for (const { path, value } of leavesOf(data)) {
      if (!isBetween(value, one.end!, ahead)) continue;
      const state = stateBeside(path, data, there);
      const isEnd = OF_AN_END.test(path.slice(path.lastIndexOf(".") + 1));
      if (passes.length === 0 ? !isEnd : state === null) continue;
      return {
        words: `${quoted(path, 60)} in the answer to ${requestOf(one, run.facts)} is ${String(value)}, which that clock is past and the run's is not${state === null ? "" : `, and ${state}`}`,
        seq: one.seq,
      };
    }
  }
  return null;
}

const dataOf = (one: Exchange | undefined, pass: RunEvidence): unknown =>
  one && dataIn(bodyOf(one, pass.bodies) ?? "");

function isBetween(value: unknown, now: number, ahead: number): boolean {
  if (typeof value !== "string" || !MOMENT.test(value)) return false;
  const ts = Date.parse(value);
  return ts > now && ts < now + ahead - JUST_THEN;
}

/** What the record of a moment says of itself otherwise than in every pass, in words; null where it says nothing of that kind. */
function stateBeside(path: string, data: unknown, there: readonly unknown[]): string | null {
  const around = `/${path.replaceAll(".", "/")}`.replace(/\/[^/]*$/, "");
  const [mine, ...theirs] = [data, ...there].map((one) => (around === "" ? one : valueAt(one, around)));
  if (!isRecord(mine)) return null;
  const found = Object.entries(mine).find(
    ([name, value]) =>
      isState(value) && theirs.every((one) => isRecord(one) && isState(one[name]) && one[name] !== value),
  );
  const [before] = theirs;
  return found && isRecord(before)
    ? `${quoted(found[0], 40)} is ${quoted(String(found[1]), 40)}, where the last pass had ${quoted(String(before[found[0]]), 40)}`
    : null;
}

const isState = (value: unknown): boolean =>
  typeof value === "boolean" || (typeof value === "string" && STATE.test(value));
