import { open } from "node:fs/promises";
import { AppError, invalid } from "../../http/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Net } from "../../platform/net.ts";
import { stalled } from "./stalled.ts";

interface Wanted {
  path: string;
  capBytes: number;
  signal: AbortSignal;
}

/**
 * Fetches a file to `path`, under the rules for outgoing addresses.
 * @throws AppError `bundle_too_large`, `invalid_request` when the address is refused, does not answer 200, or stalls.
 */
export async function download(
  net: Net,
  url: string,
  { path, capBytes, signal, clock }: Wanted & { clock: Clock },
): Promise<{ path: string; sha256: string }> {
  const over = new AbortController();
  let received = 0;
  const wanted = { path, capBytes, signal: AbortSignal.any([signal, over.signal]) };
  const fetching = fetchTo(net, url, wanted, (bytes) => {
    received += bytes;
  });
  const waiting = stalled(clock, () => received, over.signal).then((why) => {
    throw invalid(`\`bundle_url\` ${why}.`);
  });
  try {
    return await Promise.race([fetching, waiting]);
  } finally {
    over.abort();
    // Nothing may be at work in a folder that is about to go.
    await fetching.catch(() => {});
  }
}

async function fetchTo(
  net: Net,
  url: string,
  { path, capBytes, signal }: Wanted,
  onBytes: (bytes: number) => void,
): Promise<{ path: string; sha256: string }> {
  const response = await net.get(url, { signal, maxBytes: capBytes });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw invalid(`\`bundle_url\` answered ${response.status} where 200 was expected.`);
  }
  const hasher = new Bun.CryptoHasher("sha256");
  const target = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of response.body) {
      size += chunk.length;
      onBytes(chunk.length);
      if (size > capBytes)
        throw new AppError("bundle_too_large", `The file is larger than ${capBytes} bytes, the upload cap.`);
      hasher.update(chunk);
      for (let at = 0; at < chunk.length; )
        at += (await target.write(chunk, at, chunk.length - at)).bytesWritten;
    }
  } finally {
    await target.close();
  }
  return { path, sha256: hasher.digest("hex") };
}
