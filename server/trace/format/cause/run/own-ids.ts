import type { RunFacts } from "./run-facts.ts";

const MOST = 300;
const MOST_ADDRESSES = 5_000;

/**
 * Words in the addresses of runs that each run made for itself: a booking's reference, a short link. No form tells an
 * id (`AD6830`, `xkqzpt`); that it is another one each time, at the same place of a path, does.
 * @param runs the failed one first, then passes
 */
export function idsOf(runs: readonly RunFacts[]): string[] {
  if (runs.length < 2) return [];
  const paths = runs.map(pathsOf);
  const ids = new Set<string>();
  // From left to right: what stands behind an id is compared with what stands behind other ids.
  const deepest = Math.min(8, Math.max(0, ...paths.flat().map((path) => path.length)));
  for (let at = 0; at < deepest; at++) {
    const places = new Map<string, Set<string>[]>();
    paths.forEach((list, of) => {
      for (const path of list) {
        const word = path[at];
        if (word === undefined || !isWord(word)) continue;
        const place = path
          .slice(0, at)
          .map((part) => (ids.has(part) ? "*" : part))
          .join("/");
        const words = places.get(place) ?? runs.map(() => new Set<string>());
        places.set(place, words);
        words[of]!.add(word);
      }
    });
    for (const words of places.values())
      for (const id of variesBetween(words)) if (ids.size < MOST) ids.add(id);
  }
  for (const id of askedIn(runs, ids)) if (ids.size < MOST) ids.add(id);
  return [...ids];
}

/** What the newest run asks for where all passes ask for ids that their paths have: a run that failed early went to no path of it. */
function askedIn([mine, ...passes]: readonly RunFacts[], ids: ReadonlySet<string>): string[] {
  const usual = passes.map(questionsOf);
  return [...questionsOf(mine!)].flatMap(([place, words]) => {
    const theirs = usual.map((places) => [...(places.get(place) ?? [])].filter((word) => ids.has(word)));
    const isOwn = (word: string) => isWord(word) && !usual.some((places) => places.get(place)?.has(word));
    return theirs.some((known) => known.length === 0)
      ? []
      : [...words].filter((word) => isOwn(word) && theirs.every((known) => isLike(known)(word)));
  });
}

/** The values that a run asks for, by path and name of the parameter. */
function questionsOf(facts: RunFacts): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const { pathname, searchParams } of addressesOf(facts))
    for (const [name, value] of searchParams) {
      const place = `${pathname}?${name}`;
      places.set(place, (places.get(place) ?? new Set()).add(value));
    }
  return places;
}

/** The paths of a run on its own site, in parts; each once. */
function pathsOf(facts: RunFacts): string[][] {
  const paths = new Set(addressesOf(facts).map(({ pathname }) => pathname));
  return [...paths].map((path) => path.split("/").slice(1));
}

function addressesOf({ exchanges, pages, host }: RunFacts): URL[] {
  const urls = new Set(
    [...exchanges.slice(-MOST_ADDRESSES), ...pages.slice(-MOST_ADDRESSES)].map(({ url }) => url),
  );
  return [...urls].flatMap((url) => {
    const parsed = URL.parse(url);
    return parsed && parsed.hostname === host ? [parsed] : [];
  });
}

/** Short numbers are replaced in any address, and mean something in a text. */
const isWord = (text: string) => /^[\w-]{4,40}$/.test(text) && !/^\d{1,4}$/.test(text);

/** The words of one place that are other ones in each run, and made alike. @param words of each run */
function variesBetween(words: readonly Set<string>[]): string[] {
  const [mine, ...theirs] = words as [Set<string>, ...Set<string>[]];
  const passes = theirs.filter((set) => set.size > 0);
  const all = words.filter((set) => set.size > 0);
  if (passes.length === 0 || all.length < 2) return [];
  const isIn = (word: string) => all.filter((set) => set.has(word)).length;
  // One pass says nothing of what varies: there an id has to look like one.
  const isOwn = (word: string) => isIn(word) === 1 && (passes.length > 1 || isMade(word));
  const [newest, ...older] = passes.map((set) => [...set].filter(isOwn)) as [string[], ...string[][]];
  // What two passes named each in its own way is made alike in both.
  const usual =
    older.length === 0 ? newest : newest.filter((word) => older.every((list) => list.some(isLike([word]))));
  if (usual.length === 0) return [];
  return [...older.flat(), ...newest, ...mine].filter((word) => isOwn(word) && isLike(usual)(word));
}

const isMade = (word: string) => /\d/.test(word) && /[a-z]/i.test(word);

/** Tells whether a word is made as one of some ids: as long, of small or big letters or both. One of digits may be of any. */
function isLike(ids: readonly string[]): (word: string) => boolean {
  const shapes = new Set(ids.map(shapeOf));
  const lengths = new Set(ids.map(lengthOf));
  const ofDigits = new Set(ids.filter(isDigits).map(lengthOf));
  return (word) =>
    isDigits(word) ? lengths.has(lengthOf(word)) : shapes.has(shapeOf(word)) || ofDigits.has(lengthOf(word));
}

const isDigits = (word: string) => /^\d+$/.test(word);
const lengthOf = ({ length }: string) => Math.min(length, 13);
const shapeOf = (word: string) =>
  `${lengthOf(word)} ${/[a-z]/.test(word)} ${/[A-Z]/.test(word)} ${/[-_]/.test(word)}`;
