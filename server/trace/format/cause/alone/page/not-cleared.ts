import { isStoring } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";
import { TYPES } from "../requests/search.ts";
import { textOf } from "../requests/unsaid.ts";

const MOST = 20;

/** A field that still holds what the test had filled in, though what it was filled in for was done, where the test wants it empty. */
export function detectNotCleared(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const got = bareOf(failed.received ?? "").trim();
  if (!/toHaveValue|toBeEmpty/.test(`${failed.title} ${failed.message}`)) return [];
  if (got === "" || bareOf(failed.expected ?? "") !== "") return [];
  const target = targetOf(evidence);
  const filled = run.facts.steps.findLast(
    (step) =>
      TYPES.test(step.name) && !step.isFailed && step.end <= failed.from && step.title.endsWith(target),
  );
  if (!filled || textOf(filled)?.trim() !== got) return [];
  const write = answersBefore(
    evidence,
    MOST,
    (one) => one.ts >= filled.ts && one.type !== "api" && isStoring(one, run) && !isBeside(one),
  ).at(-1);
  if (!write || isRefusedBy(write, run)) return [];
  return [
    {
      kind: "page_changed",
      title: `${target} still holds ${quoted(got, 60)}, which the test had filled in, though ${requestOf(write, run.facts)} was answered with ${write.status}: the field was not cleared afterwards`,
      detail: null,
      step_id: filled.step_id,
      events: [filled.seq, write.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.88,
      about: `kept ${target}`,
    },
  ];
}
