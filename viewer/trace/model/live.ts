import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { whileVisible } from "../../ui/visible.ts";

export interface LiveStream {
  close(): void;
}

interface LiveOptions {
  url: (after: number | null) => string;
  onOpen: () => void;
  /** Events in bunches: the longer the page takes to show one, the longer until the next. */
  onEvents: (events: TraceEvent[]) => void;
  /** The stream broke off: the trace may have ended. Answers whether to go on listening; false when it cannot tell. */
  onEnd: () => Promise<boolean>;
}

const RETRY_MS = [500, 1000, 2000, 5000];
const BUNCH_MS = 150;
/** Showing what came takes this share of the time at most, however much there is already. */
const BUSY_SHARE = 0.2;
const LONGEST_BUNCH_MS = 3000;

/** Follows the stream of a trace while the window can be seen and, after a break, goes on where it was: nothing is read twice. */
export function followTrace({ url, onOpen, onEvents, onEnd }: LiveOptions): LiveStream {
  let after: number | null = null;
  let stream: EventSource | null = null;
  let isOver = false;
  let isHidden = false;
  /** Whether the trace may have ended is being asked. */
  let isAsking = false;
  let failures = 0;
  let bunch: TraceEvent[] = [];
  let bunchTimer: ReturnType<typeof setTimeout> | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | null = null;
  let pause = BUNCH_MS;

  function flush(): void {
    if (bunchTimer) clearTimeout(bunchTimer);
    bunchTimer = null;
    const events = bunch;
    bunch = [];
    if (events.length === 0) return;
    const started = performance.now();
    onEvents(events);
    // Once what follows from it is drawn too.
    setTimeout(() => {
      const cost = performance.now() - started;
      pause = Math.min(LONGEST_BUNCH_MS, Math.max(BUNCH_MS, cost / BUSY_SHARE));
    });
  }

  function take(message: MessageEvent<string>): void {
    const event = JSON.parse(message.data) as TraceEvent;
    if (after !== null && event.seq <= after) return;
    after = event.seq;
    failures = 0;
    bunch.push(event);
    bunchTimer ??= setTimeout(flush, pause);
  }

  async function lost(): Promise<void> {
    disconnect();
    flush();
    isAsking = true;
    const goesOn = await onEnd();
    isAsking = false;
    isOver ||= !goesOn;
    if (isOver || isHidden) return;
    const delay = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 5000;
    failures += 1;
    retryTimer = setTimeout(connect, delay);
  }

  function connect(): void {
    retryTimer = null;
    stream = new EventSource(url(after));
    stream.onopen = onOpen;
    stream.onmessage = take;
    stream.onerror = () => void lost();
  }

  function disconnect(): void {
    stream?.close();
    stream = null;
    if (retryTimer) clearTimeout(retryTimer);
    retryTimer = null;
  }

  const endSight = whileVisible(
    () => {
      isHidden = false;
      if (!stream && !retryTimer && !isAsking && !isOver) connect();
    },
    () => {
      isHidden = true;
      disconnect();
    },
  );
  return {
    close() {
      isOver = true;
      endSight();
      if (bunchTimer) clearTimeout(bunchTimer);
    },
  };
}
