import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Clock } from "../platform/clock.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { AppError } from "./errors.ts";

/** Links that carry their own, expiring permission to one file (HMAC-SHA256 over path, parameters and expiry). */
export interface SignedUrls {
  /**
   * Absolute URL for a path of this server. Lives `config.settings.signed_url_seconds`.
   * `base` is the origin the client used, so that the link works from where it came.
   */
  sign(base: string, path: string, params?: Record<string, string>): string;
  /** @throws AppError `signature_invalid` when the URL was altered or has expired. */
  verify(url: URL): void;
}

const EXPIRES = "expires";
const SIGNATURE = "signature";
const KEY_BYTES = 32;

export function createSignedUrls(options: {
  key: Uint8Array;
  clock: Pick<Clock, "now">;
  seconds: number;
}): SignedUrls {
  const { key, clock, seconds } = options;

  /** Parameters in the order of their names, so that a client that reorders them still has a good link. */
  function digest(path: string, params: URLSearchParams): Buffer {
    const sorted = new URLSearchParams([...params].sort(([a], [b]) => (a < b ? -1 : 1)));
    return createHmac("sha256", key).update(`${path}\n${sorted}`).digest();
  }

  return {
    sign(base, path, params = {}) {
      const expires = Math.floor(clock.now() / 1000) + seconds;
      const query = new URLSearchParams({ ...params, [EXPIRES]: String(expires) });
      // The path as the client will send it.
      const { pathname } = new URL(path, base);
      query.set(SIGNATURE, digest(pathname, query).toString("base64url"));
      return `${base}${pathname}?${query}`;
    },
    verify(url) {
      const query = new URLSearchParams(url.search);
      const [signature = "", ...more] = query.getAll(SIGNATURE);
      const given = Buffer.from(more.length > 0 ? "" : signature, "base64url");
      query.delete(SIGNATURE);
      const expected = digest(url.pathname, query);
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new AppError("signature_invalid", "The link was altered or is not complete.");
      if (Number(query.get(EXPIRES)) * 1000 <= clock.now())
        throw new AppError("signature_invalid", "The link has expired; fetch the trace again for a new one.");
    },
  };
}

/** The file of the key holds something else; the message says what to do. */
export class SigningKeyError extends Error {
  override name = "SigningKeyError";
}

/**
 * The key in `<data>/signing.key` (mode 0600), made from `bytes` when there is none.
 * @throws SigningKeyError
 */
export function loadSigningKey(path: string, bytes: (length: number) => Uint8Array): Uint8Array {
  if (!existsSync(path))
    writeFileAtomic(path, Buffer.from(bytes(KEY_BYTES)).toString("hex"), { mode: 0o600, keepExisting: true });
  return readSigningKey(path);
}

/** @throws SigningKeyError */
export function readSigningKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
  if (key.length === KEY_BYTES) return key;
  throw new SigningKeyError(`${path} is not a signing key: delete it, and a new one is made.`);
}
