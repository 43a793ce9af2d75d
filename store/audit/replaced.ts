import { existsSync, readFileSync } from "node:fs";
import { AUDIT_GENESIS } from "../records/audit.ts";
import { type Checkpoint, type CheckpointSigner, createCheckpointSigner, readLine } from "./checkpoint.ts";
import { appendCheckpoints } from "./file.ts";

const KEY_BYTES = 32;

/** The signer of a data folder; null where there is no usable `signing.key`. */
export function signerOf(signingKeyPath: string): CheckpointSigner | null {
  if (!existsSync(signingKeyPath)) return null;
  const key = Buffer.from(readFileSync(signingKeyPath, "utf8").trim(), "hex");
  return key.length === KEY_BYTES ? createCheckpointSigner(key) : null;
}

/**
 * Notes that the records were replaced, so that what they lack now is told apart from what was cut off: for each org that they
 * have or that the file knows, where its chain goes on.
 * @param heads how the chains of the records end now
 */
export async function noteReplacement(
  path: string,
  signer: CheckpointSigner,
  note: Pick<Checkpoint, "event" | "at" | "backup_at">,
  heads: readonly Pick<Checkpoint, "org_id" | "seq" | "hash" | "count">[],
): Promise<void> {
  const known = new Set(heads.map(({ org_id }) => org_id));
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const others = new Set(
    lines.flatMap((line) => {
      const checkpoint = readLine(line);
      return checkpoint && signer.isSigned(checkpoint) && !known.has(checkpoint.org_id)
        ? [checkpoint.org_id]
        : [];
    }),
  );
  const empty = { seq: 0, hash: AUDIT_GENESIS, count: 0 };
  const all = [...heads, ...[...others].map((org_id) => ({ org_id, ...empty }))];
  await appendCheckpoints(
    path,
    all.map(({ org_id, seq, hash, count }) => signer.sign({ ...note, org_id, seq, hash, count })),
  );
}
