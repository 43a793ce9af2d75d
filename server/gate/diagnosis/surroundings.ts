import { isIn, type PageModel, type Part, squashed } from "./page-model.ts";

const ENTRY = /^(?:row|listitem|article|treeitem|group)$/;
const ENTRY_TAG = /^(?:tr|li|article|fieldset)$/;

/** The entry of a table or a list that a part stands in; null where it stands in none. */
export function entryOf(part: Part): Part | null {
  for (let at = part.parent; at; at = at.parent)
    if (ENTRY.test(at.element.role) || ENTRY_TAG.test(at.element.tag)) return at;
  return null;
}

/** What stands beside a part in its entry: of two alike it tells which is which. Empty where it stands in none. */
export function besideOf(part: Part, { parts }: PageModel): string {
  const entry = entryOf(part);
  if (!entry) return "";
  return parts
    .filter((one) => one !== part && isIn(one, entry) && !isIn(one, part) && one.element.own !== "")
    .map(({ element }) => squashed(element.own))
    .join("|");
}
