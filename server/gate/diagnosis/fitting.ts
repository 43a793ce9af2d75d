import type { Target, Text } from "../../run/language/ast.ts";
import { isIn, type PageModel, type Part, squashed } from "./page-model.ts";
import { holdsInTurn } from "./references.ts";

const FIELDS = /^(?:textbox|combobox|searchbox|spinbutton|slider|checkbox|radio|switch)$/;
const IMPLICIT: Record<string, string> = {
  article: "article",
  section: "region",
  p: "paragraph",
  header: "banner",
  footer: "contentinfo",
  aside: "complementary",
  th: "columnheader",
  figure: "figure",
  fieldset: "group",
  progress: "progressbar",
};

/** What the runner would take for a role's element; unnamed sections and the like count as well. */
export const roleOf = ({ element }: Part): string => element.role || (IMPLICIT[element.tag] ?? "");

/**
 * The parts of a recorded page that a target means, as the runner finds them: as far as markup tells. Null for a selector, which
 * markup alone does not answer.
 */
export function fitting(model: PageModel, target: Target): Part[] | null {
  const scope = target.in ? fitting(model, target.in) : undefined;
  if (scope === null) return null;
  const own = within(model.parts, target);
  if (own === null) return null;
  let found = scope === undefined ? own : own.filter((part) => scope.some((around) => isIn(part, around)));
  // Of elements in one another the innermost is meant.
  if (target.by === "text") found = found.filter((part) => !found.some((other) => isIn(other, part)));
  found = exactOf(found, target);
  if (target.near) found = nearestOf(model, found, target.near);
  return target.nth === undefined ? found : found.slice(target.nth - 1, target.nth);
}

function within(parts: readonly Part[], { by, role, value }: Target): Part[] | null {
  const holds = value === undefined ? () => true : holder(value);
  switch (by) {
    case "role":
      return parts.filter((part) => roleOf(part) === role && holds(part.element.name));
    case "field":
      return parts.filter(
        ({ element }) =>
          FIELDS.test(element.role) && (holds(element.name) || holds(element.attributes.placeholder ?? "")),
      );
    case "text":
      return parts.filter(({ element }) => holds(element.text));
    case "testid":
      return parts.filter(({ element }) => plain(value) === element.attributes["data-testid"]);
    case "css": {
      const id = /^#([\w-]+)$/.exec(plain(value) ?? "")?.[1];
      return id === undefined ? null : parts.filter(({ element }) => element.attributes.id === id);
    }
  }
}

/** The one that is called exactly that, when a part of the name fits several. */
function exactOf(found: Part[], { by, value }: Target): Part[] {
  const name = plain(value);
  if (found.length < 2 || name === null || by === "testid" || by === "css") return found;
  const exact = found.filter(
    ({ element }) => squashed(by === "text" ? element.text : element.name) === squashed(name),
  );
  return exact.length === 1 ? exact : found;
}

/** Those that share the smallest part of the page with what they are near. */
function nearestOf(model: PageModel, found: Part[], near: Target): Part[] {
  const anchor = fitting(model, near)?.[0];
  if (!anchor) return [];
  for (let around = anchor.parent; around; around = around.parent) {
    const inside = found.filter((part) => isIn(part, around));
    if (inside.length > 0) return inside;
  }
  return [];
}

/** Whether a text holds another; references stand for anything. */
export function holder(value: Text): (text: string) => boolean {
  if (typeof value === "string") {
    const wanted = squashed(value);
    return (text) => squashed(text).includes(wanted);
  }
  const parts = value.parts
    .map((part) => (typeof part === "string" ? squashed(part) : part))
    .filter((part) => part !== "");
  return (text) => holdsInTurn(squashed(text), parts);
}

const plain = (value: Text | undefined): string | null => (typeof value === "string" ? value : null);
