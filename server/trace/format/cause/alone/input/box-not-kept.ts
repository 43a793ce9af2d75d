import { targetOf } from "../../page/target.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quotedStep, requestOf } from "../../words.ts";
import { isOwnWrite } from "../requests/empty-write.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
const OPENS = /(?:^|\.)(?:goto|reload)$/;

/** A box that the test had ticked or cleared, and that stands as before when the page is opened again, though a write since was taken. */
export function detectBoxNotKept(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { steps, exchanges } = run.facts;
  const target = targetOf(evidence);
  const state = bareOf(failed.expected ?? "");
  if (target === "" || !/^(?:not checked|unchecked|checked)$/.test(state)) return [];
  const sets = state === "checked" ? /(?:^|\.)check$/ : /(?:^|\.)uncheck$/;
  const set = steps.findLast((step) => step.ts <= failed.from && !step.isFailed && isOf(step, target));
  if (!set || !sets.test(set.name)) return [];
  const opened = steps.findLast(({ name, ts }) => OPENS.test(name) && ts >= set.end && ts <= failed.from);
  const write = lastOf(
    exchanges,
    MOST,
    (one) => opened !== undefined && one.ts >= set.ts && one.ts <= opened.ts && isOwnWrite(one, run),
  ).at(-1);
  if (!opened || !write || !isTaken(write, evidence)) return [];
  return [
    {
      kind: "answer_changed",
      title: `${quotedStep(set)} was not kept: ${requestOf(write, run.facts)} was answered with ${write.status}, and after ${quotedStep(opened)} the box is still ${state === "checked" ? "unchecked" : "checked"}, as before`,
      detail: null,
      step_id: write.step_id,
      events: [set.seq, write.requestSeq ?? write.seq, opened.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.88,
    },
  ];
}

const isOf = ({ title, name }: Step, target: string): boolean =>
  /(?:^|\.)(?:un)?check$/.test(name) && title.endsWith(` ${target}`);

const isTaken = (write: Exchange, { run }: Evidence): boolean =>
  write.status !== null && write.status < 400 && !isRefusedBy(write, run);
