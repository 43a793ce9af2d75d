/** Each is tried so often; the least counts, for only that much is its own. */
const TRIES = 3;
/** Less than what work costs that grows with the square of the length; more than noise makes of work that does not. */
export const LINEAR = 10;
/** How much is too little to be told from nothing, ms. */
const NOTHING_MS = 5;

/** Processor time of this process that the work takes at least, ms: what else runs on the machine does not count. */
export async function cost(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * How many times more work an input costs than one a quarter as long: about 4 where the work grows with the length,
 * 16 and more where it grows with its square. Work that is too little to be measured at all counts as 1.
 */
export async function growth(work: (length: number) => unknown, length: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  // A collection of garbage may fall into every try of one of the two; what grows with the square does so each time.
  for (let tries = 0; tries < TRIES && least >= LINEAR; tries += 1)
    least = Math.min(least, await growthOnce(work, length));
  return least;
}

async function growthOnce(work: (length: number) => unknown, length: number): Promise<number> {
  await work(length / 4);
  const whole = await cost(() => work(length));
  if (whole < NOTHING_MS) return 1;
  return whole / Math.max(NOTHING_MS / 4, await cost(() => work(length / 4)));
}
