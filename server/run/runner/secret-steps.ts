import type { Locator } from "playwright-core";
import type { Action, CompiledStep } from "../language/ast.ts";
import { hasLiteral, isNamedSecret, withoutLiteral } from "../language/literals.ts";
import { ask } from "./ask.ts";
import { isSecretField } from "./element-probe.ts";
import type { Environment } from "./environment.ts";

/**
 * Keeps a value out of everything that is recorded from now on when nobody is to read the field that it is about to be typed
 * into; there, and wherever a secret is typed, pictures show dots.
 */
export async function guardTyped(
  { typed, hiddenSteps, recorder, redactor }: Environment,
  { locator, isSecret }: { locator: Locator; isSecret: boolean },
  value: string,
): Promise<void> {
  if (isSecret) {
    typed.add(value);
    if (recorder.stepId !== null) hiddenSteps.add(recorder.stepId);
  }
  if (isSecret || redactor.concerns(value)) await ask(locator, String(showDots));
}

/** The same for the field that has the focus, in whichever frame it is. */
export async function guardTypedAtFocus(environment: Environment, value: string): Promise<void> {
  const fields = environment
    .page()
    .frames()
    .map((frame) => frame.locator(":focus"));
  const isSecret = (await Promise.all(fields.map(isSecretField))).includes(true);
  await Promise.all(fields.map((locator) => guardTyped(environment, { locator, isSecret }, value)));
}

/** Runs in the page, so it refers to nothing outside itself. */
function showDots(elements: (Element & Partial<ElementCSSInlineStyle>)[]): void {
  for (const { style } of elements) style?.setProperty("-webkit-text-security", "disc", "important");
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
