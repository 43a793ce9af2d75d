import { openedAfter } from "../../page/filled.ts";
import { targetOf } from "../../page/target.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep, requestOf } from "../../words.ts";
import { isOwnWrite } from "../requests/empty-write.ts";
import { isRefusedBy } from "../requests/refused.ts";

const TICKS = /(?:^|\.)(?:check|uncheck|setChecked)$/;
const STATES = /^(?:not )?(?:un)?checked$/;

/** A box that the test ticked or unticked, a write that was taken, and the box as it was before on the page that was opened since. */
export function detectTickNotKept(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const [want, got] = [failed.expected ?? "", failed.received ?? ""];
  if (!STATES.test(want) || !STATES.test(got) || want === got) return [];
  const target = targetOf(evidence);
  const set = facts.steps.findLast(
    (step) =>
      TICKS.test(step.name) && !step.isFailed && step.end <= failed.from && step.title.endsWith(` ${target}`),
  );
  const opened = set && openedAfter(facts, set);
  if (!set || !opened || opened.ts > failed.from) return [];
  const write = facts.exchanges.findLast(
    (one) => one.ts >= set.ts && one.ts <= opened.ts && isOwnWrite(one, run),
  );
  if (!write || write.status === null || isRefusedBy(write, run)) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, facts)} was answered with ${write.status} after ${quotedStep(set)}, but after ${quotedStep(opened)} the box is still ${quoted(got, 20)}: what was chosen was not stored`,
      detail: null,
      step_id: write.step_id,
      events: [set.seq, write.seq, opened.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.84,
      about: `tick ${target}`,
    },
  ];
}
