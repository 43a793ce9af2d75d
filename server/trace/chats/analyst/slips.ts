/** Words that decide what a question is about, and those around them. */
const KNOWN = `
  why what when which where since how who does did should could would fail fails failed failing
  failure failures error errors wrong broken broke cause caused reason explain happened regression
  commit request requests network response server answer endpoint console warning warnings exception
  page screen screenshot visible button flaky stable unstable history retry reproduce reproduction
  locally command change changed suggest propose repair differs differ different difference
  differences compare compared step steps slow slowest source line stack browser version environment
  region timeline last pass passed passing test run show list the this that
`
  .trim()
  .split(/\s+/);
const IS_KNOWN = new Set(KNOWN);
/** They are words, and no slips of others. */
const OTHERS = new Set(["browse", "serve", "serves", "filed", "urn"]);
/** Shorter words have too many neighbours: of them only letters that have changed places are put back. */
const LONG = 6;
/** So long a word has hardly a neighbour: one wrong letter is one, too. */
const VERY_LONG = 8;

/** A question with slips of the finger put right in the words that matter; all others stay as they are. */
export const mended = (words: string): string =>
  words.replace(/(?<![\w/."'`-])[a-z]{3,20}(?![\w/"'`-]|\.\w)/g, (word) => {
    if (IS_KNOWN.has(word) || OTHERS.has(word)) return word;
    return KNOWN.find((known) => isSlip(word, known)) ?? word;
  });

/** Whether one slip makes this of the word: two letters swapped, one left out or put in, in a long word one mistaken. */
function isSlip(typed: string, word: string): boolean {
  if (Math.abs(typed.length - word.length) > 1) return false;
  let from = 0;
  while (from < typed.length && typed[from] === word[from]) from++;
  let end = 0;
  while (end < Math.min(typed.length, word.length) - from && typed.at(-1 - end) === word.at(-1 - end)) end++;
  const [is, was] = [typed.slice(from, typed.length - end), word.slice(from, word.length - end)];
  if (is.length === 2 && was.length === 2) return is[0] === was[1] && is[1] === was[0];
  if (word.length < LONG || from === 0) return false;
  return is.length + was.length === 1 || (is.length === 1 && was.length === 1 && word.length >= VERY_LONG);
}
