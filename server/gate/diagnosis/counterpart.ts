import { wordsOf } from "../guardrails/words.ts";
import { isControl, keyOf, type PageModel, type Part } from "./page-model.ts";
import { besideOf } from "./surroundings.ts";

/** An element that took the place of another. */
export interface Counterpart {
  part: Part;
  /** What the two have in common, in words. */
  why: string[];
  /** Whether one of the signs is one that a developer gives (id, test id, form name, address), or it is the same element elsewhere. */
  isSure: boolean;
  /** Whether one of them is a developer's. */
  isSigned: boolean;
}

const ENOUGH = 4;
const MARGIN = 2;

/**
 * The one element of a page that is what another was on an earlier recording of it. Elements that were there before are others;
 * when two are like it, none is meant.
 */
export function counterpartOf(old: Part, before: PageModel, now: PageModel): Counterpart | null {
  const known = countKeys(before);
  const present = countKeys(now);
  const own = keyOf(old);
  // What was hidden then is another one, too.
  const wasHidden = new Set(before.hidden.map(keyOf));
  const twins = before.parts.filter((part) => part !== old && keyOf(part) === own);
  const others = new Set(twins.map((part) => besideOf(part, before)).filter((beside) => beside !== ""));
  const candidates = now.parts.filter((part) => {
    if (!isAlike(old, part)) return false;
    const key = keyOf(part);
    // Of several alike, what stands beside it tells which one it is; where nothing does, it may be one of the others.
    if (key === own) {
      const beside = besideOf(part, now);
      return twins.length === 0 || (beside !== "" && !others.has(beside));
    }
    if (wasHidden.has(key)) return false;
    // As many as before: they are those of before.
    return (present.get(key) ?? 0) > (known.get(key) ?? 0);
  });
  const rated = candidates
    .map((part) => ({ part, ...rate(old, part, before, now) }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = rated;
  if (!best || best.score < ENOUGH || (second && best.score - second.score < MARGIN)) return null;
  const { part, why, isSure, isSigned } = best;
  return { part, why, isSure, isSigned };
}

function countKeys({ parts }: PageModel): Map<string, number> {
  const counts = new Map<string, number>();
  for (const part of parts) counts.set(keyOf(part), (counts.get(keyOf(part)) ?? 0) + 1);
  return counts;
}

/** A button may become a link, and a field another kind of field; a text stays one. */
function isAlike(old: Part, now: Part): boolean {
  const kinds = /^(?:button|link|tab|menuitem)$/;
  const fields = /^(?:textbox|searchbox|combobox|spinbutton)$/;
  if (old.element.role === now.element.role)
    return old.element.role !== "" || old.element.tag === now.element.tag || !isControl(now);
  return (
    (kinds.test(old.element.role) && kinds.test(now.element.role)) ||
    (fields.test(old.element.role) && fields.test(now.element.role)) ||
    (!isControl(old) &&
      !isControl(now) &&
      old.element.role === "" &&
      now.element.own !== "" &&
      now.element.role === "")
  );
}

function rate(old: Part, now: Part, before: PageModel, after: PageModel) {
  const why: string[] = [];
  let score = 0;
  let isSure = false;
  let isSigned = false;
  const [was, is] = [old.element, now.element];
  const add = (points: number, words: string, sure = false) => {
    score += points;
    why.push(words);
    isSure ||= sure;
  };
  const sign = (name: string, points: number, words: string) => {
    const value = was.attributes[name];
    if (value === undefined || value === "" || value !== is.attributes[name]) return;
    add(points, `${words} "${value}"`, true);
    isSigned = true;
  };
  sign("data-testid", 5, "the test id");
  sign("id", 5, "the id");
  sign("name", 4, "the form name");
  sign("href", 4, "the address");
  const [oldName, newName] = [was.name || was.text, is.name || is.text];
  if (oldName !== "" && oldName === newName) add(4, `the name "${newName.slice(0, 80)}"`, was.role !== "");
  else {
    const likeness = overlap(oldName, newName);
    if (likeness >= 0.3) add(likeness * 3, "most words of its name");
  }
  if (was.tag === is.tag && was.role === is.role) score += 0.5;
  if (was.attributes.type !== undefined && was.attributes.type === is.attributes.type) score += 0.5;
  if (was.attributes.class !== undefined && was.attributes.class === is.attributes.class) score += 0.5;
  if (was.attributes.placeholder !== undefined && was.attributes.placeholder === is.attributes.placeholder)
    add(2, `the placeholder "${is.attributes.placeholder}"`);
  if (old.heading !== null && old.heading === now.heading) add(2, `its place under "${now.heading}"`);
  if (old.path === now.path) {
    add(1.5, "its place in the page's structure");
    // The only one there before and now.
    const isOnly = countAt(old, before) === 1 && countAt(now, after) === 1;
    if (orderOf(old, before) === orderOf(now, after)) add(1, "its order there", isOnly);
  }
  const beside = besideOf(old, before);
  if (beside !== "" && beside === besideOf(now, after)) add(3, "what stands beside it");
  if (isAlone(old, before) && isAlone(now, after)) add(1, "that nothing of its kind stands beside it");
  return { score, why, isSure, isSigned };
}

/** Share of the words of both. */
export function overlap(a: string, b: string): number {
  const [one, other] = [new Set(wordsOf(a).map(stem)), new Set(wordsOf(b).map(stem))];
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.max(one.size, other.size);
}

export const stem = (word: string): string => word.replace(/(?:'s|’s|ies|es|s|ing|ed)$/, "").slice(0, 12);

const orderOf = (part: Part, { parts }: PageModel): number =>
  parts.filter((one) => one.path === part.path && one.at < part.at).length;

const countAt = (part: Part, { parts }: PageModel): number =>
  parts.filter((one) => one.path === part.path).length;

/** Of its role, within what stands around it. */
function isAlone(part: Part, { parts }: PageModel): boolean {
  return (
    parts.filter(
      (one) =>
        one.parent === part.parent &&
        one.element.role === part.element.role &&
        one.element.tag === part.element.tag,
    ).length === 1
  );
}
