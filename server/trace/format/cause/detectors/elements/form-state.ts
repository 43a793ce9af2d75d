import { formOf } from "../../alone/input/forms.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { FIELDS, wantedOn } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { counterpart } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";
import { disabledFromAround } from "./disabled-by.ts";

/** What the page itself holds of the form of an element that is disabled, and that the last pass used that element, as clauses. */
export const whileDisabled = (evidence: Evidence): string =>
  disabledFromAround(evidence) === null
    ? `${formState(evidence)}${isUsedInPass(evidence) ? ", where the last pass has it enabled" : ""}`
    : "";

function isUsedInPass({ run, passes: [last], failed: { step } }: Evidence): boolean {
  const same = last && step ? counterpart(run.facts, step, last.facts) : null;
  return same != null && !same.isFailed;
}

/** A button most often waits for its form: whether that is valid, or has all that it asks for. */
function formState({ run, failed }: Evidence): string {
  const elements = run.page?.elements ?? [];
  const [button, ...others] = wantedOn({ failed }, elements);
  const form = button && others.length === 0 ? formOf(elements, button) : null;
  if (!button || form === null || FIELDS.has(button.role)) return "";
  const inside = insideOf(elements, form);
  const fields = inside.filter(
    (one) => FIELDS.has(one.role) && !one.isHidden && !("disabled" in one.attributes),
  );
  const invalid = fields.find(
    (one) => one.attributes["aria-invalid"] === "true" || hasClass(one, "ng-invalid"),
  );
  if (invalid)
    return invalid.name === ""
      ? ""
      : `, while ${quoted(invalid.name, 60)}${heldBy(invalid)} was marked as invalid`;
  // Angular says so of its forms (https://angular.dev/guide/forms).
  if (hasClass(form, "ng-valid")) return ", though its form was marked as valid";
  const isFilled = fields.length > 0 && fields.every((one) => isGiven(one, inside));
  return isFilled ? ", with every field of its form filled" : "";
}

const hasClass = ({ attributes }: SeenElement, name: string): boolean =>
  (attributes.class ?? "").split(/\s+/).includes(name);

const heldBy = ({ attributes: { value = "", type } }: SeenElement): string =>
  value === "" || type === "password" ? "" : ` (${quoted(value, 60)})`;

/** Whether a field has been given something; of radios one is enough, and nobody need have picked it here. */
function isGiven(field: SeenElement, inside: readonly SeenElement[]): boolean {
  const { tag, role, attributes: of, own } = field;
  if (role === "radio") return true;
  if (role === "checkbox" || role === "switch") return "checked" in of || of["aria-checked"] === "true";
  if (tag !== "select") return (of.value ?? own).trim() !== "";
  return insideOf(inside, field).some(
    ({ tag, attributes }) => tag === "option" && "selected" in attributes && attributes.value !== "",
  );
}
