import type { Clock } from "./clock.ts";

/** The one source of randomness and identifiers. */
export interface Ids {
  /** UUIDv7 (RFC 9562), monotonic within this process even when the clock goes back. */
  uuid(): string;
  /** 12 random characters of base58, for links that people read aloud. */
  shortId(): string;
  /** `length` random characters of base62: keys, codes, session tokens. */
  secret(length: number): string;
  bytes(length: number): Uint8Array;
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** @param bytes where randomness comes from; from the system unless ids are to come out the same again */
export function createIds(
  clock: Pick<Clock, "now">,
  bytes: Ids["bytes"] = (length) => crypto.getRandomValues(new Uint8Array(length)),
): Ids {
  let last = 0;
  let counter = 0;

  function uuid(): string {
    const now = clock.now();
    if (now > last) {
      last = now;
      // Starting in the lower half leaves 2048 ids in the same millisecond before the time is carried on.
      counter = (bytes(2)[0]! << 3) & 0x7ff;
    } else if (++counter > 0xfff) {
      last += 1;
      counter = 0;
    }
    const time = last.toString(16).padStart(12, "0");
    const rest = bytes(8);
    rest[0] = (rest[0]! & 0x3f) | 0x80;
    const tail = Buffer.from(rest).toString("hex");
    const low = counter.toString(16).padStart(3, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${low}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  }

  return { uuid, bytes, shortId: () => pick(BASE58, 12, bytes), secret: (n) => pick(BASE62, n, bytes) };
}

/** Rejection sampling, so that every character is equally likely. */
function pick(alphabet: string, length: number, bytes: (n: number) => Uint8Array): string {
  const limit = 256 - (256 % alphabet.length);
  let out = "";
  while (out.length < length) {
    for (const byte of bytes(length * 2)) {
      if (byte < limit && out.length < length) out += alphabet[byte % alphabet.length];
    }
  }
  return out;
}
