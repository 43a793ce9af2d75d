import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { fromIso } from "../../platform/clock.ts";
import { CodeHostError } from "./types.ts";

/** The host takes at most ten minutes; its clock may be behind ours by one. */
const JWT_SECONDS = 9 * 60;
const CLOCKS_APART_SECONDS = 60;
/** A token is not used to its very end: a request that begins with it must not end without. */
const SPARE_MS = 5 * 60_000;

/**
 * Proves to the host that it is the app itself that asks: a JWT (RFC 7519, RS256) of the app's private key, for ten minutes.
 * @param key PEM, PKCS #1 as the host gives it out, or PKCS #8
 * @throws CodeHostError `not_configured` for a key that is none
 */
export async function signAppToken(appId: string, key: string, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(appId)
    .setIssuedAt(seconds - CLOCKS_APART_SECONDS)
    .setExpirationTime(seconds + JWT_SECONDS)
    .sign(readKey(key));
}

function readKey(text: string): KeyObject {
  try {
    // In JSON written by hand the lines of a key are often one, with "\n" for their ends.
    const key = createPrivateKey(text.replaceAll("\\n", "\n"));
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // The library's message says nothing that an operator could use.
  }
  throw new CodeHostError(
    "not_configured",
    '"code_host.private_key" of settings.json is no RSA private key in PEM: it must be the whole text of the file that the code host gave out.',
  );
}

/** A token of the app's installation, for as long as the host gave it. */
export interface InstallationToken {
  token: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** Keeps one installation token, and asks for the next shortly before it ends; whoever asks meanwhile waits for the same one. */
export function createTokenKeeper(now: () => number, fetchToken: () => Promise<InstallationToken>) {
  let kept: InstallationToken | null = null;
  let asked: Promise<InstallationToken> | null = null;
  return {
    async current(): Promise<string> {
      if (kept && kept.expiresAt - now() > SPARE_MS) return kept.token;
      asked ??= fetchToken().finally(() => {
        asked = null;
      });
      kept = await asked;
      return kept.token;
    },
    /** The host does not take it any more. */
    forget(token: string) {
      if (kept?.token === token) kept = null;
    },
  };
}

/** When a token ends, as the host writes it; an hour is what it gives. */
export const endOf = (text: string, now: number): number => fromIso(text) ?? now + 60 * 60_000;
