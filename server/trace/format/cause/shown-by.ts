import { oneLine } from "../error-text.ts";
import { writtenIn } from "./field-values.ts";
import type { SeenElement } from "./page-view.ts";
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
