import type { Text } from "../../run/language/ast.ts";

type Parts = Exclude<Text, string>["parts"];

/** What a reference may stand for in a page's text is no longer. */
const LONGEST_VALUE = 300;

/** Whether a text holds these parts in turn; references stand for anything. One pass: pages come from anybody. */
export function holdsInTurn(text: string, parts: Parts): boolean {
  let at = 0;
  let apart = 0;
  let isWithin = false;
  for (const part of parts) {
    if (typeof part !== "string") {
      apart += 1;
      continue;
    }
    const isBeside: boolean = isWithin && apart === 0;
    const found: number = isBeside ? (text.startsWith(part, at) ? at : -1) : text.indexOf(part, at + apart);
    if (found < 0) return false;
    [at, apart, isWithin] = [found + part.length, 0, true];
  }
  return at + apart <= text.length;
}

/** Where parts stand in a text, with what their references stand for: words without white space. */
export interface Resolved {
  text: string;
  values: string[];
}

/** The first place in a text where such parts stand, references as long as can be; null where they do not. */
export function resolvedReferences(text: string, parts: Parts): Resolved | null {
  // Places from which the rest of the parts does not fit: each is tried once.
  const failed = new Set<number>();
  function valuesAt(at: number, index: number): { values: string[]; end: number } | null {
    const part = parts[index];
    if (part === undefined) return { values: [], end: at };
    const key = at * parts.length + index;
    if (failed.has(key)) return null;
    const found = typeof part === "string" ? literalAt(part, at, index) : valueAt(at, index);
    if (!found) failed.add(key);
    return found;
  }
  const literalAt = (part: string, at: number, index: number) =>
    text.startsWith(part, at) ? valuesAt(at + part.length, index + 1) : null;
  function valueAt(at: number, index: number): { values: string[]; end: number } | null {
    const longest = /^\S*/.exec(text.slice(at, at + LONGEST_VALUE))![0].length;
    for (let length = longest; length > 0; length--) {
      const rest = valuesAt(at + length, index + 1);
      if (rest) return { ...rest, values: [text.slice(at, at + length), ...rest.values] };
    }
    return null;
  }
  for (let at = 0; at <= text.length; at++) {
    const found = valuesAt(at, 0);
    if (found) return { text: text.slice(at, found.end), values: found.values };
  }
  return null;
}
