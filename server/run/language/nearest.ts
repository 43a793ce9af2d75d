/** The word that was probably meant: at most two letters off, and not more than a third of it; null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const lower = word.toLowerCase();
  const ranked = known
    .filter((candidate) => Math.abs(candidate.length - lower.length) <= 2)
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.min(2, Math.ceil(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate ?? null;
}

/** Letters to insert, drop, replace or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
