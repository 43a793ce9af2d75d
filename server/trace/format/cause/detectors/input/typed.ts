import type { SeenElement } from "../../page/page-view.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

const FIELD = /^(?:input|textarea)$/;
const FEWEST = 3;

/** Text that a test typed on the keyboard and that stands in a field which no pass has: something took the focus. */
export function detectTyped(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page } = run;
  if (!page || passes.length === 0 || !passes.some((pass) => pass.page !== null)) return [];
  const typed = run.facts.steps.findLast(
    (step) =>
      /keyboard\.?(?:type|insertText)|pressSequentially|^(?:locator\.)?type$/i.test(step.name) &&
      step.ts <= failed.to,
  );
  const text = typed?.params.text;
  if (!typed || typeof text !== "string" || text.length < FEWEST) return [];
  const known = new Set(passes.flatMap((pass) => pass.page?.elements.filter(isField).map(nameOf) ?? []));
  const other = page.elements.find(
    (one) =>
      isField(one) && !one.isHidden && !known.has(nameOf(one)) && isEndOf(text, one.attributes.value ?? ""),
  );
  if (!other) return [];
  const around = page.elements
    .slice(0, page.elements.indexOf(other))
    .findLast(({ role, depth }) => (role === "heading" || role === "dialog") && depth <= other.depth);
  return [
    {
      kind: "page_changed",
      title: `What the test typed (${quoted(text, 40)}) went into another field: ${quoted(nameOf(other), 60)}${around ? ` under ${quoted(around.name || around.text, 60)}` : ""} holds ${quoted(other.attributes.value!, 40)}; it stands on the page in no pass, and took the focus`,
      detail: null,
      step_id: typed.step_id,
      events: [typed.seq, page.shot.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.93,
    },
  ];
}

const isField = ({ tag, attributes }: SeenElement) =>
  FIELD.test(tag) && !/^(?:hidden|checkbox|radio|submit|button|file|password)$/.test(attributes.type ?? "");

const nameOf = ({ name, attributes, tag }: SeenElement) => name || attributes.name || attributes.id || tag;

/** What was typed last, from where the focus moved. */
const isEndOf = (text: string, value: string) =>
  value.length >= FEWEST - 1 && value.length <= text.length && text.endsWith(value);
