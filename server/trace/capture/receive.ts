import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../http/errors.ts";
import { CAPTURE_PREFIX } from "../process/work-folder.ts";

/** A sender that says nothing for so long has gone. */
const SILENCE_MS = 60_000;
const HEAD_BYTES = 16;

/** A body on disk, fsynced. */
export interface ReceivedFile {
  path: string;
  size: number;
  /** SHA-256 hex. */
  sha256: string;
  /** The first 16 bytes, or all where there are fewer. */
  head: Uint8Array;
}

/**
 * Streams a request's body into a file below `<data>/tmp`, hands it to `use`, and removes what is left of it.
 * @throws AppError `bundle_too_large` past the plan's upload cap, `invalid_request` for a body that ends early or stalls.
 */
export async function receiveFile<T>(
  deps: Pick<Deps, "store" | "ids" | "clock" | "config">,
  request: Request,
  use: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  const path = join(deps.store.layout.tmp, `${CAPTURE_PREFIX}${deps.ids.uuid()}`);
  try {
    return await use(await receive(deps, request, path));
  } finally {
    await rm(path, { force: true });
  }
}

async function receive(
  deps: Pick<Deps, "clock" | "config">,
  request: Request,
  path: string,
): Promise<ReceivedFile> {
  const cap = deps.config.limits.uploadCapBytes;
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > cap) throw tooLarge(cap);
  const hasher = new Bun.CryptoHasher("sha256");
  const head = new Uint8Array(HEAD_BYTES);
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of chunksOf(deps, request)) {
      if (size < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - size), size);
      size += chunk.byteLength;
      if (size > cap) throw tooLarge(cap);
      hasher.update(chunk);
      await file.writeFile(chunk);
    }
    if (size < declared) throw invalid("The body ended early.");
    await file.sync();
  } finally {
    await file.close();
  }
  return { path, size, sha256: hasher.digest("hex"), head: head.slice(0, size) };
}

async function* chunksOf(deps: Pick<Deps, "clock">, request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const waited = new AbortController();
      const next = reader.read().catch(() => {
        throw invalid("The body ended early.");
      });
      const silence = deps.clock.sleep(SILENCE_MS, waited.signal).then(() => null);
      const result = await Promise.race([next, silence]).finally(() => waited.abort());
      if (result === null)
        throw new AppError("invalid_request", "The body stalled for a minute.", { status: 408 });
      if (result.done) return;
      yield result.value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function tooLarge(cap: number): AppError {
  return new AppError("bundle_too_large", `The body is larger than ${cap} bytes, the plan's upload cap.`);
}
