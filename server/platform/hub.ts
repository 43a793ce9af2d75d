/** What the hub carries: for each topic its messages. Of each topic there is a channel for every key. */
export interface Topics {
  /** One trace's stream; the key is the trace's id. */
  trace: { type: "events"; fromSeq: number; toSeq: number } | { type: "status"; status: string };
  /** The traces of an org changed; the key is the org's id. */
  traces: { type: "trace.changed"; id: string; status: string };
  /** The test runs of an org changed; the key is the org's id. */
  "test-runs": { type: "test-run.changed"; id: string };
  /** A trace of a run has its final status; the key is the id that the trace gives its run. */
  run: {
    type: "run.completed";
    run_id: string;
    trace_id: string;
    status: string;
    failure_signature: string | null;
    duration_ms: number | null;
    /** ISO 8601. */
    at: string;
  };
  /** One run changed, or its log grew; the key is the run's id. */
  "run-logs": { type: "status" } | { type: "line" };
  /** The incidents of an org changed; the key is the org's id. */
  incidents: { type: "incident.changed"; id: string };
  /** The gates of an org changed, or its pull requests; the key is the org's id. */
  gates: { type: "gate.changed"; id: string };
  /** The runs of an org changed; the key is the org's id. */
  runs: { type: "run.changed"; id: string };
}

export type Topic = keyof Topics;

/** In-process news, published after commit and lost with the process: whoever must not miss it reads the records. */
export interface Hub {
  publish<T extends Topic>(topic: T, key: string, message: Topics[T]): void;
  /** Messages from now on, until the signal or the hub's closing ends it. */
  subscribe<T extends Topic>(topic: T, key: string, signal: AbortSignal): AsyncIterable<Topics[T]>;
  subscriberCount(): number;
  /** Aborts when the server shuts down; streams must race their waits with it. */
  readonly closing: AbortSignal;
  /** A stream ended by the closing, and its reader has not taken all of it. @param isOpen whether its connection still is */
  noteUnread(isOpen: () => boolean): void;
  /** How many such streams are still open. */
  unreadStreams(): number;
  close(): void;
}

const MAX_QUEUED = 10_000;

const channelOf = (topic: Topic, key: string): string => `${topic}:${key}`;

export function createHub(): Hub {
  const channels = new Map<string, Set<(message: Topics[Topic]) => void>>();
  const closer = new AbortController();
  const unread: (() => boolean)[] = [];

  async function* subscribe<T extends Topic>(
    topic: T,
    key: string,
    signal: AbortSignal,
  ): AsyncIterable<Topics[T]> {
    const channel = channelOf(topic, key);
    const queue: Topics[T][] = [];
    let overflowed = false;
    let wake = () => {};
    const receive = (message: Topics[Topic]) => {
      // A reader this far behind is cut off: it resumes from the records, so nothing is lost but its stream.
      if (queue.length >= MAX_QUEUED) overflowed = true;
      // The channel's name holds the topic.
      else queue.push(message as Topics[T]);
      wake();
    };
    const members = channels.get(channel) ?? new Set();
    channels.set(channel, members.add(receive));
    const stop = AbortSignal.any([signal, closer.signal]);
    const onStop = () => wake();
    stop.addEventListener("abort", onStop);
    try {
      while (!stop.aborted && !overflowed) {
        const message = queue.shift();
        if (message !== undefined) yield message;
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
    publish(topic, key, message) {
      for (const receive of channels.get(channelOf(topic, key)) ?? []) receive(message);
    },
    subscriberCount: () => [...channels.values()].reduce((sum, members) => sum + members.size, 0),
    closing: closer.signal,
    noteUnread: (isOpen) => void unread.push(isOpen),
    unreadStreams: () => unread.filter((isOpen) => isOpen()).length,
    close: () => closer.abort(),
  };
}
