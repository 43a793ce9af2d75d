import { type Locator, plain, type TextKind } from "../locator/model.ts";
import { writeLocator } from "../locator/write.ts";
import { MOST_NEAR } from "../protocol.ts";
import { isHidden, nameOf, roleOf } from "./aria.ts";
import { labelsOf } from "./match.ts";
import { normal, type PageIndex, type Pause, textOf } from "./page.ts";

/** A text longer than this is compared by its start. */
const COMPARED = 100;
const LEAST = 0.25;
const SAME_ROLE = 0.3;
/** What is much less alike than the first is no help. */
const OF_THE_BEST = 0.65;

interface Candidate {
  element: Element;
  likeness: number;
  code: string;
}

/** How alike two texts are, 0 to 1: pairs of characters that both have (Dice's coefficient). */
export function likeness(a: string, b: string): number {
  const [left, right] = [a, b].map((text) =>
    text
      .slice(0, COMPARED)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  );
  if (!left || !right) return 0;
  if (left === right) return 1;
  const pairs = new Map<string, number>();
  for (let at = 0; at < left.length - 1; at++) {
    const pair = left.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at < right.length - 1; at++) {
    const pair = right.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    common += 1;
  }
  return (2 * common) / Math.max(1, left.length + right.length - 2);
}

/** What the failing call of a chain was after: a role, a text, or both. */
function wantedOf(locator: Locator): { kind: TextKind | "role"; role: string | null; text: string } | null {
  const part = locator.findLast((one) => one.by === "role" || ("text" in one && one.text.is === "text"));
  if (!part) return null;
  if (part.by === "role")
    return { kind: "role", role: part.role, text: part.name?.is === "text" ? part.name.value : "" };
  if (!("text" in part) || part.text.is !== "text") return null;
  const kind = part.by === "hasText" || part.by === "hasNotText" ? "text" : part.by;
  return { kind, role: null, text: part.text.value };
}

/**
 * The elements that come closest to what a locator without a match was after: of like text by the same means, or of the
 * same role, or of like name whatever they are. Closest first.
 */
export async function nearest(
  locator: Locator,
  page: PageIndex,
  testIdAttribute: string,
  pause: Pause,
): Promise<Candidate[]> {
  const wanted = wantedOf(locator);
  if (!wanted) return [];
  const best = new Map<Element, Candidate>();
  const offer = (element: Element, points: number, made: Locator): void => {
    const known = best.get(element);
    if (points < LEAST || (known && known.likeness >= points)) return;
    best.set(element, { element, likeness: points, code: writeLocator(made) });
  };
  for (const element of page.elements) {
    await pause();
    const role = roleOf(element);
    if (role) {
      if (isHidden(element)) continue;
      const name = nameOf(element);
      const isSame = role === wanted.role;
      const points =
        likeness(name, wanted.text) * (wanted.role === null || isSame ? 0.9 : 0.7) + (isSame ? SAME_ROLE : 0);
      if (name && name.length <= COMPARED)
        offer(element, points, [{ by: "role", role, name: plain(name), states: {} }]);
    }
    const text = ownText(element, wanted.kind, testIdAttribute);
    if (text && wanted.kind !== "role")
      offer(element, likeness(text, wanted.text), [
        { by: wanted.kind, text: plain(text, wanted.kind === "testid") },
      ]);
  }
  const found = [...best.values()].sort(
    (a, b) => b.likeness - a.likeness || page.idOf(a.element) - page.idOf(b.element),
  );
  const least = (found[0]?.likeness ?? 0) * OF_THE_BEST;
  return found.filter((one) => one.likeness >= least).slice(0, MOST_NEAR);
}

function ownText(element: Element, kind: TextKind | "role", testIdAttribute: string): string {
  switch (kind) {
    case "testid":
      return element.getAttribute(testIdAttribute) ?? "";
    case "label":
      return normal(labelsOf(element)[0] ?? "");
    case "text": {
      const isInnermost = element.childElementCount === 0;
      const text = isInnermost ? normal(textOf(element)) : "";
      return text.length <= COMPARED ? text : "";
    }
    case "role":
      return "";
    default:
      return normal(element.getAttribute(kind) ?? "");
  }
}
