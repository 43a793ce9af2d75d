import { formOf } from "../../alone/input/forms.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { FIELDS, wantedOn } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";

const TICKED = new Set(["checkbox", "radio", "switch"]);

/**
 * What the form of a disabled element asks for that it does not ask for in the passes, and that nobody has given it, as a clause:
 * such a button most often waits for that.
 */
export function newInForm(evidence: Evidence): string {
  const { run, passes } = evidence;
  const elements = run.page?.elements ?? [];
  const [disabled, ...others] = wantedOn(evidence, elements);
  const form = disabled && others.length === 0 ? formOf(elements, disabled) : null;
  if (form === null || passes.length === 0) return "";
  const isKnown = (field: SeenElement) =>
    passes.some(
      ({ page }) =>
        page === null || page.elements.some(({ role, name }) => role === field.role && name === field.name),
    );
  const inside = insideOf(elements, form);
  const field = inside.find((one) => !one.isHidden && one.name !== "" && isOpen(one) && !isKnown(one));
  if (field === undefined) return newAndUnseen(inside, evidence);
  return `; its form has a new ${field.role} ${quoted(field.name, 80)}, which is ${TICKED.has(field.role) ? "not ticked" : "empty"}`;
}

/** A field without a value that nobody sees, so that nobody can give it one. */
function newAndUnseen(inside: readonly SeenElement[], { passes }: Evidence): string {
  const isKnown = ({ attributes: { name } }: SeenElement) =>
    passes.some(({ page }) => page?.elements.some((one) => one.attributes.name === name) !== false);
  const field = inside.find((one) => isUnseenAndEmpty(one) && !isKnown(one));
  return field
    ? `; its form has a new hidden field ${quoted(field.attributes.name!, 80)}, which is empty`
    : "";
}

const isUnseenAndEmpty = ({ tag, attributes: { name = "", type = "", value } }: SeenElement): boolean =>
  tag === "input" && type.toLowerCase() === "hidden" && name !== "" && value === "";

/** Whether a field holds nothing yet. */
const isOpen = ({ role, attributes: of, own }: SeenElement): boolean =>
  FIELDS.has(role) &&
  !("disabled" in of) &&
  (TICKED.has(role)
    ? !("checked" in of) && of["aria-checked"] !== "true"
    : of.value === "" && own === "" && "required" in of);
