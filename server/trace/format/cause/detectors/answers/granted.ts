import type { Answer } from "../../exchanges/asked-again.ts";
import { rankOf } from "../../exchanges/difference-rank.ts";
import { otherSent, sentOtherwise } from "../../exchanges/other-sent.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bodyOf, isTracker, quoted, requestOf } from "../../words.ts";

/** What every pass was refused and this run was given. */
export function grantedHere(
  evidence: Evidence,
  one: Exchange,
  others: Answer[][],
): Pick<Finding, "kind" | "title" | "weight" | "is_new"> | null {
  const theirs = inTurn(evidence, one, others) ?? others.flat().map(({ exchange }) => exchange);
  const isGivenOnlyHere =
    theirs.length > 0 && others.every((list) => list.length > 0) && theirs.every(isFailedExchange);
  // That others let a page count again breaks none of it.
  if (!isGivenOnlyHere || isTracker(one.url)) return null;
  const said = saidIn(bodyOf(theirs[0]!, evidence.passes[0]!.bodies));
  const isSought = rankOf(evidence, { path: "/", before: said ?? "", now: undefined }) > 1;
  const isUnchecked =
    isWrite(one, evidence.run) && theirs.every(isRefusal) && otherSent(evidence, one) === null;
  return {
    kind: "answer_changed",
    title: `${requestOf(one, evidence.run.facts)}${sentOtherwise(evidence, one)} was answered with ${one.status}, where the last pass got ${theirs[0]!.status}${said === null ? "" : `: ${quoted(said, 100)}`}`,
    is_new: true,
    weight: isSought ? 0.94 : isUnchecked ? 0.9 : 0.6,
  };
}

/**
 * What each pass got to the write that it sent in the same turn, where the ones before it went as in this run: of several that go
 * by one name one may be refused and another not. Null of anything else.
 */
function inTurn({ run, passes }: Evidence, one: Exchange, others: Answer[][]): Exchange[] | null {
  const key = exchangeKey(one, run.facts);
  const mine = exchangesOf(run.facts, key);
  const turn = mine.indexOf(one);
  if (!isWrite(one, run) || one.type === "api" || passes.length < 2) return null;
  const theirs = passes.flatMap(({ facts }, of) => {
    const all = exchangesOf(facts, key);
    const isAlike = mine.slice(0, turn).every(({ status }, at) => all[at]?.status === status);
    const other = others[of]!.find(({ exchange }) => exchange === all[turn]);
    return isAlike && other ? [other.exchange] : [];
  });
  return theirs.length === passes.length ? theirs : null;
}

/** Whether a server did not do what it was asked for, and would not do it the next time either. */
const isRefusal = ({ status }: Exchange): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
