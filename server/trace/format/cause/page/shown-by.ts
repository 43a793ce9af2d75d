import { oneLine } from "../../error-text.ts";
import type { SeenPage } from "../types.ts";
import { writtenIn } from "./field-values.ts";
import type { SeenElement } from "./page-view.ts";
import { foundWithin } from "./wanted.ts";
import { insideOf } from "./within.ts";

/** What an element says: a field its value, a list of options the one that is picked, by its value and by its words. */
export function shownBy(element: SeenElement, elements: readonly SeenElement[]): string[] {
  if (element.tag !== "select") return [oneLine(writtenIn(element) ?? element.text)];
  const picked = insideOf(elements, element).find(
    ({ tag, attributes }) => tag === "option" && attributes.selected !== undefined,
  );
  return picked ? [picked.attributes.value ?? picked.own, picked.own] : [];
}

/** Pieces of a text that are put together by a script are recorded with a space between them. */
export const isSameText = (one: string, other: string): boolean =>
  one.replace(/\s+/g, "") === other.replace(/\s+/g, "");

/** What the one element says that a locator names on a page; none where it names none, or several. */
export function shownAt({ elements }: SeenPage, target: string): string[] {
  const [found, ...others] = foundWithin(target, elements);
  return found && others.length === 0 ? shownBy(found, elements) : [];
}
