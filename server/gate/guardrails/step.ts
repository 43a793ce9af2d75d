import type { Action, CompiledStep, Expectation, Target } from "../../run/language/ast.ts";
import { doesOtherwise, isLooser, plain, saysOtherwise, sharesWords } from "./words.ts";

/** What is known of a patch beside the two files. */
export interface Grounds {
  /** Whether recorded pages were asked if an element that a step names anew is the counterpart of the one before. */
  isBorneOut: boolean;
}

/** What the runner waits where a step says nothing, ms. */
const USUAL_MS = 5000;

const same = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b);

/**
 * Why a step must not stand in the place of another, in words; null when it asks for no less. Expectations may only name
 * their element, or words of the page, anew; what is typed, opened, waited for or injected stays as it is.
 */
export function isWeaker(before: CompiledStep, after: CompiledStep, grounds: Grounds): string | null {
  if ((after.within_ms ?? USUAL_MS) > (before.within_ms ?? USUAL_MS)) return "it waits longer";
  const [old, now] = [before.action, after.action];
  if (same(old, now)) return null;
  if (before.from !== null) return "it is a step of another scenario";
  if (old.verb !== now.verb) return "it does something else";
  if (old.verb === "expect" && now.verb === "expect") {
    if (old.not || now.not)
      return "what is expected not to be stays as it is: with another name it would always hold";
    return isWeakerExpectation(old.expectation, now.expectation, grounds);
  }
  return isOtherAct(old, now, grounds);
}

function isOtherAct(old: Action, now: Action, grounds: Grounds): string | null {
  switch (old.verb) {
    case "wait_for_request":
      if (now.verb !== "wait_for_request" || old.method !== now.method) return "it waits for something else";
      return isLooserAddress(plain(old.url), plain(now.url));
    case "wait_for":
      if (now.verb !== "wait_for" || old.state !== now.state || old.state === "hidden")
        return "it waits for something else";
      return isLooserTarget(old.target, now.target, grounds);
    case "click":
    case "double_click":
    case "check":
    case "uncheck":
    case "hover":
    case "scroll":
    case "fill":
    case "type":
    case "press":
    case "select":
    case "upload":
    case "drag": {
      const { target: from, ...rest } = old as { target: Target | null };
      const { target: to, ...others } = now as { target: Target | null };
      if (!same(rest, others)) return "it does something else with its element";
      if (from === null || to === null) return "it acts on the element that has the focus";
      return isNameless(to) ?? usesOtherwise(from, to);
    }
    default:
      return `a step "${old.verb.replaceAll("_", " ")}" stays as it is`;
  }
}

/** An act needs one element that has a name: which one it is, the expectations after it say. */
const isNameless = (target: Target): string | null =>
  target.value === undefined || plain(target.value).trim() === "" ? "its element has no name any more" : null;

/** An element that says of itself that it does something else: what is expected afterwards need not notice. */
function usesOtherwise(from: Target, to: Target): string | null {
  if (!isNamed(from) || !isNamed(to)) return null;
  const why = doesOtherwise(plain(from.value ?? ""), plain(to.value ?? ""));
  return why && `its element now ${why}`;
}

function isWeakerExpectation(old: Expectation, now: Expectation, grounds: Grounds): string | null {
  if (old.type !== now.type) return "it expects another kind of thing";
  switch (old.type) {
    case "text": {
      const { text, target } = now as typeof old;
      if ((old.target === null) !== (target === null)) return "it looks elsewhere for the text";
      return (
        isLooserText(plain(old.text), plain(text)) ??
        (old.target && isLooserScope(old.target, target!, grounds))
      );
    }
    case "title":
      return isLooserText(plain(old.text), plain((now as typeof old).text));
    case "url":
      return isLooserAddress(plain(old.text), plain((now as typeof old).text));
    case "count":
      return "a count stays as it is";
    case "value": {
      const { text, target } = now as typeof old;
      return same(old.text, text) ? isLooserTarget(old.target, target, grounds) : "it expects another value";
    }
    case "hidden":
      return "what is expected to be hidden stays as it is: with another name it would always hold";
    case "request": {
      const { method, url, status } = now as typeof old;
      if (method !== old.method || status !== old.status) return "it expects another method or status";
      return isLooserAddress(plain(old.url), plain(url));
    }
    default:
      return isLooserTarget(old.target, (now as typeof old).target, grounds);
  }
}

function isLooserText(before: string, after: string): string | null {
  if (before === after) return null;
  const why = isLooser(before, after) ?? saysOtherwise(before, after);
  return why && `the new text ${why}`;
}

/**
 * Selectors and test ids say nothing of what people read, and a text says nothing of what they can use: neither may stand for a name.
 * One may become another that is called alike, or, where recorded pages bear it out, the name of its element.
 */
function isLooserTarget(old: Target, now: Target, grounds: Grounds): string | null {
  if (same(old, now)) return null;
  if (now.by === "css" && old.by !== "css") return "a selector takes the place of a name";
  if (now.by === "testid" && isNamed(old)) return "a test id takes the place of a name";
  if (now.by === "text" && (old.by === "role" || old.by === "field"))
    return `any text takes the place of a ${old.role ?? "field"}`;
  if (
    now.by === "css" &&
    /(?:^|[\s>+~,])(?:\*|html|body|main|div|span)(?=$|[\s>+~,:])|,|:is|:where|:not/i.test(
      plain(now.value ?? ""),
    )
  )
    return "the selector fits too much";
  const nameless = isNameless(now);
  if (nameless !== null) return old.value === undefined && old.role === now.role ? null : nameless;
  const handle = old.value !== undefined && !isNamed(old) ? isOtherHandle(old, now, grounds) : null;
  if (handle !== null) return handle;
  if (
    (old.in !== undefined && now.in === undefined) ||
    (old.near !== undefined && now.near === undefined && now.in === undefined)
  )
    return "it looks in more places";
  if (old.nth !== now.nth) return "it counts elements in another way";
  if (old.value !== undefined && isNamed(old) && isNamed(now)) {
    const why = isLooserText(plain(old.value), plain(now.value!));
    if (why !== null) return why;
  }
  const inside = old.in && now.in ? isLooserScope(old.in, now.in, grounds) : null;
  // What stands near something may be said to stand in it instead.
  const beside = now.near ?? (old.in ? undefined : now.in);
  return inside ?? (old.near && beside ? isLooserScope(old.near, beside, grounds) : null);
}

/** What takes the place of a selector or test id. */
function isOtherHandle(old: Target, now: Target, { isBorneOut }: Grounds): string | null {
  const kind = old.by === "css" ? "selector" : "test id";
  if (isNamed(now))
    return isBorneOut ? null : `no recorded page bears out that it names the element of the ${kind}`;
  if (old.by !== now.by) return `something else takes the place of a ${kind}`;
  const [before, after] = [handleWords(old), handleWords(now)];
  if (before === after) return null;
  if (!sharesWords(before, after)) return `the new ${kind} has little in common with the old one`;
  const why = saysOtherwise(before, after);
  return why && `the new ${kind} ${why}`;
}

/** `#paidBadge` as "paid badge". */
const handleWords = ({ value }: Target): string =>
  plain(value ?? "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** A place that is told by its kind alone, as `in main`, may be told by a test id. */
const isLooserScope = (old: Target, now: Target, grounds: Grounds): string | null =>
  old.value === undefined && now.by === "testid" ? null : isLooserTarget(old, now, grounds);

const isNamed = ({ by }: Target): boolean => by === "role" || by === "field" || by === "text";

/** Addresses: as many parts, no more stars, none of them emptied. */
function isLooserAddress(before: string, after: string): string | null {
  if (before === after) return null;
  const stars = (text: string) => text.match(/\*/g)?.length ?? 0;
  const parts = (text: string) => text.split(/[/?&#]/).filter((part) => part.replace(/\*/g, "") !== "");
  if (stars(after) > stars(before)) return "the new address fits more";
  if (parts(after).length < parts(before).length) return "the new address has fewer parts";
  const [old, now] = [before.replace(/\*/g, ""), after.replace(/\*/g, "")];
  if (old.includes(now)) return "the new address is only a part of the old one";
  if (now.length * 5 < old.length * 3) return "the new address is far shorter";
  return null;
}

/** A click that tries once more hides that it did not work the first time. */
const TRIES_AGAIN =
  /\b(?:retry|try|again|reload|refresh|repeat|resend|restart|undo|back|cancel|delete|remove|log ?out|sign ?out)\b/i;

/** Why a step must not be added, in words; null when it may. @param rest the steps that follow it */
export function isUnwelcome(step: CompiledStep, rest: readonly CompiledStep[]): string | null {
  const { action } = step;
  if ((step.within_ms ?? USUAL_MS) > USUAL_MS) return "it waits longer than a step usually does";
  if (JSON.stringify(action).includes('"secrets.')) return "it brings a secret to another place";
  switch (action.verb) {
    case "click":
    case "check":
    case "hover":
    case "scroll":
    case "select": {
      if (isNameless(action.target)) return "its element has no name";
      return TRIES_AGAIN.test(plain(action.target.value!))
        ? "it tries again, leaves or takes back what was done"
        : null;
    }
    case "fill": {
      if (isNameless(action.target)) return "its element has no name";
      const typed = plain(action.value).trim();
      const looksFor = rest.some(({ action: later }) => {
        if (later.verb !== "expect") return false;
        const { expectation } = later;
        if (!("text" in expectation)) return false;
        const text = plain(expectation.text);
        return text.includes(typed) || typed.includes(text);
      });
      return typed === "" || looksFor ? "it types what is expected afterwards" : null;
    }
    case "wait_for":
      return action.state === "visible" ? isNameless(action.target) : null;
    case "wait_for_request":
    case "wait_for_url":
    case "screenshot":
    case "expect":
      return null;
    default:
      return `a step "${action.verb.replaceAll("_", " ")}" is not added`;
  }
}
