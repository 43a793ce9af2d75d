import { open } from "node:fs/promises";
import { AppError, invalid } from "../../http/errors.ts";
import type { Net } from "../../platform/net.ts";

/**
 * Fetches a file to `path`, under the rules for outgoing addresses.
 * @throws AppError `bundle_too_large`, `invalid_request` when the address is refused or does not answer 200.
 */
export async function download(
  net: Net,
  url: string,
  options: { path: string; capBytes: number; signal: AbortSignal },
): Promise<{ path: string; sha256: string }> {
  const { path, capBytes, signal } = options;
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
