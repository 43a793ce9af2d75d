import { aroundOf } from "../../acts.ts";
import type { SeenElement } from "../../page-view.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { lastOf, told, wantedBy } from "../../wanted.ts";
import { quoted } from "../../words.ts";
import { isMissing, targetOf } from "./element.ts";

/** A field that the test looks for by a label which is there, and leads to a field elsewhere on the page: both have one id. */
export function detectLabelElsewhere(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const wanted = wantedBy(lastOf(targetOf(evidence)));
  if (!run.page || seq === null || !isMissing(evidence) || !wanted.label || wanted.name === null) return [];
  const led = ledElsewhere(wanted.name, run);
  if (!led || passes.some((pass) => ledElsewhere(wanted.name!, pass) !== null)) return [];
  const { label, id, first } = led;
  return [
    {
      kind: "element_missing",
      title: `The label ${quoted(label.text, 60)} leads to a field elsewhere: the id ${quoted(id, 60)} that it is for stands twice on the page, and ${told(first)} comes first`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.99,
    },
  ];
}

/** A label of that text whose id a field beside it has as well, but not first. */
function ledElsewhere(
  name: string,
  { page }: RunEvidence,
): { label: SeenElement; id: string; first: SeenElement } | null {
  const elements = page?.elements ?? [];
  for (const label of elements) {
    const id = label.attributes.for;
    if (label.tag !== "label" || !id || !label.text.toLowerCase().includes(name.toLowerCase())) continue;
    const [first, second, ...others] = elements.filter(({ attributes }) => attributes.id === id);
    if (!first || !second || others.length > 0) continue;
    const around = new Set(aroundOf(elements, label));
    const nearest = (one: SeenElement) =>
      aroundOf(elements, one).find((outer) => around.has(outer))?.depth ?? -1;
    if (nearest(second) > nearest(first)) return { label, id, first };
  }
  return null;
}
