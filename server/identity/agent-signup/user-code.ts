import type { Ids } from "../../platform/ids.ts";

/** Letters without vowels, so that no word comes out (RFC 8628, section 6.1). Eight of them carry 34 bits. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;
/** Bytes from here on would make the first letters likelier. */
const LIMIT = 256 - (256 % ALPHABET.length);

/** A code that people compare and type: `WDJB-MJHT`. */
export function createUserCode(ids: Pick<Ids, "bytes">): string {
  let letters = "";
  while (letters.length < LENGTH)
    for (const byte of ids.bytes(LENGTH))
      if (byte < LIMIT && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** A code as it was given out, however it was typed; null for what can be none. */
export function readUserCode(text: string): string | null {
  const letters = text.toUpperCase().replace(/[\s-]+/g, "");
  const isCode = letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}
