import type { Locator } from "playwright-core";
import { ask } from "./ask.ts";
import { type Fingerprint, readFingerprints } from "./fingerprint.ts";

/** What a page shows of the elements that a locator fits, at one instant. */
export interface ElementProbe {
  /** How many fit. Each value below is of the one that is meant by them. */
  count: number;
  /** Its index: the first one's, or the innermost one's of elements that stand in one another. */
  at: number;
  /** Whether they mean one element only. */
  isOne: boolean;
  fingerprint: Fingerprint;
  /** Whether it is a field that nobody is to read. */
  isSecret: boolean;
  /** Its middle in CSS pixels of its frame's viewport; null when that is not in sight. */
  middle: { x: number; y: number } | null;
}

const SEE = `(elements) => (${see})(elements, ${readFingerprints}, ${areSecret})`;

/** Null when nothing fits. */
export const probeElements = (locator: Locator): Promise<ElementProbe | null> =>
  ask<ElementProbe>(locator, SEE);

/** Whether one of the elements is a field that nobody is to read. */
export const isSecretField = async (locator: Locator): Promise<boolean> =>
  (await ask<boolean>(locator, String(areSecret))) ?? false;

function see(
  elements: Element[],
  fingerprintsOf: typeof readFingerprints,
  areSecretFields: typeof areSecret,
): ElementProbe {
  // A text that stands in one element within another is that one element.
  const isOne = elements.every((one, at) => at === 0 || elements[at - 1]?.contains(one) === true);
  const at = isOne ? elements.length - 1 : 0;
  const element = elements[at] as Element;
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const isInSight = x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight;
  return {
    count: elements.length,
    at,
    isOne,
    fingerprint: fingerprintsOf([element])[0] as Fingerprint,
    isSecret: areSecretFields([element]),
    middle: isInSight ? { x: Math.round(x), y: Math.round(y) } : null,
  };
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
