import type { Clock } from "../../platform/clock.ts";
import type { OutboxEntry } from "./outbox.ts";
import type { Sent } from "./send.ts";

export interface Sender {
  /** Takes an entry; it is sent as soon as there is room. */
  add(entry: OutboxEntry): void;
  /** Waits for what is under way, at most so long; the rest stays where it is. */
  finish(patienceMs: number): Promise<void>;
}

/** Waits between tries to reach a server that does not answer; after the last it counts as down. */
const PAUSES_MS = [300, 1000, 3000];

/**
 * Sends entries while the tests go on: a few at a time, patiently where the server asks for it, and not at all any more
 * once it is down or takes nothing of ours. What was not sent is not lost: it lies in the outbox.
 */
export function createSender(options: {
  send: (entry: OutboxEntry, signal: AbortSignal) => Promise<Sent>;
  /** Is told how every entry ended that was tried to the end. */
  onEnd: (entry: OutboxEntry, sent: Sent) => Promise<void>;
  clock: Clock;
  concurrency: number;
}): Sender {
  const { send, onEnd, clock } = options;
  const waiting: OutboxEntry[] = [];
  const workers = new Set<Promise<void>>();
  const stop = new AbortController();
  let isClosed = false;
  /** Until when the server asked to be left alone, on the monotonic clock. */
  let quietUntil = 0;
  let lastMoment = Number.POSITIVE_INFINITY;
  /** Wakes those who rest, so that they see how little time is left. */
  const hurry = new AbortController();

  function start(): void {
    while (!isClosed && waiting.length > workers.size && workers.size < options.concurrency) {
      const worker = work().finally(() => {
        workers.delete(worker);
        start();
      });
      workers.add(worker);
    }
  }

  async function work(): Promise<void> {
    for (let entry = waiting.shift(); entry && !isClosed; entry = waiting.shift()) {
      const sent = await insist(entry);
      if (sent.kind === "denied" || (sent.kind === "later" && !stop.signal.aborted)) isClosed = true;
      await onEnd(entry, sent);
    }
  }

  async function insist(entry: OutboxEntry): Promise<Sent> {
    for (let failures = 0; ; ) {
      if (!(await rest(quietUntil))) return giveUp("the time was over");
      const sent = await send(entry, stop.signal);
      if (sent.kind !== "later" || stop.signal.aborted) return sent;
      if (sent.waitMs !== null) {
        quietUntil = Math.max(quietUntil, clock.monotonic() + sent.waitMs);
        continue;
      }
      const pause = PAUSES_MS[failures];
      failures += 1;
      if (pause === undefined || !(await rest(clock.monotonic() + pause))) return sent;
    }
  }

  /** False at once when waiting so long would be in vain. */
  async function rest(until: number): Promise<boolean> {
    while (clock.monotonic() < until) {
      if (stop.signal.aborted || until > lastMoment) return false;
      const woken = hurry.signal.aborted ? stop.signal : AbortSignal.any([stop.signal, hurry.signal]);
      await clock.sleep(until - clock.monotonic(), woken);
    }
    return !stop.signal.aborted;
  }

  const giveUp = (reason: string): Sent => ({ kind: "later", reason, waitMs: null });

  return {
    add(entry) {
      waiting.push(entry);
      start();
    },
    async finish(patienceMs) {
      lastMoment = clock.monotonic() + patienceMs;
      hurry.abort();
      const done = new AbortController();
      const limit = clock.sleep(patienceMs, done.signal).then(() => stop.abort());
      while (workers.size > 0) await Promise.all(workers);
      done.abort();
      await limit;
    },
  };
}
