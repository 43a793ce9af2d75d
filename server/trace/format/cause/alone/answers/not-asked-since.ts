import { isAskedAlike, isRead, isWrite } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
const LONGEST = 60;

/** What should be gone after a write, and still shows the value of an answer that was not asked for again since. */
export function detectNotAskedSince(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const shown = shownAgainstWish(evidence);
  const action = actionBefore(facts, evidence.failed);
  if (shown === null || action === null) return [];
  const answers = answersBefore(evidence, MOST, (one) => one.type !== "api" && !isBeside(one));
  const write = answers.findLast((one) => isWrite(one, run) && one.ts >= action.ts && !isRefusedBy(one, run));
  if (!write) return [];
  const isAsked = (one: Exchange) =>
    facts.exchanges.some((other) => other.ts >= write.ts && isAskedAlike(other, one));
  for (const one of answers.toReversed()) {
    if (!isRead(one, run) || one.ts >= write.ts || !isAbove(one, write) || isAsked(one)) continue;
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ value }) => (typeof value === "number" || typeof value === "string") && String(value) === shown,
    );
    if (!leaf) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, facts)} was not asked for again after ${requestOf(write, facts)}, answered with ${write.status}: the page still shows ${quoted(shown, 40)}, its ${quoted(leaf.path, 60)} from before`,
        detail: null,
        step_id: write.step_id,
        events: [write.seq, one.seq],
        ts: write.end ?? write.ts,
        is_new: null,
        weight: 0.86,
        about: aboutUrl(one.url, facts, one.operation),
      },
    ];
  }
  return [];
}

/** The text of the one element that the step wants to be gone. */
function shownAgainstWish({ failed, run }: Evidence): string | null {
  const isUnwanted =
    /^"?(?:hidden|detached)"?$/.test(failed.expected ?? "") ||
    (/count/i.test(failed.title) && failed.expected === "0");
  const found = isUnwanted && run.page ? foundWithin(targetOf({ failed }), run.page.elements) : [];
  const text = found.length === 1 ? found[0]!.text.trim() : "";
  return text === "" || text.length > LONGEST ? null : text;
}

/** Whether a write is to what an answer is of, or to a part of it: `/news/read-all` of `/news`. */
const isAbove = (one: Exchange, write: Exchange): boolean =>
  `${pathOf(write.url)}/`.startsWith(`${pathOf(one.url).replace(/\/$/, "")}/`);
