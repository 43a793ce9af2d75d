import type { Locator } from "playwright-core";
import type { Action, CompiledStep } from "../language/ast.ts";
import { hasLiteral, isNamedSecret, withoutLiteral } from "../language/literals.ts";
import type { Environment } from "./environment.ts";
import { quietly } from "./quietly.ts";

/**
 * Keeps a value out of everything that is recorded from now on when the field that it is about to be typed into is one that
 * nobody is to read.
 * @param locator null for the field that has the focus
 */
export async function guardTyped(
  { page, typed, hiddenSteps, recorder }: Environment,
  locator: Locator | null,
  value: string,
): Promise<void> {
  const fields = locator
    ? [locator]
    : page()
        .frames()
        .map((frame) => frame.locator(":focus"));
  const asked = fields.map((field) =>
    // What just went away is told of by the deed.
    quietly(page(), () => field.evaluateAll(areSecret)).catch(() => false),
  );
  const isSecret = (await Promise.all(asked)).includes(true);
  if (!isSecret) return;
  typed.add(value);
  if (recorder.stepId !== null) hiddenSteps.add(recorder.stepId);
}

/** Runs in the page, so it refers to nothing outside itself. */
function areSecret(elements: Element[]): boolean {
  const SECRET = /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc)(?:\s|$)/i;
  return elements.some(
    (element) =>
      (element as HTMLInputElement).type === "password" ||
      SECRET.test(element.getAttribute("autocomplete") ?? ""),
  );
}

/** A step as it may be recorded, once it was carried out: without what it typed where nobody is to read it. */
export function shownStep({ typed, redactor, hiddenSteps }: Environment, step: CompiledStep): CompiledStep {
  const action = shownAction(step.action, hiddenSteps.has(step.id) || isNamedSecret(step), redactor);
  if (action === step.action) return step;
  const source = withoutLiteral(step, `"${redactor.hide()}"`);
  typed.show(step.source, source);
  return { ...step, source, action };
}

function shownAction(action: Action, isSecret: boolean, redactor: Environment["redactor"]): Action {
  if (action.verb === "request" && typeof action.body === "string") {
    const body = redactor.body(action.body);
    return body === action.body ? action : { ...action, body };
  }
  // References say nothing.
  if (action.verb === "fill" && isSecret && hasLiteral(action.value))
    return { ...action, value: redactor.hide() };
  if (action.verb === "type" && isSecret && hasLiteral(action.text))
    return { ...action, text: redactor.hide() };
  return action;
}
