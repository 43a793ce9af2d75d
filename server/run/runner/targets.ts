import type { Frame, Locator, Page } from "playwright-core";
import { substring } from "../globs.ts";
import type { Target } from "../language/ast.ts";
import { showText } from "../language/compile.ts";
import type { Values } from "./values.ts";

type Role = Parameters<Page["getByRole"]>[0];
/** What a person types or chooses in. */
const FIELDS =
  "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox], [role=spinbutton], [role=slider], [role=checkbox], [role=radio], [role=switch]";

/** A part of the page in which a target may stand: a frame, or one element of it. */
export interface Place {
  frame: Frame;
  within: Frame | Locator;
}

/** What fits a target in a place, hidden elements too. Its `in` is the place, and its `near` narrows what is found. */
export const locatorOf = (place: Place, target: Target, values: Values): Locator =>
  countedOut(fitting(place, target, values), target);

/** What a person sees of that: `nth` counts no hidden element. */
export const visibleOf = (place: Place, target: Target, values: Values): Locator =>
  countedOut(fitting(place, target, values).filter({ visible: true }), target);

const countedOut = (found: Locator, { nth }: Target): Locator =>
  nth === undefined ? found : found.nth(nth - 1);

function fitting({ frame, within }: Place, target: Target, values: Values): Locator {
  const value = target.value === undefined ? null : values.resolve(target.value);
  switch (target.by) {
    case "role":
      return within.getByRole(target.role as Role, value === null ? {} : { name: substring(value) });
    case "field":
      return within
        .getByLabel(substring(value ?? ""))
        .and(frame.locator(FIELDS))
        .or(within.getByPlaceholder(substring(value ?? "")));
    case "text":
      return within.getByText(substring(value ?? ""));
    case "testid":
      return within.getByTestId(value ?? "");
    case "css":
      return within.locator(`css=${value ?? ""}`);
  }
}

/** The same, narrowed to what bears exactly that name: it decides when a part of a name fits several. */
export function exactLocatorOf({ frame, within }: Place, target: Target, values: Values): Locator | null {
  if (target.value === undefined) return null;
  const value = values.resolve(target.value);
  switch (target.by) {
    case "role":
      return within.getByRole(target.role as Role, { name: value, exact: true });
    case "field":
      return within.getByLabel(value, { exact: true }).and(frame.locator(FIELDS));
    case "text":
      return within.getByText(value, { exact: true });
    default:
      return null;
  }
}

/** A target as it was written: `button "Pay" in dialog "Payment"`. */
export function showTarget(target: Target): string {
  const kind = target.by === "role" ? (target.role ?? "element") : target.by;
  return [
    kind,
    ...(target.value === undefined ? [] : [JSON.stringify(showText(target.value))]),
    ...(target.nth === undefined ? [] : [`nth ${target.nth}`]),
    ...(target.in ? [`in ${showTarget(target.in)}`] : []),
    ...(target.near ? [`near ${showTarget(target.near)}`] : []),
  ].join(" ");
}
