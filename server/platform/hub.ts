/**
 * In-process news, published after commit and lost with the process: whoever must not miss it reads the records.
 * Channels: `trace:{id}` (see `TraceNews`), `run:{run_id}` (completion), `traces:{org_id}` (list changes).
 */
export interface Hub {
  publish(channel: string, message: unknown): void;
  /** Messages from now on, until the signal or the hub's closing ends it. */
  subscribe(channel: string, signal: AbortSignal): AsyncIterable<unknown>;
  subscriberCount(): number;
  /** Aborts when the server shuts down; streams must race their waits with it. */
  readonly closing: AbortSignal;
  close(): void;
}

const MAX_QUEUED = 10_000;

export function createHub(): Hub {
  const channels = new Map<string, Set<(message: unknown) => void>>();
  const closer = new AbortController();

  async function* subscribe(channel: string, signal: AbortSignal): AsyncIterable<unknown> {
    const queue: unknown[] = [];
    let overflowed = false;
    let wake = () => {};
    const receive = (message: unknown) => {
      // A reader this far behind is cut off: it resumes from the records, so nothing is lost but its stream.
      if (queue.length >= MAX_QUEUED) overflowed = true;
      else queue.push(message);
      wake();
    };
    const members = channels.get(channel) ?? new Set();
    channels.set(channel, members.add(receive));
    const stop = AbortSignal.any([signal, closer.signal]);
    const onStop = () => wake();
    stop.addEventListener("abort", onStop);
    try {
      while (!stop.aborted && !overflowed) {
        if (queue.length > 0) yield queue.shift();
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop.removeEventListener("abort", onStop);
      members.delete(receive);
      if (members.size === 0) channels.delete(channel);
    }
  }

  return {
    subscribe,
    publish(channel, message) {
      for (const receive of channels.get(channel) ?? []) receive(message);
    },
    subscriberCount: () => [...channels.values()].reduce((sum, members) => sum + members.size, 0),
    closing: closer.signal,
    close: () => closer.abort(),
  };
}
