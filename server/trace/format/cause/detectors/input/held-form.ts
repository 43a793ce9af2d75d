import { isBefore, isNew } from "../../compare.ts";
import { lineKey } from "../../run/keys.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** What browsers log when they do not send a form for a field that they cannot show. */
const UNSENT = /An invalid form control with name='([^']*)' is not focusable/;

/** A form that the browser held back, by its own words. */
export function detectHeldForm(evidence: Evidence): Finding[] {
  const line = evidence.run.facts.lines.findLast(
    ({ text, ts }) => UNSENT.test(text) && isBefore(evidence, ts),
  );
  if (!line) return [];
  const name = UNSENT.exec(line.text)![1]!;
  const key = lineKey(line, evidence.run.facts);
  return [
    {
      kind: "page_message",
      title: `The browser did not send the form: its field ${quoted(name, 80)} is not valid (required, or out of its limits), and is hidden, so that nobody can see or mend it`,
      detail: null,
      step_id: line.step_id,
      events: [line.seq],
      ts: line.ts,
      is_new: isNew(evidence, ({ facts }) => facts.hasLine(key)),
      weight: 0.92,
      about: `error ${line.text.slice(0, 120)}`,
      heldField: name,
    },
  ];
}
