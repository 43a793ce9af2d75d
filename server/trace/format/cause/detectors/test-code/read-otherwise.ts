import type { Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** What the test read otherwise than in every pass, where that is all that is known of its failure. */
export function detectReadOtherwise({ failed, passes }: Evidence): Finding[] {
  const { step, expected, received } = failed;
  if (!failed.isExpectedByPasses || step === null || received === null) return [];
  const before = expected === null ? "" : `, where it gave ${quoted(expected, 100)} in the last pass`;
  return [
    {
      kind: "assertion",
      title: `${quotedStep(step)} gave the test ${quoted(received, 100)}${before}`,
      detail: failed.message,
      step_id: step.step_id,
      events: [step.seq],
      ts: step.end,
      is_new: passes.length === 0 ? null : true,
      weight: 0.5,
    },
  ];
}
