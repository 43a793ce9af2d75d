/**
 * What several sources tell, each as soon as it comes. Ends when all have ended, or with the first that fails.
 * Whoever stops reading before ends the sources by a signal of their own: one that waits hears of nothing else.
 */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncIterable<T> {
  type Step = { from: AsyncIterator<T>; step: IteratorResult<T> };
  const asked = new Map<AsyncIterator<T>, Promise<Step>>();
  const ask = (from: AsyncIterator<T>): void => {
    const asking = from.next().then((step) => ({ from, step }));
    // Of one that fails after another has, nobody hears.
    asking.catch(() => {});
    asked.set(from, asking);
  };
  for (const source of sources) ask(source[Symbol.asyncIterator]());
  while (asked.size > 0) {
    const { from, step } = await Promise.race(asked.values());
    asked.delete(from);
    if (step.done) continue;
    yield step.value;
    ask(from);
  }
}
