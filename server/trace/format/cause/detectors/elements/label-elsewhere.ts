import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, told, wantedBy } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/** A field that the test looks for by a label which is there, and leads to a field elsewhere on the page, as both have one id, or to none. */
export function detectLabelElsewhere(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const wanted = wantedBy(lastPartOf(targetOf(evidence)));
  if (!run.page || seq === null || !isMissing(evidence) || !wanted.label || wanted.name === null) return [];
  const led = ledElsewhere(wanted.name, run) ?? ledNowhere(wanted.name, run);
  const isUsual = passes.some(
    (pass) => (ledElsewhere(wanted.name!, pass) ?? ledNowhere(wanted.name!, pass)) !== null,
  );
  if (!led || isUsual) return [];
  const { label, id, first, times } = led;
  const where =
    first === null
      ? `to no field: nothing on the page has the id ${quoted(id, 60)} that it is for`
      : `to a field elsewhere: the id ${quoted(id, 60)} that it is for stands ${times === 2 ? "twice" : `${times} times`} on the page, and ${told(first)} comes first`;
  return [
    {
      kind: "element_missing",
      title: `The label ${quoted(label.text, 60)} leads ${where}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.99,
    },
  ];
}

interface Led {
  label: SeenElement;
  /** That it is for. */
  id: string;
  /** The field that it leads to; null where it leads to none. */
  first: SeenElement | null;
  /** How often that id stands on the page. */
  times: number;
}

/** A label of that text whose id nothing has. */
function ledNowhere(name: string, { page }: RunEvidence): Led | null {
  const elements = page?.elements ?? [];
  const label = elements.find(
    ({ tag, text, isHidden, attributes }) =>
      tag === "label" && !isHidden && attributes.for && text.toLowerCase().includes(name.toLowerCase()),
  );
  const id = label?.attributes.for;
  return label && id && !elements.some(({ attributes }) => attributes.id === id)
    ? { label, id, first: null, times: 0 }
    : null;
}

const MOST_LABELS = 50;

/** A label of that text whose id a field beside it has as well, but not first: the rows of a list may each have such a field. */
function ledElsewhere(name: string, { page }: RunEvidence): Led | null {
  const elements = page?.elements ?? [];
  const byId = Map.groupBy(elements, ({ attributes }) => attributes.id);
  const labels = elements.filter(
    ({ tag, text, attributes }) =>
      tag === "label" &&
      attributes.for !== undefined &&
      (byId.get(attributes.for)?.length ?? 0) > 1 &&
      text.toLowerCase().includes(name.toLowerCase()),
  );
  for (const label of labels.slice(0, MOST_LABELS)) {
    const id = label.attributes.for!;
    const [first, ...others] = byId.get(id)!;
    const at = elements.indexOf(label);
    const isBehind = (one: SeenElement) => elements.indexOf(one) > at;
    const beside = [others.find(isBehind), others.findLast((one) => !isBehind(one))];
    const around = new Set(aroundOf(elements, label));
    const nearest = (one: SeenElement) =>
      aroundOf(elements, one).find((outer) => around.has(outer))?.depth ?? -1;
    const apart = nearest(first!);
    if (beside.some((one) => one !== undefined && nearest(one) > apart))
      return { label, id, first: first!, times: others.length + 1 };
  }
  return null;
}
