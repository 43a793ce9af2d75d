/**
 * Files of one checkout as another one calls them, which may lie elsewhere: on a laptop and in CI, in the folder of each worker. Two are
 * the same file where one of them ends most like the other, from the file's name on.
 * @returns by the name in the first list, of those that have a counterpart
 */
export function sameFiles(files: readonly string[], others: readonly string[]): Map<string, string> {
  const same = new Map<string, string>();
  for (const file of files) {
    const parts = partsOf(file);
    const shared = others.map((other) => ({ other, count: sharedEnd(parts, partsOf(other)) }));
    const most = Math.max(0, ...shared.map(({ count }) => count));
    const [best, ...more] = shared.filter(({ count }) => count === most);
    if (best && most > 0 && more.length === 0) same.set(file, best.other);
  }
  return same;
}

const partsOf = (path: string): string[] => path.split(/[\\/]/).reverse();

/** How many of their last parts two paths share; both are given from their end. */
function sharedEnd(mine: readonly string[], theirs: readonly string[]): number {
  const apart = mine.findIndex((part, at) => part !== theirs[at]);
  return apart < 0 ? mine.length : apart;
}
