import type { Frame, Locator, Page } from "playwright-core";
import { substring } from "../globs.ts";
import type { Target } from "../language/ast.ts";
import { showText } from "../language/compile.ts";
import type { Values } from "./values.ts";

type Role = Parameters<Page["getByRole"]>[0];
/** What a person types or chooses in. */
const FIELDS =
  "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox], [role=spinbutton], [role=slider], [role=checkbox], [role=radio], [role=switch]";

/** Everything that a target means, without its `nth` and `near`. */
export function locatorOf(page: Page | Frame, target: Target, values: Values): Locator {
  const scope = target.in ? locatorOf(page, target.in, values) : page;
  const value = target.value === undefined ? null : values.resolve(target.value);
  const found = within(page, scope, target, value);
  return target.nth === undefined ? found : found.nth(target.nth - 1);
}

function within(
  page: Page | Frame,
  scope: Page | Frame | Locator,
  target: Target,
  value: string | null,
): Locator {
  switch (target.by) {
    case "role":
      return scope.getByRole(target.role as Role, value === null ? {} : { name: substring(value) });
    case "field":
      return scope
        .getByLabel(substring(value ?? ""))
        .and(page.locator(FIELDS))
        .or(scope.getByPlaceholder(substring(value ?? "")));
    case "text":
      return scope.getByText(substring(value ?? ""));
    case "testid":
      return scope.getByTestId(value ?? "");
    case "css":
      return scope.locator(`css=${value ?? ""}`);
  }
}

/** The same, narrowed to what bears exactly that name: it decides when a part of a name fits several. */
export function exactLocatorOf(page: Page | Frame, target: Target, values: Values): Locator | null {
  if (target.value === undefined) return null;
  const scope = target.in ? locatorOf(page, target.in, values) : page;
  const value = values.resolve(target.value);
  switch (target.by) {
    case "role":
      return scope.getByRole(target.role as Role, { name: value, exact: true });
    case "field":
      return scope.getByLabel(value, { exact: true }).and(page.locator(FIELDS));
    case "text":
      return scope.getByText(value, { exact: true });
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
