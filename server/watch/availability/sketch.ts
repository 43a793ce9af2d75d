/** How many things took how long: counts by the number of their class. It can be added up, and its percentiles are right within 1 %. */
export type Sketch = Record<string, number>;

/** Each class reaches 2 % further than the one before, so that its middle is at most 1 % away (DDSketch, VLDB 2019, section 2). */
const GAMMA = 1.02;
const LOG_GAMMA = Math.log(GAMMA);

/** Adds one thing. @param ms how long it took; less than 1 counts as 1 */
export function addTo(sketch: Sketch, ms: number): void {
  const place = Math.ceil(Math.log(Math.max(1, ms)) / LOG_GAMMA);
  sketch[place] = (sketch[place] ?? 0) + 1;
}

/** Adds all of another. */
export function mergeInto(sketch: Sketch, other: Sketch): void {
  for (const place in other) sketch[place] = (sketch[place] ?? 0) + other[place]!;
}

/**
 * Percentiles by nearest rank, in ms; null of nothing.
 * @param percents in rising order
 */
export function percentilesOf(sketch: Sketch, percents: readonly number[]): (number | null)[] {
  const classes = Object.entries(sketch)
    .map(([place, count]) => ({ place: Number(place), count }))
    .sort((a, b) => a.place - b.place);
  const total = classes.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return percents.map(() => null);
  let [at, seen] = [0, classes[0]!.count];
  return percents.map((percent) => {
    const rank = Math.max(1, Math.ceil((percent / 100) * total));
    while (seen < rank) seen += classes[++at]!.count;
    return Math.round((2 * GAMMA ** classes[at]!.place) / (GAMMA + 1));
  });
}
