import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

/** Whose secret it is, how it is called and where it may go: sealed with it, so that none of it can be changed or swapped. */
export interface SealedPlace {
  orgId: string;
  name: string;
  origins: readonly string[] | null;
}

/** Keeps the values of secrets readable to this data folder's program only. */
export interface Vault {
  seal(place: SealedPlace, value: string): Uint8Array;
  /** Null when it was sealed with another key or for another place, or is damaged. */
  open(place: SealedPlace, sealed: Uint8Array): string | null;
}

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
/** NIST SP 800-38D, 8.2.2: random, 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = "tracedeck secrets 1";

/**
 * AES-256-GCM (NIST SP 800-38D) under a key derived by HKDF-SHA-256 (RFC 5869). Sealed: nonce, ciphertext, tag.
 * @param signingKey the bytes of `signing.key`
 */
export function createVault(signingKey: Uint8Array, bytes: (length: number) => Uint8Array): Vault {
  const key = Buffer.from(hkdfSync("sha256", signingKey, "", PURPOSE, KEY_BYTES));
  return {
    seal(place, value) {
      const nonce = bytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(named(place));
      return Buffer.concat([nonce, cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    open(place, sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(named(place)).setAuthTag(sealed.subarray(-TAG_BYTES));
      const start = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([start, decipher.final()]).toString();
      } catch {
        // The tag does not fit: all that there is to know.
        return null;
      }
    },
  };
}

const named = ({ orgId, name, origins }: SealedPlace) => Buffer.from(JSON.stringify([orgId, name, origins]));
