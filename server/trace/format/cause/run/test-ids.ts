import type { RunFacts, Step } from "./run-facts.ts";

const MOST = 300;
const MOST_STEPS = 2_000;
/** Characters of what a step was given. */
const LONGEST = 2_000;
const WORD = /[\p{L}\p{N}_]+/gu;

/**
 * Words that the test made for one run, so that what it enters is nobody else's: `Team lunch k3v9d`. No form tells such a word; that
 * it is another one each time, in a text that is else the same, does.
 * @param runs the failed one first, then passes
 */
export function testIdsOf(runs: readonly RunFacts[]): string[] {
  if (runs.length < 2) return [];
  const ids = new Set<string>();
  const [mine, ...theirs] = runs.map(givenIn) as [Map<string, string>, ...Map<string, string>[]];
  for (const [step, text] of mine) {
    const texts = theirs.flatMap((given) => given.get(step) ?? []);
    if (texts.length === 0 || texts.every((one) => one === text)) continue;
    for (const id of apartIn([text, ...texts])) if (ids.size < MOST) ids.add(id);
  }
  return [...ids];
}

/** What each step was given, by what it does and how often that was done before. */
function givenIn({ steps }: RunFacts): Map<string, string> {
  const counts = new Map<string, number>();
  const given = new Map<string, string>();
  for (const step of steps.slice(0, MOST_STEPS)) {
    const nth = (counts.get(step.name) ?? 0) + 1;
    counts.set(step.name, nth);
    const text = givenTo(step);
    if (/\d/.test(text)) given.set(`${step.name} ${nth}`, text);
  }
  return given;
}

const givenTo = ({ title, params }: Step): string => `${title} ${JSON.stringify(params)}`.slice(0, LONGEST);

/** The words of texts that are else the same which each text has of its own. */
function apartIn(texts: readonly string[]): string[] {
  const words = texts.map((text) => text.match(WORD) ?? []);
  const [first] = words;
  const between = new Set(texts.map((text) => text.replace(WORD, "")));
  if (between.size > 1 || words.some(({ length }) => length !== first!.length)) return [];
  return first!.flatMap((_, at) => {
    const said = words.map((one) => one[at]!);
    return isMadeEach(said) ? said : [];
  });
}

/** Whether words are made alike, each for its run. One pass says nothing of what varies: there they have to look so. */
function isMadeEach(words: readonly string[]): boolean {
  const isApart = new Set(words).size === words.length;
  const isAlike = words.every((word) => Math.abs(word.length - words[0]!.length) <= 1);
  const looks = words.length > 2 ? IS_MADE : IS_MADE_SURELY;
  return (
    isApart && isAlike && words.every(({ length }) => length >= 4) && words.some((one) => looks.test(one))
  );
}

const IS_MADE = /^(?=.*\d)(?=.*\p{L})/u;
/** A word that is counted on has its figures at its end: `SAVE10`. */
const IS_MADE_SURELY = /^(?=.{6})\p{L}*\d+\p{L}/u;
