import { queryOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, GESTURES } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, pathOf, quoted, quotedStep } from "../../words.ts";

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
    ({ method, type }) => method === "GET" && /^(?:xhr|fetch)$/.test(type ?? ""),
  );
  const one = reads.findLast((read) => read.ts >= action.ts && orderOf(read).length > 0);
  const first = reads.findLast(
    ({ ts, url }) =>
      one !== undefined && ts >= before.ts && ts < action.ts && pathOf(url) === pathOf(one.url),
  );
  if (!one || first?.url !== one.url) return [];
  const turned = orderOf(one).flatMap(([, value]) => OPPOSITE[value.toLowerCase()] ?? []);
  return [
    {
      kind: "page_changed",
      title: `After ${quotedStep(action)} for the second time the page asked GET ${addressOf(one.url.replace(/\?.*/s, ""), run.facts)} in the same order again (${quoted(
        orderOf(one)
          .map((part) => part.join("="))
          .join("&"),
        80,
      )})${turned[0] === undefined ? "" : `, and not in the opposite one (${quoted(turned[0], 20)})`}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, one.seq],
      ts: one.ts,
      is_new: null,
      weight: 0.9,
      about: `acted ${action.seq}`,
    },
  ];
}

const orderOf = (one: Exchange): [string, string][] => queryOf(one).filter(([name]) => ORDER.test(name));
