/** Finds the text where the server does: letters in either case while the text has no capital. */
export function createMatcher(text: string): RegExp {
  const isFolded = !/\p{Lu}/u.test(text);
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), isFolded ? "i" : "");
}

/** The first place of the text where what is looked for stands; null without either. */
export function firstMatch(
  text: string | undefined,
  sought: string | null,
): { at: number; length: number } | null {
  const match = text === undefined || sought === null ? null : createMatcher(sought).exec(text);
  return match && { at: match.index, length: match[0].length };
}
