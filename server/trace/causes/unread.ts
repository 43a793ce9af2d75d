/** What could not be read while a cause was looked for: each is one thing less to tell from, and counted. */
export interface Unread {
  /**
   * @param what names it, so that it counts once however often it is asked for
   * @returns null when it cannot be read
   */
  attempt<Read>(what: string, reading: Promise<Read>): Promise<Read | null>;
  count(): number;
}

export function createUnread(): Unread {
  const lost = new Set<string>();
  return {
    async attempt(what, reading) {
      try {
        return await reading;
      } catch {
        lost.add(what);
        return null;
      }
    },
    count: () => lost.size,
  };
}
