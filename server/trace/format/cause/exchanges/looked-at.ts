import { oneLine } from "../../error-text.ts";
import { oncePer } from "../once.ts";
import { wantedOn } from "../page/wanted.ts";
import { aroundOf } from "../page/within.ts";
import type { Evidence } from "../types.ts";

/** Whether one of these texts stands where the failed step looks, here or in a pass; null where it is not known where that is. */
export function isLookedAt(evidence: Evidence, texts: readonly string[]): boolean | null {
  const known = texts.map(piecesOf).filter((pieces) => pieces.some(({ length }) => length > 2));
  const looks = looksOf(evidence, "texts");
  if (known.length === 0 || looks.length === 0) return null;
  return known.some((pieces) => looks.some((look) => pieces.every((piece) => look.includes(piece))));
}

/** What stands in the elements that the failed step looks at, and in the rows that they are of. */
const looksOf = oncePer((evidence: Evidence, _: "texts"): string[] => {
  const { run, passes, failed } = evidence;
  const shown = [run, ...passes].flatMap(({ page }) => {
    const elements = page?.elements ?? [];
    return wantedOn(evidence, elements)
      .slice(0, MOST)
      .flatMap((element) => [
        element,
        ...aroundOf(elements, element).filter(({ role }) => OF_ONE_THING.test(role)),
      ]);
  });
  const compared = [failed.expected, failed.received].filter((text) => text !== null);
  // A value that is no element's is looked at as well; of a figure nothing can be told.
  return shown.length > 0 || (compared.length > 1 && compared.every((text) => LETTERS.test(text)))
    ? [...shown.map(({ text, name }) => `${text} ${name}`), ...compared].map(plain)
    : [];
});

const LETTERS = /\p{L}{3}/u;
const MOST = 60;
const OF_ONE_THING = /^(?:row|listitem|article|option)$/;

/** A text between what stands in it for ids and times. */
const piecesOf = (text: string): string[] =>
  text
    .split(/<\w+>/)
    .map(plain)
    .filter((piece) => piece !== "");

const plain = (text: string): string => oneLine(text).toLowerCase();
