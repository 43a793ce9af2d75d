import type { SeenElement } from "../../page/page-view.ts";

const LISTED = new Set(["listitem", "row", "article"]);
const MOST = 200;

/** The lists of a page: what stands on one level in one form, each in its order. */
export function listsOn(elements: readonly SeenElement[]): SeenElement[][] {
  const items = elements.filter(({ role, isHidden, text }) => LISTED.has(role) && !isHidden && text !== "");
  const byForm = Map.groupBy(
    items,
    ({ tag, role, depth, attributes }) => `${tag} ${role} ${depth} ${attributes.class ?? ""}`,
  );
  return [...byForm.values()].map((all) => all.slice(0, MOST));
}
