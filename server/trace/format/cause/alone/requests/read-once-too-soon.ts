import { isRead } from "../../exchanges/sent.ts";
import { WAITS_BY_DESIGN } from "../../plausibility/words.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore, GESTURES, GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Failed, Finding, RunEvidence } from "../../types.ts";
import { bareOf, isTracker, pathOf, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

/** An assertion that waits takes longer where it fails. */
const AT_ONCE_MS = 300;
const READS =
  /(?:^|\.)(?:count|textContent|innerText|allTextContents|allInnerTexts|inputValue|isVisible|all|evaluateAll)$/;

/** A value that the test read once, right after an action, while what that had asked for was under way: it compared what had been there before. */
export function detectReadTooSoon(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  if (failed.to - failed.from > AT_ONCE_MS) return [];
  const read = facts.steps.findLast(
    (step) => step.ts <= failed.from && READS.test(step.name) && !step.isFailed,
  );
  // A page that was just opened and has nothing yet is not drawn.
  const names = isOfNothing(failed) ? GESTURES_AND_OPENINGS : GESTURES;
  const action = actionBefore(facts, failed, names);
  if (!read || !action || read.ts < action.end - 5 || failed.from - read.end > AT_ONCE_MS) return [];
  if (failed.received === null && !isUnwanted(read, failed)) return [];
  const isWaited = facts.steps.some(
    (step) => step.ts >= action.end - 5 && step.end <= read.ts + 5 && isAwaiting(step),
  );
  const asked = facts.exchanges.find(
    (one) =>
      one.ts >= action.ts - 5 &&
      one.ts <= read.end &&
      (one.end === null || one.end > read.ts) &&
      isOfData(one, run),
  );
  if (!asked || isWaited) return [];
  return [
    {
      kind: "test_code",
      title: `The test read ${quotedStep(read)} once and did not wait: right after ${quotedStep(action)}, while ${requestOf(asked, facts)} was still under way, so that it saw the page as it was before the answer`,
      detail: null,
      step_id: read.step_id,
      events: [read.seq, asked.seq],
      ts: read.end,
      is_new: null,
      weight: 0.88,
      about: `waited ${read.seq}`,
    },
  ];
}

/** Values by which a test sees that there is nothing. */
const isOfNothing = ({ received }: Failed): boolean =>
  received !== null && /^(?:|0|false|Array \[\]|\[\])$/.test(bareOf(received));

/** Whether it read the very value that the test says must not be there: of such a comparison the runner tells no other. */
const isUnwanted = ({ returned }: Step, { expected }: Failed): boolean =>
  returned !== null &&
  /^not /.test(expected ?? "") &&
  bareOf(expected!.slice("not ".length)) === bareOf(returned);

const isAwaiting = ({ kind, name }: Step): boolean =>
  kind === "assertion" || /waitFor|__waitInfo__|^to[A-Z]/.test(name);

const isOfData = (one: Exchange, run: RunEvidence): boolean =>
  isRead(one, run) &&
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
  !isTracker(one.url) &&
  !isBeside(one) &&
  !WAITS_BY_DESIGN.test(pathOf(one.url));
