import { attributesOf, isElement } from "../../playwright/snapshot-tree.ts";
import type { PageShot, RunFacts, Step } from "../run/run-facts.ts";
import { actionBefore, counterpart, GESTURES, withoutFragment } from "../run/select.ts";
import type { Act, Evidence, Failed, RunEvidence } from "../types.ts";
import { FOUND, type SeenElement } from "./page-view.ts";
import { aroundOf } from "./within.ts";

/** The pictures of an action's page. */
export interface ActShots {
  /** Of the action of the failed run that it is, or that it corresponds to. */
  of: number;
  step: Step;
  met: PageShot;
  left: PageShot | null;
}

/** A form of several pages is filled in with so many actions, and each of them may have gone elsewhere. */
const MOST = 16;

/** What types key by key, so that its text can go to several fields. */
export const TYPES = /keyboard\.?(?:type|insertText)|pressSequentially|(?:^|\.)type$/i;

/** The letter that an action pressed; null for any other action. */
export const letterOf = ({ name, params: { key } }: Step): string | null =>
  PRESSES.test(name) && typeof key === "string" && /^[^\s\p{C}]$/u.test(key) ? key : null;

const PRESSES = /(?:^|\.|keyboard)press$/i;

/** The last actions up to the end of the failed step that the recorder took a picture of, oldest first. */
export function actShots(facts: RunFacts, failed: Failed): ActShots[] {
  return shotsOf(
    facts,
    facts.steps.flatMap((step) =>
      step.kind === "agent.action" && GESTURES.test(step.name) && step.ts <= failed.to
        ? [{ of: step.seq, step }]
        : [],
    ),
  ).slice(-MOST);
}

/** Whether an action went well before the failed step, or while that waited for what the action brings about. */
export const isDoneBefore = ({ step }: Failed, { isFailed, seq }: Step): boolean =>
  !isFailed && seq !== step?.seq;

/** The same actions of a pass. */
export function passActShots(run: RunFacts, acts: readonly ActShots[], pass: RunFacts): ActShots[] {
  return shotsOf(
    pass,
    acts.flatMap(({ of, step }) => {
      const same = counterpart(run, step, pass);
      return same ? [{ of, step: same }] : [];
    }),
  );
}

function shotsOf({ pages }: RunFacts, acts: readonly Pick<ActShots, "of" | "step">[]): ActShots[] {
  const byStep = Map.groupBy(pages, ({ step_id }) => step_id);
  return acts.flatMap(({ of, step }) => {
    const own = (step.step_id !== null && byStep.get(step.step_id)) || [];
    const met = own.find(({ phase }) => phase === "action") ?? (mayBeIdle(step) ? own.at(-1) : undefined);
    const left =
      TYPES.test(step.name) || letterOf(step) !== null
        ? own.findLast(({ phase }) => phase === "after")
        : undefined;
    return met ? [{ of, step, met, left: left ?? null }] : [];
  });
}

/** What ticks a box or a radio button: where that is ticked already, it does nothing, and the recorder marks no element. */
const TICKS = /(?:^|\.)(?:check|uncheck|setChecked)$/;
const mayBeIdle = ({ name, isFailed }: Step): boolean => TICKS.test(name) && !isFailed;

/** Whether an action had nothing to do: what it was to tick was ticked already. */
export const wasIdle = ({ step, met }: Pick<ActShots, "step" | "met">): boolean =>
  mayBeIdle(step) && met.phase !== "action";

/** What an action found, as its picture alone tells it. */
export interface Outline {
  /** The element and what it stands in, by what actions go by. */
  chain: string;
  /** Of a field that a label may be for. */
  fieldId: string | null;
  /** Whether it is a field without a name, of a form that the browser sends. */
  isNameless: boolean;
  /** Whether it is a button without a type within a form, which it then sends. */
  isUntyped: boolean;
}

/**
 * The element that an action found, with what it stands in. The recorder marks it anew, so that all of these are in the
 * picture itself and none is a reference to an earlier one.
 * @returns null where nothing is marked
 */
export function outlineOf(root: unknown, { met: { snapshot } }: ActShots): Outline | null {
  const call = callOf(snapshot);
  const around: string[] = [];
  function visit(node: unknown): Outline | null {
    if (!isElement(node) || around.length > DEEPEST) return null;
    const attributes = attributesOf(node[1]);
    const tag = node[0].toLowerCase();
    around.push(
      `${tag} ${attributes.flatMap(([name, value]) => (GOES_BY.test(name) ? [`${name}=${value.slice(0, LONGEST)}`] : [])).join(" ")}`,
    );
    const mark = attributes.find(([name]) => name === FOUND)?.[1];
    if (mark !== undefined && (mark === "" || mark === call)) {
      const id = attributes.find(([name]) => name === "id")?.[1];
      const isField = FIELD.test(tag);
      const isTyped = attributes.some(([name, value]) => name === "type" && value !== "");
      const hasName = attributes.some(([name, value]) => name === "name" && value !== "");
      return {
        chain: around.join("\n"),
        fieldId: isField && id ? id : null,
        isNameless: isField && !hasName && around.some((one) => SENT_FORM.test(one)),
        isUntyped: tag === "button" && !isTyped && around.some((one) => one.startsWith("form ")),
      };
    }
    for (let at = 2; at < node.length; at++) {
      const found = visit(node[at]);
      if (found) return found;
    }
    around.pop();
    return null;
  }
  return visit(root);
}

const SENT_FORM = /^form .*\b(?:action|method)=/;
const DEEPEST = 1_000;
/** Characters of a value: addresses may hold whole pictures. */
const LONGEST = 300;
const FIELD = /^(?:input|select|textarea)$/;
/** What a state, a style or a value changes is left out. */
const GOES_BY =
  /^(?:id|name|type|role|placeholder|title|aria-label|data-test[a-z-]*|data-qa|data-cy|draggable|target|href|download|form|formaction|for|action|method|accept|multiple|contenteditable|maxlength|pattern|min|max|step)$/;

const callOf = (snapshot: string | null) => snapshot?.split("@").slice(1).join("@");

/** The element that an action found, of a drag what it took hold of. */
export function foundBy({ met: { shot, elements } }: Act): SeenElement | null {
  const call = callOf(shot.snapshot);
  return elements.find((one) => one.foundBy === "" || (one.foundBy && one.foundBy === call)) ?? null;
}

/** Where the link that an action pressed leads to, if that is the very page which it stands on; null of all else. */
export function ownAddressOf(act: Act): string | null {
  const { shot, elements } = act.met;
  const pressed = foundBy(act);
  const link = pressed && [pressed, ...aroundOf(elements, pressed)].find(({ tag }) => tag === "a");
  const href = link?.attributes.href ?? "";
  // What stands behind a hash is a place within the page.
  if (href === "" || href.includes("#")) return null;
  return URL.parse(href, shot.url)?.href === URL.parse(withoutFragment(shot.url))?.href ? href : null;
}

/** The actions before the failure whose pages are known, the last one also where nothing but the failure asks for it; oldest first. */
export function knownActs({ run, failed }: Evidence): Act[] {
  const acts = (run.acts ?? []).filter(({ step }) => isDoneBefore(failed, step));
  const last = actionBefore(run.facts, failed);
  if (last && run.before && acts.every(({ step }) => step.seq !== last.seq))
    acts.push({ step: last, met: run.before, left: null });
  return acts.toSorted((a, b) => a.step.seq - b.step.seq);
}

/** What a pass did where this run did that action; null where its page was not recorded. */
export function sameAct({ facts }: RunEvidence, { step }: Act, pass: RunEvidence): Act | null {
  const same = counterpart(facts, step, pass.facts);
  return (same && pass.acts?.find((one) => one.step.seq === same.seq)) ?? null;
}
