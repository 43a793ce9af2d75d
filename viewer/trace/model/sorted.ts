/**
 * The first position in a rising list whose value is at least `value`, or above it when `isAbove`; the length when none is.
 * `from` and `to` narrow the search.
 */
export function lowerBound(
  list: ArrayLike<number>,
  value: number,
  isAbove = false,
  from = 0,
  to = list.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = list[middle] ?? 0;
    if (at < value || (isAbove && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
