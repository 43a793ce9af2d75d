import type { SeenElement } from "../../page/page-view.ts";
import { wantedOn } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence } from "../../types.ts";
import { tagOf } from "./tag.ts";

/** What disables the failed step's element from around it, in words; null where nothing does, or does in a pass too. */
export function disabledFromAround(evidence: Evidence): string | null {
  const { run, passes } = evidence;
  const found = disablerOn(evidence, run.page?.elements ?? []);
  if (!found || passes.some(({ page }) => disablerOn(evidence, page?.elements ?? []))) return null;
  return `the ${tagOf(found)} around it is disabled${passes.length > 0 ? ", which it is in no pass" : ""}`;
}

/** What disables every element that the step may have meant; an element that says it of itself needs nothing around it. */
function disablerOn(evidence: Evidence, elements: readonly SeenElement[]): SeenElement | null {
  const all = wantedOn(evidence, elements).map((one) =>
    "disabled" in one.attributes || one.attributes["aria-disabled"] === "true"
      ? undefined
      : aroundOf(elements, one).find((around) => disables(around, one, elements)),
  );
  return all.every((one) => one !== undefined) ? (all[0] ?? null) : null;
}

const CONTROLS = new Set(["button", "input", "select", "textarea", "fieldset"]);

/** A disabled `<fieldset>` disables what stands in it but for its own legend; `aria-disabled` counts for everything in it. */
function disables(around: SeenElement, one: SeenElement, elements: readonly SeenElement[]): boolean {
  if (around.attributes["aria-disabled"] === "true") return true;
  if (around.tag !== "fieldset" || !("disabled" in around.attributes) || !CONTROLS.has(one.tag)) return false;
  const legend = insideOf(elements, around).find(
    ({ tag, depth }) => tag === "legend" && depth === around.depth + 1,
  );
  return legend === undefined || !insideOf(elements, legend).includes(one);
}
