/**
 * What stands behind one of Playwright's objects, which lives in this process: for what its public interface has no name
 * for. Playwright's version is fixed in `package.json`; whoever raises it runs the tests of the runner.
 */
export function implOf<T>(thing: object): T {
  const impl = findImpl<T>(thing);
  if (!impl) throw new Error("This browser is not driven from this process.");
  return impl;
}

/** The same; null where there is none, as with a browser that another process drives. */
export function findImpl<T>(thing: object): T | null {
  const { _connection } = thing as { _connection?: { toImpl?: (thing: unknown) => T } };
  return _connection?.toImpl?.(thing) ?? null;
}
