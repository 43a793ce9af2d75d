import type { SeenPage } from "../types.ts";
import type { SeenElement } from "./page-view.ts";

export const FIELD = /^(?:input|textarea)$/;

/** What can be written in and holds another text than before. */
export interface Written {
  field: SeenElement;
  name: string;
  text: string;
  /** What was put into it; null where something was taken away as well. */
  more: string | null;
}

/** What was written between two pictures of a page; null where what can be written in has come or gone, so that none can be followed. */
export function writtenBetween(before: SeenPage, after: SeenPage): Written[] | null {
  const [then, now] = [writtenOn(before), writtenOn(after)];
  if (then.length !== now.length) return null;
  return now.flatMap(({ element, text }, at) =>
    text === then[at]!.text
      ? []
      : [{ field: element, name: nameOf(element), text, more: addedTo(then[at]!.text, text) }],
  );
}

const writtenOn = ({ elements }: SeenPage): { element: SeenElement; text: string }[] =>
  elements.flatMap((element) => {
    const { attributes, own, tag } = element;
    if (FIELD.test(tag)) return [{ element, text: attributes.value ?? "" }];
    return attributes.contenteditable !== undefined && attributes.contenteditable !== "false"
      ? [{ element, text: own }]
      : [];
  });

/** What was put into a text without taking anything away; null where it was changed otherwise. */
function addedTo(before: string, after: string): string | null {
  // What begins as the text before does is else taken for a part of that.
  if (after.length > before.length && !after.startsWith(before) && after.endsWith(before))
    return after.slice(0, after.length - before.length);
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const added = after.slice(at, at + after.length - before.length);
  return after.length > before.length && before.slice(at) === after.slice(at + added.length) ? added : null;
}

/** What a person calls a field: a list that has no label is not called by its options. */
export const nameOf = ({ name, attributes, tag, text }: SeenElement): string =>
  (tag === "select" && name === text ? "" : name) || attributes.name || attributes.id || tag;
