/** Finds the text where the server does: letters in either case while the text has no capital. */
export function createMatcher(text: string): RegExp {
  const isFolded = !/\p{Lu}/u.test(text);
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), isFolded ? "i" : "");
}
