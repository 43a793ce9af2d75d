import { isRead } from "../../exchanges/sent.ts";
import { isSameText, shownAt } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { topicsOf } from "../../run/operations.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf, isFigureOf } from "../../values/figures.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, quoted, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 20;
/** What came later than this before the page was recorded may not have been drawn yet. */
const TIME_TO_DRAW_MS = 300;

/** A figure that stands there as before the last action, though what the page read since says the wanted one by the name that the test calls it by: the page reads it once and does not follow. */
export function detectNotFollowed(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { before, page } = run;
  const action = actionBefore(run.facts, failed);
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  if (!action || !before || !page || !isOtherFigure(want, got)) return [];
  const target = targetOf(evidence);
  if (![before, page].every((seen) => shownAt(seen, target).some((text) => isSameText(text, got)))) return [];
  const topics = new Set(topicsOf(target));
  const reads = answersBefore(
    evidence,
    MOST,
    (one) =>
      one.ts >= action.ts &&
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      (one.end ?? one.ts) <= page.shot.ts - TIME_TO_DRAW_MS &&
      isRead(one, run) &&
      !isBeside(one) &&
      !isForeign(one.url, run.facts),
  ).filter((one) => exchangesOf(run.facts, exchangeKey(one, run.facts)).at(-1) === one);
  for (const one of reads.toReversed()) {
    const named = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(({ path }) =>
      topicsOf(path.split(".").at(-1)!).some((topic) => topics.has(topic)),
    );
    const [leaf, ...others] = named.filter(({ value }) => typeof value === "number");
    if (!leaf || others.length > 0 || !isFigureOf(leaf.value, want)) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 20)} for ${quoted(leaf.path, 60)}, as the test wants, but ${target} still shows ${quoted(got, 60)}, as before ${quotedStep(action)}: the page did not take that over`,
        detail: null,
        step_id: action.step_id,
        events: [one.seq, page.shot.seq],
        ts: failed.to,
        is_new: null,
        weight: 0.88,
        about: `kept unfollowed ${action.seq}`,
      },
    ];
  }
  return [];
}

const FIGURE = /\d[\d.,]*/;

/** Whether two texts differ in their one figure. */
const isOtherFigure = (want: string, got: string): boolean =>
  figureOf(want) !== null &&
  figureOf(got) !== null &&
  !isSameText(want, got) &&
  isSameText(want.replace(FIGURE, "0"), got.replace(FIGURE, "0"));
