/** What part of a rising list is searched, and for what: the first value above, instead of at least, the one given. */
interface Search {
  isAbove?: boolean;
  from?: number;
  to?: number;
}

/** As `lowerBound`, of values that are told one by one. */
export function lowerBoundBy(
  length: number,
  valueAt: (at: number) => number,
  value: number,
  { isAbove = false, from = 0, to = length }: Search = {},
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = valueAt(middle);
    if (at < value || (isAbove && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first position in a rising list whose value is at least `value`, or above it when `isAbove`; the length when none is.
 */
export function lowerBound(list: ArrayLike<number>, value: number, isAbove = false): number {
  return lowerBoundBy(list.length, (at) => list[at] ?? 0, value, { isAbove });
}
