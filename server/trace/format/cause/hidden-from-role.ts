import { oneLine } from "../error-text.ts";
import { similarity } from "../similarity.ts";
import { isMissing, targetOf } from "./detectors/elements/element.ts";
import type { SeenElement } from "./page-view.ts";
import type { Evidence } from "./types.ts";
import { lastOf, type Wanted, wantedBy } from "./wanted.ts";

/** What the failed step's locator asks for, by its own words and by the selector that it stands for. */
export function wantedOf({ failed }: Pick<Evidence, "failed">): Wanted {
  const selector = failed.step?.params.selector;
  return wantedBy(`${lastOf(targetOf({ failed }))} ${typeof selector === "string" ? lastOf(selector) : ""}`);
}

/** The element of the page that the failed step never found by its role, though it stands in the markup. */
export function hiddenFromRole({ failed, run }: Pick<Evidence, "failed" | "run">): SeenElement | null {
  if (run.page === null || !isMissing({ failed })) return null;
  const target = targetOf({ failed });
  return hiddenOne(wantedOf({ failed }), run.page.elements, lastOf(target) === target);
}

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
