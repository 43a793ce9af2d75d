import type { SeenElement } from "../page-view.ts";
import type { Evidence, Finding } from "../types.ts";
import { quoted } from "../words.ts";

const FEWEST = 4;
/** Letters that two texts end with by chance are fewer. */
const REST = 3;
const FIELD = /^(?:input|textarea)$/;

/** Text that a test typed and that stands in two fields, the beginning in one and the rest in another: something took the focus. */
export function detectSplitTyping(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { page } = run;
  const typed = run.facts.steps.findLast(
    ({ name, ts }) =>
      /keyboard\.?(?:type|insertText)|pressSequentially|^(?:locator\.)?type$/i.test(name) && ts <= failed.to,
  );
  const text = typed?.params.text;
  if (!page || !typed || typeof text !== "string" || text.length < FEWEST) return [];
  const fields = page.elements.filter(
    (one) => FIELD.test(one.tag) && !one.isHidden && (one.attributes.value ?? "") !== "",
  );
  for (const rest of fields) {
    const end = rest.attributes.value!;
    if (end === text || end.length < 2 || !text.endsWith(end)) continue;
    // A field that was made anew meanwhile lost the beginning.
    const start = fields.find((one) => one !== rest && one.attributes.value === text.slice(0, -end.length));
    if (!start && (end.length < REST || fields.some((one) => one.attributes.value === text))) continue;
    return [
      {
        kind: "page_changed",
        title: `What the test typed (${quoted(text, 40)}) was torn apart: ${start ? `${quoted(nameOf(start), 60)} holds ${quoted(start.attributes.value!, 40)} and ` : "only its end is left, "}${quoted(nameOf(rest), 60)} holds ${quoted(end, 40)}; something took the focus away meanwhile`,
        detail: null,
        step_id: typed.step_id,
        events: [typed.seq, page.shot.seq],
        ts: failed.to,
        is_new: null,
        weight: 0.95,
      },
    ];
  }
  return [];
}

const nameOf = ({ name, attributes, tag }: SeenElement) => name || attributes.name || attributes.id || tag;
