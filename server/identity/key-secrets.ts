import { createHash, timingSafeEqual } from "node:crypto";
import type { KeyKind } from "../../store/records/token-schema.ts";
import type { Ids } from "../platform/ids.ts";

/** Tokens of OAuth: access, refresh, and the code that is traded for them. */
export type OAuthTokenKind = "oat" | "ort" | "oac";

const PREFIXES: Record<KeyKind | OAuthTokenKind, string> = {
  sk: "product_sk_",
  pat: "product_pat_",
  svc: "product_svc_",
  oat: "product_oat_",
  ort: "product_ort_",
  oac: "product_oac_",
};
/** 43 characters of base62 carry 256 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY = /^product_(?:sk|pat|svc)_[0-9A-Za-z]{49}$/;
const OAUTH_TOKEN = /^product_(oat|ort|oac)_[0-9A-Za-z]{49}$/;
/** Of a key, what may be shown later so that its owner knows it again. */
const SHOWN_LENGTH = 4;

/** A new secret of that kind: prefix, random part, checksum (CRC-32 of all before it, base62). */
export function createSecret(
  kind: KeyKind | OAuthTokenKind,
  ids: Pick<Ids, "secret">,
): { secret: string; prefix: string } {
  const body = PREFIXES[kind] + ids.secret(SECRET_LENGTH);
  return { secret: body + checksum(body), prefix: shownPart(body) };
}

/** The beginning of a secret, by which its owner knows it again. */
export function shownPart(secret: string): string {
  return secret.slice(0, secret.lastIndexOf("_") + 1 + SHOWN_LENGTH);
}

/** Whether a text can be a key at all, without asking the records: a mistyped one cannot. */
export function isWellFormedSecret(text: string): boolean {
  return KEY.test(text) && hasRightChecksum(text);
}

/** Which token of OAuth a text can be; null when it can be none. */
export function oauthTokenKind(text: string): OAuthTokenKind | null {
  const kind = OAUTH_TOKEN.exec(text)?.[1] as OAuthTokenKind | undefined;
  return kind !== undefined && hasRightChecksum(text) ? kind : null;
}

function hasRightChecksum(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let out = "";
  while (out.length < CHECKSUM_LENGTH) {
    out = BASE62[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** SHA-256 hex: how secrets of full entropy are kept. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Compares two SHA-256 hex texts in a time that does not tell where they differ. */
export function isEqualHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
}

/** Compares in a time that does not tell where two texts differ. */
export function isEqualSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}
