import { oneLine } from "../../error-text.ts";
import { similarity } from "../../similarity.ts";
import { isMissing } from "../run/missing-element.ts";
import type { Evidence } from "../types.ts";
import type { SeenElement } from "./page-view.ts";
import { targetOf } from "./target.ts";
import { elementsOf, lastPartOf, partsOf, type Wanted, wantedBy } from "./wanted.ts";
import { insideOf } from "./within.ts";

/** What the failed step's locator asks for, by its own words and by the selector that it stands for. */
export function wantedOf({ failed }: Pick<Evidence, "failed">): Wanted {
  const selector = failed.step?.params.selector;
  return wantedBy(
    `${lastPartOf(targetOf({ failed }))} ${typeof selector === "string" ? lastPartOf(selector) : ""}`,
  );
}

/** The element of the page that the failed step never found by its role, though it stands in the markup. */
export function hiddenFromRole({ failed, run }: Pick<Evidence, "failed" | "run">): SeenElement | null {
  if (run.page === null || !isMissing({ failed })) return null;
  const target = targetOf({ failed });
  return hiddenOne(wantedOf({ failed }), run.page.elements, lastPartOf(target) === target);
}

/**
 * What the failed step's element is looked for within by its role, where both stand in the page's markup: that the step did
 * not find the inner one, which goes by no role, is then that the outer one is not visible.
 */
export function hiddenScope({ failed, run }: Pick<Evidence, "failed" | "run">): SeenElement | null {
  if (run.page === null || !isMissing({ failed })) return null;
  const target = targetOf({ failed });
  const [outer = "", inner = "", ...more] = partsOf(target);
  if (more.length > 0 || inner === "" || PICKS.test(target)) return null;
  if (wantedBy(outer).role === null || wantedBy(outer).name === null || wantedBy(inner).role !== null)
    return null;
  const [scope, ...others] = elementsOf(outer, run.page.elements);
  if (scope === undefined || others.length > 0) return null;
  return elementsOf(inner, insideOf(run.page.elements, scope)).length > 0 ? scope : null;
}

/** What picks some of what was found. */
export const PICKS = /\)\.(?:filter|nth|first|last|and|or)\(/;

/**
 * An element of that role whose name has the wanted one in it, as locators match names, and that roles do not see:
 * accessible trees leave out what is not visible.
 * @param isAnywhere whether it is looked for on the whole page: elsewhere than where it is looked for others have like names
 */
function hiddenOne(
  wanted: Wanted,
  elements: readonly SeenElement[],
  isAnywhere: boolean,
): SeenElement | null {
  const isSame = (name: string) =>
    wanted.isExact
      ? oneLine(name) === oneLine(wanted.name!)
      : similarity(name, wanted.name!) === 1 ||
        (isAnywhere && wanted.name!.length >= SHORTEST_PART && holds(oneLine(name), oneLine(wanted.name!)));
  if (wanted.role === null || wanted.name === null) return null;
  return elements.find(({ role, name }) => role === wanted.role && isSame(name)) ?? null;
}

const SHORTEST_PART = 3;
const holds = (name: string, part: string) => name.toLowerCase().includes(part.toLowerCase());
