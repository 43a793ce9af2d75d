const COMMON = new Set(
  "getby role name text button link locator test click press this that with from your page feature features flag flags enabled enable show".split(
    " ",
  ),
);

/** Words of four letters and more that say what a thing is about; names of code are taken apart. */
export const wordsIn = (text: string): string[] =>
  (
    text
      .replace(/getBy\w+/g, " ")
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/\p{L}{4,}/gu) ?? []
  ).filter((word) => !COMMON.has(word));

/** Whether one of the words is of the family of one of the others: `booking` and “Book”. */
export const isShared = (words: readonly string[], others: readonly string[]): boolean =>
  words.some((word) => others.some((other) => word.startsWith(other) || other.startsWith(word)));
