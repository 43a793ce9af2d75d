import type { DiffSide } from "../../../server/trace/format/diff/types.ts";

/** What a step expected and received. */
export interface Values {
  expected?: string | undefined;
  received?: string | undefined;
}

/** A text in the quotes that matchers put around one when they fail; the end of a long one may be cut off. */
const QUOTED = /^"((?:[^"\\]|\\[\s\S])*?)(?:"|(…))$/;
/** What matchers write of values that are no text: `<element(s) not found>`, `/pattern/i`, `undefined`. */
const NO_TEXT = /^(?:<[\s\S]*>|\/[\s\S]*\/[a-z]*|undefined|NaN)$/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isBareText = (value: string): boolean => !QUOTED.test(value) && !NO_TEXT.test(value) && !isJson(value);

const unquoted = (value: string): string =>
  value.replace(QUOTED, (_, inner: string, cut = "") => inner.replace(/\\(["\\])/g, "$1") + cut);

const text = (of: unknown): string | undefined => (typeof of === "string" && of !== "" ? of : undefined);

/**
 * The values of both sides of a step, written alike: where one of them is a text without quotes, as it is where a step
 * passed and from recorders that add none, the others lose theirs.
 */
export function valuesOf(a: DiffSide | undefined, b: DiffSide | undefined): { a: Values; b: Values } {
  const all = [a?.expected, a?.received, b?.expected, b?.received].map(text);
  const isBare = all.some((value) => value !== undefined && isBareText(value));
  const [wantedA, cameA, wantedB, cameB] = isBare ? all.map((value) => value && unquoted(value)) : all;
  return { a: { expected: wantedA, received: cameA }, b: { expected: wantedB, received: cameB } };
}
