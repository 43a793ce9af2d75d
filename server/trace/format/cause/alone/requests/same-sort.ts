import { askedFor, askedIn, isAskedAlike, isRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, GESTURES } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, requestOf, withoutQuery } from "../../words.ts";
import { askedTheSame } from "./asked-the-same.ts";

const MOST = 60;
/** By what a page asks for the order of a list. */
const ORDER = /^(?:(?:sort|order)(?:_?(?:by|dir|direction|order))?|dir|direction|ordering)$/i;
const OPPOSITE: Record<string, string> = {
  asc: "desc",
  desc: "asc",
  ascending: "descending",
  descending: "ascending",
};

/** The test pressed twice what a list is sorted by, and the page asked for the very order again that it had. */
export function detectSameSort(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [action, before] = run.facts.steps
    .filter(({ kind, name, end }) => kind === "agent.action" && GESTURES.test(name) && end <= failed.from + 5)
    .slice(-2)
    .reverse();
  if (!action || before?.title !== action.title || !/(?:^|\.)(?:click|tap|press)$/i.test(action.name))
    return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && /^(?:xhr|fetch)$/.test(one.type ?? ""),
  );
  const one = reads.findLast((read) => read.ts >= action.ts && orderOf(read, run).length > 0);
  const first = reads.findLast(
    (read) => one !== undefined && read.ts >= before.ts && read.ts < action.ts && isAskedAlike(read, one),
  );
  if (!one || !first || askedIn(first, run) !== askedIn(one, run)) return [];
  const order = orderOf(one, run);
  const [turned] = order.flatMap(([, value]) => OPPOSITE[value.toLowerCase()] ?? []);
  const opposite = turned === undefined ? "" : `, and not in the opposite one (${quoted(turned, 20)})`;
  const asked = quoted(order.map((part) => part.join("=")).join("&"), 80);
  const request = requestOf({ ...one, url: withoutQuery(one.url) }, run.facts);
  return [
    askedTheSame(
      action,
      one,
      `${request} in the same order again (${asked})${opposite}`,
      " for the second time",
    ),
  ];
}

const orderOf = (one: Exchange, run: RunEvidence): [string, string][] =>
  askedFor(one, run).filter(([name]) => ORDER.test(name));
