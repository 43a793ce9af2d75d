import { sameAct } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";
import { FIELD, nameOf } from "../../page/written.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Act, Evidence, SeenPage } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

const PRESSES = /press$/i;
const CLOSES =
  /^(?:close|cancel|dismiss|schließen|abbrechen|fermer|annuler|cerrar|cancelar|chiudi|[x×✕✖])\b|^[×✕✖]/i;

/** Why the field that passes type into had not the focus, as a clause: what stands before it now, or what the dialog around it gave the focus to. */
export function withoutFocus(evidence: Evidence, act: Act, field: string): string {
  return (
    tabbedTo(evidence, act, field) ?? ofDialog(evidence, act, field) ?? "the focus was elsewhere by then"
  );
}

/** What the Tab key came to in the place of a field, since it stands right before it as on no pass's page. */
function tabbedTo({ run, passes }: Evidence, act: Act, field: string): string | null {
  const key = keyOf(stepBeside(run.facts.steps, act.step, -1));
  const before = key === "Tab" ? -1 : key === "Shift+Tab" ? 1 : null;
  if (before === null) return null;
  const [now, beyond] = besideField(act.met, field, before);
  const isUsual = passes.some((pass) => {
    const same = sameAct(run, act, pass);
    return !same || callOf(besideField(same.met, field, before)[0]) !== callOf(beyond);
  });
  if (!now || isUsual || callOf(now) === callOf(beyond)) return null;
  return `the ${key} key came to the ${now.role || now.tag} ${quoted(nameOf(now), 60)} first, which stands in the order of the focus before that field now`;
}

/** The element that has the focus next to a field, and the one after that. */
function besideField(page: SeenPage, field: string, step: 1 | -1): (SeenElement | undefined)[] {
  const all = page.elements.filter(takesFocus);
  const at = all.findIndex((one) => isNamed(one, field));
  return at < 0 ? [] : [all[at + step], all[at + 2 * step]];
}

const callOf = (one: SeenElement | undefined): string | null =>
  one === undefined ? null : `${one.tag} ${one.role} ${nameOf(one)}`;

const isNamed = (one: SeenElement, field: string): boolean => FIELD.test(one.tag) && nameOf(one) === field;

/** Whether the Tab key comes to an element. */
const takesFocus = ({ tag, isHidden, attributes }: SeenElement): boolean =>
  !isHidden &&
  attributes.disabled === undefined &&
  attributes.type !== "hidden" &&
  !attributes.tabindex?.startsWith("-") &&
  (/^(?:button|select|input|textarea)$/.test(tag) ||
    (tag === "a" && attributes.href !== undefined) ||
    attributes.tabindex !== undefined ||
    (attributes.contenteditable !== undefined && attributes.contenteditable !== "false"));

/** The dialog around a field does not give it the focus, or gives it to the button by which it closes. */
function ofDialog({ run, failed }: Evidence, { step, met }: Act, field: string): string | null {
  const one = met.elements.find((element) => isNamed(element, field));
  const dialog = one && aroundOf(met.elements, one).findLast(({ role }) => role === "dialog");
  if (!dialog) return null;
  const name = nameOf(dialog);
  const next = stepBeside(run.facts.steps, step, 1);
  const isPressed =
    next && !next.isFailed && next.ts < failed.to && /^(?:Enter|Space| )$/.test(keyOf(next) ?? "");
  const isClosed = run.page?.elements.every(
    (element) => element.role !== "dialog" || nameOf(element) !== name,
  );
  const close = met.elements.find(
    (element) =>
      element.role === "button" &&
      CLOSES.test(nameOf(element)) &&
      aroundOf(met.elements, element).includes(dialog),
  );
  return isPressed && isClosed && close
    ? `the dialog ${quoted(name, 60)} did not give it the focus, and ${quotedStep(next)} closed that, as its button ${quoted(nameOf(close), 40)} with the focus does`
    : `the dialog ${quoted(name, 60)} did not give it the focus`;
}

const keyOf = (step: Step | undefined): string | null =>
  step && PRESSES.test(step.name) && typeof step.params.key === "string" ? step.params.key : null;

/** The action right before or after another one. */
function stepBeside(steps: readonly Step[], step: Step, by: 1 | -1): Step | undefined {
  const actions = steps.filter(({ kind, category }) => kind === "agent.action" && category !== "test.step");
  return actions[actions.findIndex(({ seq }) => seq === step.seq) + by];
}
