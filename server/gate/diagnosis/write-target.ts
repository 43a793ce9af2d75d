import type { Target } from "../../run/language/ast.ts";
import { ROLES } from "../../run/language/roles.ts";
import { fitting, roleOf } from "./fitting.ts";
import type { PageModel, Part } from "./page-model.ts";

const LONGEST = 80;
const isRole = (role: string): boolean => (ROLES as readonly string[]).includes(role);

/**
 * How a scenario names an element: in the way that it named the one before where that can be, narrowed like it where that is
 * still so, and so that no other element of the page fits. Null when nothing tells it apart.
 * @param named the part of its name that it is to be called by, where that tells it apart
 */
export function targetFor(
  part: Part,
  page: PageModel,
  old: Target,
  named: string | null = null,
): Target | null {
  for (const bare of namesOf(part, old, named === null ? "" : cleaned(named)))
    for (const target of narrowed(bare, part, page, old)) {
      const found = fitting(page, target);
      if (found?.length === 1 && found[0] === part) return target;
    }
  return null;
}

/** In the order in which a person would take them. */
function namesOf(part: Part, old: Target, named: string): Target[] {
  const { element } = part;
  const role = roleOf(part);
  const name = cleaned(element.name);
  const byRole: Target[] = name !== "" && isRole(role) ? [{ by: "role", role, value: name }] : [];
  const isField = /^(?:textbox|searchbox|combobox|spinbutton|slider|checkbox|radio|switch)$/.test(
    element.role,
  );
  const byField: Target[] = isField && name !== "" ? [{ by: "field", value: name }] : [];
  const testid = cleaned(element.attributes["data-testid"] ?? "");
  const byTestId: Target[] = testid !== "" ? [{ by: "testid", value: testid }] : [];
  const words = cleaned(element.own);
  const byText: Target[] = words !== "" ? [{ by: "text", value: words }] : [];
  const id = element.attributes.id ?? "";
  const byId: Target[] =
    old.by === "css" && /^[A-Za-z][\w-]*$/.test(id) ? [{ by: "css", value: `#${id}` }] : [];
  const all = { role: byRole, field: byField, testid: byTestId, text: byText, css: byId };
  const rest = [...byField, ...byRole, ...byTestId, ...byText];
  const first = all[old.by];
  const isNamed = named !== "" && (old.by === "role" || old.by === "field" || old.by === "text");
  const byPart = isNamed ? first.map((one) => ({ ...one, value: named })) : [];
  return [...byPart, ...first, ...rest.filter((one) => !first.includes(one))];
}

function narrowed(bare: Target, part: Part, page: PageModel, old: Target): Target[] {
  const kept: Target = {
    ...bare,
    ...(old.in && { in: old.in }),
    ...(old.near && { near: old.near }),
  };
  const around =
    part.heading === null
      ? []
      : [{ ...bare, near: { by: "role", role: "heading", value: cleaned(part.heading) } as Target }];
  const containers = containersOf(part, page);
  // A guardrail lets no test id take the place of a name.
  const isNamed = (old.in ?? old.near)?.value !== undefined && (old.in ?? old.near)?.by !== "testid";
  if (isNamed) containers.sort((a, b) => Number(a.by === "testid") - Number(b.by === "testid"));
  const inside = containers.map((container) => ({ ...bare, in: container }));
  // Where the old one was narrowed the new one is, too: an expectation must not look in more places.
  return old.in || old.near || old.nth !== undefined
    ? [kept, ...inside, ...around, bare]
    : [bare, ...around, ...inside];
}

/** Parts around an element that have a role and a name, the nearest first. */
export function containersOf(part: Part, page: PageModel): Target[] {
  const named: Target[] = [];
  for (let at = part.parent; at && named.length < 4; at = at.parent) {
    const testid = cleaned(at.element.attributes["data-testid"] ?? "");
    const label = cleaned(at.element.attributes["aria-label"] ?? "");
    const role = roleOf(at);
    if (testid !== "") named.push({ by: "testid", value: testid });
    if (label !== "" && isRole(role)) named.push({ by: "role", role, value: label });
    if (
      /^(?:main|dialog|navigation|banner|contentinfo)$/.test(role) &&
      page.parts.filter((one) => roleOf(one) === role).length === 1
    )
      named.push({ by: "role", role });
  }
  return named;
}

/** Text as a scenario can hold it. */
export function cleaned(text: string): string {
  const line = text
    // Control characters have no place in a step.
    .replace(/\p{Cc}/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= LONGEST) return line;
  return line.slice(0, LONGEST).replace(/ \S*$/, "");
}
