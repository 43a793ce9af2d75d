import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { told, wantedOn } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding, SeenPage } from "../../types.ts";
import { tagOf } from "./tag.ts";

/** An element that stands on the page and is looked for by its role in vain: what is in an `aria-hidden` one has none. */
export function detectUnheard(evidence: Evidence): Finding[] {
  if (!isMissing(evidence) || !/getByRole\(|internal:role=/.test(targetOf(evidence))) return [];
  const found = newlyShut(evidence, isUnheard);
  return found === null
    ? []
    : [
        shutFinding(evidence, {
          kind: "element_hidden",
          title: `${targetOf(evidence)} was not found, though ${told(found.element)} is on the page: ${whereIn(found)} is aria-hidden, so that no role in it counts`,
        }),
      ];
}

const OF_INERT = /element is inert|intercepts pointer events|element is not enabled/;

/** An element that takes part in nothing, because what it stands in is inert. */
export function detectInert(evidence: Evidence): Finding[] {
  const { failed } = evidence;
  if (![...(failed.step?.log ?? []), failed.message].some((line) => OF_INERT.test(line))) return [];
  const found = newlyShut(evidence, isInert);
  return found === null
    ? []
    : [
        shutFinding(evidence, {
          kind: "element_disabled",
          title: `${targetOf(evidence)} took no clicks and no keys: ${whereIn(found)} is inert`,
        }),
      ];
}

const shutFinding = ({ failed, run, passes }: Evidence, told: Pick<Finding, "kind" | "title">): Finding => ({
  ...told,
  detail: null,
  step_id: failed.step?.step_id ?? null,
  events: [failed.step?.seq ?? run.facts.lastSeq ?? 0, ...(run.page ? [run.page.shot.seq] : [])],
  ts: failed.to,
  is_new: passes.length === 0 ? null : true,
  weight: 0.93,
});

interface Shut {
  element: SeenElement;
  by: SeenElement;
}

/** What is shut off so in no pass: carousels and measured copies always are. */
function newlyShut(evidence: Evidence, shuts: (one: SeenElement) => boolean): Shut | null {
  const { run, passes } = evidence;
  const found = shutIn(evidence, run.page, shuts);
  return found && !passes.some(({ page }) => shutIn(evidence, page, shuts)) ? found : null;
}

/** The wanted element and what shuts it off, where every such element is shut off. */
function shutIn(
  evidence: Evidence,
  page: SeenPage | null,
  shuts: (one: SeenElement) => boolean,
): Shut | null {
  const elements = page?.elements ?? [];
  const all = wantedOn(evidence, elements).map((element) => ({
    element,
    by: [element, ...aroundOf(elements, element)].find(shuts),
  }));
  const [first] = all;
  return first?.by && all.every(({ by }) => by !== undefined) ? { ...first, by: first.by } : null;
}

const isUnheard = ({ attributes }: SeenElement) => attributes["aria-hidden"] === "true";
const isInert = ({ attributes }: SeenElement) => "inert" in attributes;

const whereIn = ({ element, by }: Shut): string => (by === element ? "it" : `${tagOf(by)} around it`);
