import type { Clock } from "../../platform/clock.ts";
import type { Credential } from "./credential.ts";

/** What a look into the records has found. Epoch ms. */
export interface Found {
  credential: Credential;
  expiresAt: number;
}

/** Credentials that were checked a moment ago, by the hash of their secret. */
export interface CredentialMemory {
  /** What is known of a secret's hash: remembered for 30 s, else looked up. Null when it is unknown or has expired. */
  known(hash: string, look: (hash: string, now: number) => Promise<Found | null>): Promise<Credential | null>;
  forget(hash: string): void;
  forgetWhere(isMeant: (credential: Credential) => boolean): void;
}

const REMEMBER_MS = 30_000;
const MAX_REMEMBERED = 10_000;

export function createCredentialMemory(clock: Pick<Clock, "now" | "monotonic">): CredentialMemory {
  const remembered = new Map<string, Found & { until: number }>();
  return {
    async known(hash, look) {
      const now = clock.now();
      const found = remembered.get(hash);
      if (found && clock.monotonic() < found.until) return now < found.expiresAt ? found.credential : null;
      const fresh = await look(hash, now);
      if (!fresh || now >= fresh.expiresAt) {
        remembered.delete(hash);
        return null;
      }
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(hash, { ...fresh, until: clock.monotonic() + REMEMBER_MS });
      return fresh.credential;
    },
    forget: (hash) => void remembered.delete(hash),
    forgetWhere(isMeant) {
      for (const [hash, { credential }] of remembered) if (isMeant(credential)) remembered.delete(hash);
    },
  };
}
