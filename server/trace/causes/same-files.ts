/**
 * Files of one checkout as another one calls them, which may lie elsewhere: on a laptop and in CI, in the folder of each worker. What goes
 * by one path in both is the same; of the others two are where each of them ends more like the other than like any third one.
 * @returns by the name in the first list, of those that have a counterpart
 */
export function sameFiles(files: readonly string[], others: readonly string[]): Map<string, string> {
  const known = new Set(others);
  const same = new Map(files.filter((file) => known.has(file)).map((file) => [file, file]));
  const mine = files.filter((file) => !same.has(file));
  const theirs = others.filter((other) => !same.has(other));
  for (const file of mine) {
    const other = closestTo(file, theirs);
    if (other !== null && closestTo(other, mine) === file) same.set(file, other);
  }
  return same;
}

/** The one that shares most of its end with a path, from the file's name on; null where none does, or two do. */
function closestTo(path: string, others: readonly string[]): string | null {
  const parts = partsOf(path);
  const shared = others.map((other) => ({ other, count: sharedEnd(parts, partsOf(other)) }));
  const most = Math.max(0, ...shared.map(({ count }) => count));
  const [best, ...more] = shared.filter(({ count }) => count === most);
  return best && most > 0 && more.length === 0 ? best.other : null;
}

const partsOf = (path: string): string[] => path.split(/[\\/]/).reverse();

/** How many of their last parts two paths share; both are given from their end. */
function sharedEnd(mine: readonly string[], theirs: readonly string[]): number {
  const apart = mine.findIndex((part, at) => part !== theirs[at]);
  return apart < 0 ? mine.length : apart;
}
