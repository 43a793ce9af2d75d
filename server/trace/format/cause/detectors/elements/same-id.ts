import { foundBy, sameAct, wasIdle } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { isOfKind, told, wantedBy, wantedOn } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import type { Act, Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** An action that went by a label to another field than the one beside it: the id that the label is for stands twice on the page. */
export function detectSameId(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  return (run.acts ?? []).flatMap((act): Finding[] => {
    const led = ledAstray(act);
    if (!led) return [];
    const { found, label, alike } = led;
    const isUsual = passes.some((pass) => {
      const same = sameAct(run, act, pass);
      return same !== null && ledAstray(same) !== null;
    });
    return [
      {
        kind: "page_changed",
        title: `${quotedStep(act.step)} went ${TICKED.has(found.role) ? "to" : "into"} another field than the one beside the label ${quoted(label.text, 60)}: the id ${quoted(found.attributes.id!, 60)} stands ${alike === 2 ? "twice" : `${alike} times`} on the page, and ${TICKED.has(found.role) ? ticksFirst(led) : firstOf(act, led)}`,
        detail: null,
        step_id: act.step.step_id,
        events: [act.step.seq, act.met.shot.seq],
        ts: act.step.ts,
        is_new: passes.length === 0 ? null : !isUsual,
        weight: passes.length === 0 ? 0.86 : 0.94,
        about: `acted ${act.step.seq}`,
        astray: "label",
      },
    ];
  });
}

/**
 * The element that the failed step looked at has an id that an earlier one on the page has as well, in no pass: whatever
 * a script writes by that id stands in the other one.
 */
export function detectTakenId(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const taken = takenOn(evidence, run);
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (!taken || !run.page || seq === null || passes.some((pass) => takenOn(evidence, pass) !== null))
    return [];
  const { looked, earlier } = taken;
  return [
    {
      kind: "page_changed",
      title: `The id ${quoted(looked.attributes.id!, 60)} stands twice on the page${passes.length === 0 ? "" : ", and once in the last pass"}: ${told(earlier)}${earlier.text === "" || earlier.text === earlier.name ? "" : `, which says ${quoted(earlier.text, 60)},`} comes before the element that the step looked at, and gets what is written by that id`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.8 : 0.9,
      about: `acted id ${looked.attributes.id}`,
    },
  ];
}

function takenOn(
  evidence: Evidence,
  { page }: RunEvidence,
): { looked: SeenElement; earlier: SeenElement } | null {
  const elements = page?.elements ?? [];
  const [found] = wantedOn(evidence, elements);
  const id = (found ?? usualOne(evidence))?.attributes.id;
  const [earlier, second, ...others] = id ? elements.filter((one) => one.attributes.id === id) : [];
  const looked = found ?? second;
  return looked && second && earlier && earlier !== looked && others.length === 0
    ? { looked, earlier }
    : null;
}

/** What every pass has where the step looks by a text, which may stand elsewhere now. */
function usualOne(evidence: Evidence): SeenElement | undefined {
  const [one, ...others] = evidence.passes.map((pass) => wantedOn(evidence, pass.page?.elements ?? [])[0]);
  return others.every((other) => other?.attributes.id === one?.attributes.id) ? one : undefined;
}

interface Led {
  found: SeenElement;
  beside: SeenElement;
  label: SeenElement;
  /** How many elements have the id. */
  alike: number;
}

/** Which of several boxes or radio buttons the label leads to, by the values that are sent of them. */
function ticksFirst({ found, beside }: Led): string {
  const [first, meant] = [found, beside].map(({ attributes }) => attributes.value ?? "") as [string, string];
  return first === meant
    ? "the label leads to the first of them"
    : `the label leads to the first of them, whose value is ${quoted(first, 60)} in the place of ${quoted(meant, 60)}`;
}

/** Which of the two comes first: by the label beside it, else by what it is; by their id both are called by one label. */
function firstOf(act: Act, { found, beside, label }: Led): string {
  const { elements } = act.met;
  const own = elements
    .slice(0, elements.indexOf(found))
    .findLast(({ tag, attributes }) => tag === "label" && attributes.for === found.attributes.id);
  if (own && own.text !== label.text) return `the field beside the label ${quoted(own.text, 60)} comes first`;
  const [first, second] = [placed(act, found), placed(act, beside)];
  return first === second
    ? "the label leads to the first of the two"
    : `${first} comes first, before ${second}`;
}

/** The field that the action found, the one beside its label, and the label; null where they are one, or no label is for it. */
function ledAstray(act: Act): Led | null {
  const pressed = foundBy(act) ?? labelOfIdle(act);
  const { elements } = act.met;
  // A label that is pressed leads to the first element of the id that it is for.
  const found =
    pressed?.tag === "label" && pressed.attributes.for
      ? elements.find(({ attributes }) => attributes.id === pressed.attributes.for)
      : pressed;
  const id = found?.attributes.id;
  if (!found || !id || !isField(found)) return null;
  const labels = elements.filter(({ tag, attributes }) => tag === "label" && attributes.for === id);
  // Where both have a label, it is the one that the action names.
  const label =
    labels.find((one) => one === pressed) ??
    labels.find(({ text }) => text !== "" && act.step.title.includes(text)) ??
    labels[0];
  const alike = elements.filter((one) => one.attributes.id === id);
  // The rows of a list may each have a field of one id.
  if (!label || alike.length < 2 || !(alike.length === 2 || isOneGroup(alike))) return null;
  const others = alike.filter((one) => one !== found && isField(one) && !one.isHidden);
  const around = new Set(aroundOf(elements, label));
  const depthShared = (one: SeenElement) =>
    aroundOf(elements, one).find((outer) => around.has(outer))?.depth ?? -1;
  const deepest = Math.max(...others.map(depthShared));
  const [beside, ...more] = others.filter((one) => depthShared(one) === deepest);
  const apart = deepest - depthShared(found);
  const isIt =
    beside !== undefined &&
    more.length === 0 &&
    (apart > 0 || (apart === 0 && isRightAfter(elements, label, found, beside)));
  return isIt ? { found, beside, label, alike: alike.length } : null;
}

/** Of an action that had nothing to do, and so marked no element: the label that it names. */
function labelOfIdle(act: Act): SeenElement | null {
  const { elements, shot } = act.met;
  if (!wasIdle({ step: act.step, met: shot })) return null;
  const { label, name } = wantedBy(String(act.step.params.selector ?? act.step.title));
  const named = elements.filter(
    ({ tag, text, attributes }) => tag === "label" && text === name && attributes.for,
  );
  return label && named.length === 1 ? named[0]! : null;
}

/** Whether all are radio buttons of which one is chosen. */
const isOneGroup = ([first, ...others]: readonly SeenElement[]): boolean =>
  first?.role === "radio" &&
  others.length < MOST_IN_GROUP &&
  others.every((one) => one.role === "radio" && one.attributes.name === first.attributes.name);

const MOST_IN_GROUP = 100;

/** Whether of two fields to write in one comes right after the label, and the one that was found before it. */
function isRightAfter(
  elements: readonly SeenElement[],
  label: SeenElement,
  found: SeenElement,
  beside: SeenElement,
): boolean {
  const at = elements.indexOf(label);
  const next = elements.slice(at + 1).find((one) => isField(one) || one.tag === "label");
  return next === beside && elements.indexOf(found) < at && !TICKED.has(beside.role);
}

/** Their labels stand behind them. */
const TICKED: ReadonlySet<string> = new Set(["checkbox", "radio"]);

const isField = (one: SeenElement): boolean => isOfKind({ ...wantedBy(""), label: true }, one);

function placed({ met: { elements } }: Act, one: SeenElement): string {
  const form = aroundOf(elements, one).find(({ tag }) => /^(?:form|nav|aside|dialog|main)$/.test(tag));
  const called = form && (form.attributes["aria-label"] ?? form.attributes.class ?? form.attributes.id);
  return `${told(one)}${form ? ` in the ${form.tag}${called ? ` ${quoted(called, 60)}` : ""}` : ""}`;
}
