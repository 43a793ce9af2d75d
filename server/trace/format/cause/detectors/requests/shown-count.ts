import { oneLine } from "../../../error-text.ts";
import type { Evidence, SeenPage } from "../../types.ts";

/** `6 dishes`, `Results: 12` */
const COUNTING = /^(?=.{0,60}\p{L})\D{0,40}(\d{1,6})\D{0,40}$/u;
const MOST_TEXTS = 2_000;

/**
 * A text by which a page counts as many things as it was told of, where every pass counts as many as it should in the same words; null
 * where there is none. Pages filter what they have already by ids, and no text of such an answer is shown.
 */
export function countShown(
  { run, passes }: Evidence,
  lengths: readonly number[],
  usual: readonly number[],
): string | null {
  const isOther = (count: number) => lengths.includes(count) && !usual.includes(count);
  if (passes.length === 0 || !run.page || !lengths.some((count) => !usual.includes(count))) return null;
  const theirs = passes.map(({ page }) => countsOn(page));
  return (
    countsOn(run.page).find(
      ({ words, count }) =>
        isOther(count) &&
        theirs.every((counts) => {
          const same = counts.filter((one) => one.words === words);
          return same.length > 0 && same.every((one) => usual.includes(one.count));
        }),
    )?.text ?? null
  );
}

interface Count {
  text: string;
  /** The text without its number, and without what is said of several. */
  words: string;
  count: number;
}

const countsOn = (page: SeenPage | null): Count[] =>
  (page?.elements ?? []).slice(0, MOST_TEXTS).flatMap(({ own, isHidden }): Count[] => {
    const text = oneLine(own);
    const count = isHidden ? undefined : COUNTING.exec(text)?.[1];
    return count === undefined
      ? []
      : [{ text, count: Number(count), words: ofOneOrMany(text.replace(count, "")) }];
  });

/** `entry` and `entries`, `line` and `lines`, `dish` and `dishes` alike. */
const ofOneOrMany = (words: string): string => words.replace(/ies\b/g, "y").replace(/(?:e|e?s)\b/g, "");
