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

/** Of the connection between Playwright's objects and what stands behind them. */
interface Connection {
  dispatch(message: { id?: number }): void;
  _callbacks: Map<number, { reject(error: Error): void }>;
}

const guarded = new WeakSet<Connection>();

/**
 * An answer may name what has gone since it was made, while the recording still looked at what the call had done.
 * Playwright throws then where nobody can catch it, and whoever called waits for good: from here on such a call fails.
 * @param thing any of Playwright's objects
 */
export function failLostCalls(thing: object): void {
  const { _connection: connection } = thing as { _connection: Connection };
  if (guarded.has(connection)) return;
  guarded.add(connection);
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (message) => {
    const call = message.id === undefined ? undefined : connection._callbacks.get(message.id);
    try {
      dispatch(message);
    } catch (error) {
      if (!call) throw error;
      call.reject(new Error("Target page, context or browser has been closed", { cause: error }));
    }
  };
}
