import type { Finding } from "../types.ts";
import { hasOtherCode } from "./other-code.ts";
import { all, atLeast, because, explained, type Rule, say } from "./rule.ts";

type Met = "line" | "order" | "network";

/** By what a changed test may have met it: its line found or threw it, it came of its steps in another order, or its route answered so. */
function metAs({ kind, is_new, about, title }: Finding): Met | null {
  if (is_new !== true) return null;
  if (kind === "element_ambiguous" || about?.startsWith("header ")) return "line";
  if (about?.startsWith("forgot ")) return "order";
  if (kind !== "test_code") return null;
  return THROWN.test(title) ? "line" : ROUTE_LACKS.test(title) ? "network" : null;
}

const THROWN = /^The test's own code threw /;
const ROUTE_LACKS = /^The test's own route answered .* without /;

/** Whether something tells by itself what a changed test met. */
export function isMetBy(change: Finding, finding: Finding): boolean {
  const met = change.isOfTest ? metAs(finding) : null;
  if (met === "line") return change.about === `test ${finding.events[0]}`;
  return met === "order" ? change.isMovedTest === true : met === "network" && change.isOfNetwork === true;
}

/** What a changed test met says more than that it was changed there, and is told with it. */
export const metByChange: Rule = (finding, { news }) => {
  if (!(finding.isOfTest || metAs(finding)) || hasOtherCode(news)) return null;
  if (finding.isOfTest) return news.some((one) => isMetBy(finding, one)) ? explained : null;
  const change = news.find((one) => isMetBy(one, finding));
  if (!change) return null;
  if (!change.isMovedTest) return all(because(change), atLeast(MET));
  const shut = news.find(({ kind, is_new }) => kind === "element_disabled" && is_new === true);
  const moved = say(
    "the test was changed, and does these in another order than in the last pass",
    ...change.events,
  );
  return all(moved, ...(shut ? [because(shut)] : []), atLeast(MET));
};

/** Above what a changed test weighs where nothing tells what it met. */
const MET = 0.985;
