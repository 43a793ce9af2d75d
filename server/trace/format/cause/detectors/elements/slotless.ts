import type { SeenElement } from "../../page/page-view.ts";
import { told, wantedOn } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** An element that stands in a component for a slot that the component has not: browsers do not show it (DOM, finding a slot). */
export function detectSlotless(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page } = run;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (!page || seq === null) return [];
  const lost = slotlessOf(evidence, page.elements);
  if (!lost || passes.some((pass) => pass.page !== null && slotlessOf(evidence, pass.page.elements) !== null))
    return [];
  const { element, slot, host, slots } = lost;
  return [
    {
      kind: "element_hidden",
      title: `The page has ${told(element)} for the slot ${quoted(slot, 40)} of <${host.tag}>, which has ${slots.length === 0 ? "no named slot" : `only ${slots.map((name) => quoted(name, 40)).join(", ")}`}; it is not shown`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.95,
    },
  ];
}

interface Slotless {
  element: SeenElement;
  slot: string;
  host: SeenElement;
  /** The names of those that there are. */
  slots: string[];
}

function slotlessOf(evidence: Evidence, elements: readonly SeenElement[]): Slotless | null {
  for (const element of wantedOn(evidence, elements)) {
    const own = [element, ...aroundOf(elements, element)];
    const at = own.findIndex(({ attributes }) => attributes.slot !== undefined && attributes.slot !== "");
    const host = own[at + 1];
    if (at < 0 || !host?.tag.includes("-")) continue;
    const slots = slotsOf(host, elements);
    const slot = own[at]!.attributes.slot!;
    if (slots && !slots.includes(slot))
      return { element, slot, host, slots: slots.filter((name) => name !== "") };
  }
  return null;
}

/** The names of a component's slots; null where its shadow tree was not recorded. */
function slotsOf(host: SeenElement, elements: readonly SeenElement[]): string[] | null {
  const from = elements.indexOf(host) + 1;
  const end = elements.findIndex((one, at) => at >= from && one.depth <= host.depth);
  const shadow = elements.slice(from, end < 0 ? elements.length : end).filter(({ isInShadow }) => isInShadow);
  return shadow.length === 0
    ? null
    : shadow.flatMap(({ tag, attributes }) => (tag === "slot" ? [attributes.name ?? ""] : []));
}
