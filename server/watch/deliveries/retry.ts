/** What came of an attempt. */
export interface Answer {
  /** Null when nobody answered. */
  status: number | null;
  /** Seconds or a date, as the answer has it (RFC 9110, section 10.2.3). */
  retryAfter: string | null;
}

export type Next =
  | { kind: "delivered" }
  /** Tried again after so many ms. */
  | { kind: "later"; afterMs: number }
  | { kind: "dead"; disables: boolean };

/** Nobody is made to wait longer than this by an answer: an alert that is an hour late is useless. */
const LONGEST_ASKED_MS = 15 * 60_000;

/**
 * What follows an attempt. Any 2xx has arrived; 410 ends the channel too; what the receiver will never take is given up at once; else
 * the waits are those of the settings, longer where the answer asks for it.
 * @param tries attempts so far, this one included, since it was made or replayed
 * @param waits seconds before the second, third … attempt
 */
export function nextAfter(
  { status, retryAfter }: Answer,
  {
    tries,
    waits,
    now,
    isHopeless,
  }: { tries: number; waits: readonly number[]; now: number; isHopeless: (status: number) => boolean },
): Next {
  if (status !== null && status >= 200 && status < 300) return { kind: "delivered" };
  if (status !== null && isHopeless(status)) return { kind: "dead", disables: status === 410 };
  const wait = waits[tries - 1];
  if (wait === undefined) return { kind: "dead", disables: false };
  const asked = Math.min(askedMs(retryAfter, now), LONGEST_ASKED_MS);
  return { kind: "later", afterMs: Math.max(wait * 1000, asked) };
}

/** Attempts at one message that may fail before nothing arrives over its channel any more, as far as one can see. */
const TRIES_UNTIL_BROKEN = 3;

/**
 * Whether a channel is to be told as broken though its message is tried again: somebody has to give it another credential, or it
 * failed time and again. A receiver that only asks for patience works.
 * @param tries attempts so far, this one included
 */
export function isBrokenAfter({ status }: Pick<Answer, "status">, tries: number): boolean {
  if (status === 401 || status === 403) return true;
  return status !== 429 && tries >= TRIES_UNTIL_BROKEN;
}

function askedMs(text: string | null, now: number): number {
  if (text === null) return 0;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
