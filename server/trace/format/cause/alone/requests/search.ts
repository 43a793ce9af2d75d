import { isMissing } from "../../run/missing-element.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bodyOf, quoted } from "../../words.ts";
import { holds, soughtBy } from "./sought.ts";

const FEWEST = 3;
/** What products and tests call a field that one finds things by. */
export const FINDS = /search|filter|find|query|lookup/i;
/** Actions that give a field a text. */
export const TYPES = /(?:^|\.|keyboard)(?:fill|type|pressSequentially|insertText)$/i;

/** Words that the test typed last, to find something by, and that nothing which the page got or shows has in it. */
export function detectNoMatch(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const isEmpty = isMissing(evidence) || /^(?:0|\[\]|Array \[\])$/.test(failed.received?.trim() ?? "-");
  const typed = actionBefore(run.facts, failed);
  const text = typed?.params.text ?? typed?.params.value;
  if (!isEmpty || !typed || !run.page || !TYPES.test(typed.name) || typeof text !== "string") return [];
  if (!FINDS.test(`${typed.title} ${String(typed.params.selector ?? "")}`.replace(text, ""))) return [];
  if (text.trim().length < FEWEST || soughtBy(evidence)?.text === text) return [];
  const isSent = run.facts.exchanges.some(
    ({ requestSeq, method }) =>
      method !== "GET" && requestSeq !== null && holds(run.bodies.get(requestSeq) ?? "", text),
  );
  const isHeld =
    run.facts.exchanges.some((one) => holds(bodyOf(one, run.bodies) ?? "", text)) ||
    run.page.elements.some(({ own, isHidden }) => !isHidden && holds(own, text));
  if (isSent || isHeld) return [];
  return [
    {
      kind: "test_code",
      title: `The test typed ${quoted(text, 60)}, which stands in nothing that the page got or shows: no thing could be found by it`,
      detail: null,
      step_id: typed.step_id,
      events: [typed.seq, run.page.shot.seq],
      ts: typed.end,
      is_new: null,
      weight: 0.62,
    },
  ];
}
