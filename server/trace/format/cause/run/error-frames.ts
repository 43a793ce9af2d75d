const LONGEST_FRAME = 4_000;

/** The places that an engine's stack names, innermost first: `at open (/shop/pages/cart.ts:12:5)`. */
export function framesIn(stack: string): { file: string; line: number }[] {
  return stack.split("\n").flatMap((one) => {
    if (one.length > LONGEST_FRAME) return [];
    const [, file, line] = /\(?((?:\/|[A-Za-z]:\\|file:)[^()]*?):(\d+):\d+\)?\s*$/.exec(one) ?? [];
    return file && line ? [{ file, line: Number(line) }] : [];
  });
}
