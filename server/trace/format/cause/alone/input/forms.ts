import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";

/** The form that a field or a button belongs to; null where it stands in none. */
export function formOf(elements: readonly SeenElement[], element: SeenElement): SeenElement | null {
  const { form } = element.attributes;
  const isIt = ({ tag, attributes }: SeenElement) =>
    tag === "form" && (form === undefined || attributes.id === form);
  return (form === undefined ? aroundOf(elements, element) : elements).find(isIt) ?? null;
}

/** Whether a press of it sends its form. */
export const isSubmit = ({ tag, attributes: { type = "" } }: SeenElement): boolean =>
  tag === "button" ? !/^(?:button|reset)$/i.test(type) : tag === "input" && /^(?:submit|image)$/i.test(type);

/** Whether two pictures show the same field, as far as its names tell. */
export const isSameField = (one: SeenElement, other: SeenElement): boolean =>
  one.tag === other.tag &&
  one.name === other.name &&
  ["id", "name", "type"].every((name) => one.attributes[name] === other.attributes[name]);
