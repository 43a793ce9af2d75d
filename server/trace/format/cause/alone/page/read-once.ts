import { WAITS_BY_DESIGN } from "../../plausibility/words.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, isForeign, lapse, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

/** A page asks for what an action brings within this, ms. */
const BY_ACTION_MS = 1_000;
/** A value that was read longer before it is compared may be of anything. */
const READ_WITHIN_MS = 1_000;

/** A value that the test read once, while what its last action had asked for was not answered yet. */
export function detectReadOnce(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  if (!/expect\(received\)/.test(failed.message) || failed.received === null) return [];
  const read = facts.steps.findLast(
    ({ kind, name, ts, isFailed }) =>
      kind === "agent.action" && ts <= failed.from + 5 && !isFailed && READS.test(name),
  );
  const action = actionBefore(facts, failed);
  if (!read || !action || action.end > read.ts + 5 || failed.from - read.end > READ_WITHIN_MS) return [];
  if (isReadAgain(evidence, action, read) || !isReadValue(read, evidence)) return [];
  if (hasWaited(evidence, action, read)) return [];
  const under = facts.exchanges.findLast(
    (one) =>
      /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
      one.ts >= action.ts &&
      one.ts <= read.end &&
      one.ts - action.end <= BY_ACTION_MS &&
      (one.end === null || one.end > read.end) &&
      isOfPage(one, evidence),
  );
  if (!under) return [];
  return [
    {
      kind: "test_code",
      title: `The test read ${quoted(bareOf(failed.received), 60)} once and did not wait: ${quoted(read.title, 100)} came ${lapse(Math.max(0, read.ts - action.end))} after ${quoted(action.title, 100)}, while ${requestOf(under, facts)} was not answered yet`,
      detail: null,
      step_id: failed.step?.step_id ?? read.step_id,
      events: [read.seq, under.requestSeq ?? under.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.88,
    },
  ];
}

/** Calls that say what is on the page just then. */
const READS =
  /(?:^|\.)(?:count|queryCount|textContent|innerText|allTextContents|allInnerTexts|inputValue|getAttribute|isVisible|isHidden|isEnabled|isDisabled|isChecked)$/i;

/** Whether the test read the same several times since its action, as `expect.poll` and `toPass` do. */
const isReadAgain = ({ run: { facts }, failed }: Evidence, action: Step, read: Step): boolean =>
  /waiting on the predicate/.test(failed.message) ||
  facts.steps.some(
    (one) => one.seq !== read.seq && one.title === read.title && one.ts >= action.end && one.ts <= failed.to,
  );

/** Whether it is the value that the test compared, where the recorder tells what was read. */
const isReadValue = ({ returned }: Step, { failed }: Evidence): boolean =>
  returned === null || bareOf(returned) === bareOf(failed.received ?? "");

/** Whether the test looked until something was so after its action. */
const hasWaited = ({ run: { facts } }: Evidence, action: Step, read: Step): boolean =>
  facts.steps.some(
    ({ kind, name, ts, end }) =>
      (kind === "assertion" || /waitFor/i.test(name)) && ts >= action.end - 5 && end <= read.ts + 5,
  );

const isOfPage = (one: Exchange, { run: { facts } }: Evidence): boolean =>
  !isForeign(one.url, facts) && !isBeside(one) && !isPolling(one) && !waitsByDesign(one);

const waitsByDesign = ({ method, url }: Exchange): boolean =>
  method === "GET" && WAITS_BY_DESIGN.test(pathOf(url));
