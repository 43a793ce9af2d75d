import { formOf } from "../../alone/input/forms.ts";
import { refilledBefore } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { FIELDS, wantedOn } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** What a control that is disabled may wait for, or is called besides, as a clause: what only one run shows. */
export function waitsFor(evidence: Evidence): string {
  const { run, passes, failed } = evidence;
  const elements = run.page?.elements ?? [];
  const [control, ...others] = wantedOn({ failed }, elements);
  if (passes.length > 0 || !control || others.length > 0) return "";
  if (FIELDS.has(control.role)) return saysBesides(control, evidence);
  const fields = fieldsAround(control, elements);
  const unticked = fields.find(isToBeTicked);
  if (unticked) return `, while ${quoted(unticked.name, 80)} is not ticked`;
  return emptiedOf(evidence) || requiredOf(fields);
}

/** What belongs to a control: the fields of its form, or of the innermost part of the page that has any. */
function fieldsAround(control: SeenElement, elements: readonly SeenElement[]): SeenElement[] {
  const isField = (one: SeenElement) =>
    FIELDS.has(one.role) && !one.isHidden && !("disabled" in one.attributes) && one.name !== "";
  const form = formOf(elements, control);
  const parts = form === null ? aroundOf(elements, control) : [form];
  const part = parts.find((one) => insideOf(elements, one).some(isField));
  return part ? insideOf(elements, part).filter(isField) : [];
}

const isToBeTicked = ({ role, name, attributes: of }: SeenElement): boolean =>
  role === "checkbox" &&
  !("checked" in of) &&
  of["aria-checked"] !== "true" &&
  ("required" in of || of["aria-required"] === "true" || ACCEPTS.test(name));

/** What forms have a person agree to before they can be sent. */
const ACCEPTS = /\b(?:accept|agree|consent|terms|conditions|i (?:have read|confirm|understand))\b/i;

/** A field that the test had filled and that has nothing any more. */
function emptiedOf(evidence: Evidence): string {
  const { run, failed } = evidence;
  if (!failed.step || !run.page) return "";
  const emptied = refilledBefore(run.facts, failed.step, run.page).find(
    ({ step, field, value }) => value === "" && step.params.value !== "" && field.name !== "",
  );
  if (!emptied) return "";
  const last = actionBefore(run.facts, failed);
  const since = last && last.seq > emptied.step.seq ? ` before ${quotedStep(last)}` : "";
  return `, while ${quoted(emptied.field.name, 60)} stands empty, which the test had filled with ${quoted(String(emptied.step.params.value), 60)}${since}`;
}

function requiredOf(fields: readonly SeenElement[]): string {
  const empty = fields.find(
    ({ tag, attributes: { value = "", type = "", ...of }, own }) =>
      /^(?:input|textarea)$/.test(tag) &&
      !/^(?:password|checkbox|radio|file)$/.test(type) &&
      (value || own) === "" &&
      ("required" in of || of["aria-required"] === "true"),
  );
  return empty ? `, while ${quoted(empty.name, 60)}, which is required, stands empty` : "";
}

/** The whole name of a field, where the step names but a part of it: “12:00 sold out”. */
const saysBesides = ({ name }: SeenElement, { failed }: Evidence): string =>
  name === "" || failed.message.includes(name) || failed.title.includes(name)
    ? ""
    : `; the page calls it ${quoted(name, 80)}`;
