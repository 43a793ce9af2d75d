import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { canonicalJson } from "../canonical-json.ts";

/**
 * What stands outside of the records about the end of an org's audit chain. `checkpoint`: it ended so at that time.
 * `backup.restore`, `records.rebuild`: the records were replaced, and go on from there; what had come after is gone on purpose.
 */
export interface Checkpoint {
  event: "checkpoint" | "backup.restore" | "records.rebuild";
  org_id: string;
  /** Of the chain's last entry; 0 without one. */
  seq: number;
  hash: string;
  /** Entries of the chain. */
  count: number;
  /** ISO 8601. */
  at: string;
  /** When the backup was made that was put back. */
  backup_at?: string;
}

/** A checkpoint as a line of the file has it. */
export interface SignedCheckpoint extends Checkpoint {
  /** Names the key that it is signed with. */
  key: string;
  /** Ed25519 (RFC 8032) over the RFC 8785 form of all else, base64url. */
  signature: string;
}

/** Signs checkpoints with a key that follows from `signing.key`. */
export interface CheckpointSigner {
  /** The first 16 hex digits of the public key's SHA-256. */
  key: string;
  sign(checkpoint: Checkpoint): SignedCheckpoint;
  isSigned(checkpoint: SignedCheckpoint): boolean;
}

const PURPOSE = "tracedeck audit checkpoints 1";
const SEED_BYTES = 32;
/** What stands before the seed of an Ed25519 private key in PKCS#8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const KEY_LENGTH = 16;

/** @param signingKey the bytes of `signing.key`; the seed is derived by HKDF-SHA-256 (RFC 5869) */
export function createCheckpointSigner(signingKey: Uint8Array): CheckpointSigner {
  const seed = Buffer.from(hkdfSync("sha256", signingKey, "", PURPOSE, SEED_BYTES));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(privateKey);
  const key = nameOf(publicKey);
  return {
    key,
    sign(checkpoint) {
      const whole = { ...checkpoint, key };
      return { ...whole, signature: sign(null, signedPart(whole), privateKey).toString("base64url") };
    },
    isSigned: ({ signature, ...whole }) =>
      whole.key === key && verify(null, signedPart(whole), publicKey, Buffer.from(signature, "base64url")),
  };
}

const signedPart = (whole: Omit<SignedCheckpoint, "signature">) => Buffer.from(canonicalJson(whole));

const nameOf = (publicKey: KeyObject) =>
  createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("hex")
    .slice(0, KEY_LENGTH);

/** A line of the file; null for one that is none. */
export function readLine(line: string): SignedCheckpoint | null {
  try {
    const found = JSON.parse(line) as Partial<SignedCheckpoint> | null;
    const { event, org_id, seq, hash, count, at, key, signature } = found ?? {};
    const isWhole =
      [event, org_id, hash, at, key, signature].every((value) => typeof value === "string") &&
      [seq, count].every(Number.isSafeInteger);
    return isWhole ? (found as SignedCheckpoint) : null;
  } catch {
    return null;
  }
}
