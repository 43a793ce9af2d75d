import type { Page } from "playwright-core";
import type { Action, CompiledStep } from "../language/ast.ts";
import { hasLiteral, isNamedSecret, withoutLiteral } from "../language/literals.ts";
import type { Environment } from "./environment.ts";
import { isSecretField } from "./seen.ts";

/**
 * Keeps a value out of everything that is recorded from now on when the field that it is about to be typed into is one that
 * nobody is to read.
 */
export function guardTyped(
  { typed, hiddenSteps, recorder }: Environment,
  isSecret: boolean,
  value: string,
): void {
  if (!isSecret) return;
  typed.add(value);
  if (recorder.stepId !== null) hiddenSteps.add(recorder.stepId);
}

/** Whether the field that has the focus is such a one. */
export async function isFocusSecret(page: Page): Promise<boolean> {
  const asked = page.frames().map((frame) => isSecretField(frame.locator(":focus")));
  return (await Promise.all(asked)).includes(true);
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
