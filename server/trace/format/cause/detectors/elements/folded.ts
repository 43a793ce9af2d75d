import type { SeenElement } from "../../page/page-view.ts";
import { wantedOn } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/** Why an element is not seen that stands in something closed. */
export interface Folded {
  words: string;
  /** Whether the last pass has it outside of anything that could be closed. */
  isMoved: boolean;
}

/** The closed `<details>` in which all of these elements stand, in words; null where they do not. */
export function foldedAway({ failed, run, passes }: Evidence, some: readonly SeenElement[]): Folded | null {
  const elements = run.page?.elements ?? [];
  const [first, ...others] = some.map((one) => closedAround(elements, one));
  if (!first || others.some((one) => one !== first)) return null;
  const before = passes[0]?.page?.elements ?? [];
  const there = wantedOn({ failed }, before);
  const isSomewhere = there.length > 0;
  const isMoved = isSomewhere && there.every((one) => detailsAround(before, one).length === 0);
  const isOpen = isSomewhere && !isMoved && there.every((one) => closedAround(before, one) === null);
  const heading = summaryOf(elements, first);
  return {
    words: `it is hidden in the closed <details>${heading === "" ? "" : ` ${quoted(heading, 60)}`}${isMoved ? ", and in the last pass in none" : isOpen ? ", which is open in the last pass" : ""}`,
    isMoved,
  };
}

/** What is closed shows its summary alone. */
const closedAround = (elements: readonly SeenElement[], element: SeenElement): SeenElement | null =>
  detailsAround(elements, element).find(({ attributes }) => !("open" in attributes)) ?? null;

/** The `<details>` that an element stands in, but for those of whose summary it is a part; the innermost first. */
function detailsAround(elements: readonly SeenElement[], element: SeenElement): SeenElement[] {
  const around = [element, ...aroundOf(elements, element)];
  return around.filter(({ tag }, at) => at > 0 && tag === "details" && around[at - 1]!.tag !== "summary");
}

const summaryOf = (elements: readonly SeenElement[], details: SeenElement): string =>
  insideOf(elements, details).find(({ tag }) => tag === "summary")?.name ?? "";
