import { createHash } from "node:crypto";
import { acceptedEncoding, type Encoding } from "./encoding.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface Kept {
  tag: string;
  plain: Bytes;
  packed: Map<Encoding, Promise<Bytes>>;
}

const PACK: Record<Encoding, (plain: Bytes) => Promise<Bytes>> = {
  zstd: async (plain) => new Uint8Array(await Bun.zstdCompress(plain, { level: 9 })),
  gzip: async (plain) => new Uint8Array(Bun.gzipSync(plain)),
};

/**
 * Answers with JSON that stays as it is while the program runs: it is made, written out and packed at the first request that needs
 * it, since anybody may ask for it as often as they like. `If-None-Match` is answered with 304 (RFC 9110, section 13.1.2).
 */
export function keptJson(make: () => Promise<unknown>): (request: Request) => Promise<Response> {
  let kept: Promise<Kept> | null = null;

  async function write(): Promise<Kept> {
    const plain = new Uint8Array(Buffer.from(JSON.stringify(await make())));
    const tag = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
    return { tag, plain, packed: new Map() };
  }

  return async (request) => {
    kept ??= write().catch((error: unknown) => {
      kept = null;
      throw error;
    });
    const { tag, plain, packed } = await kept;
    const encoding = acceptedEncoding(request, "application/json");
    const etag = `"${tag}${encoding ? `-${encoding}` : ""}"`;
    const headers = {
      "content-type": "application/json",
      "cache-control": "no-cache",
      vary: "accept-encoding",
      etag,
    };
    if (request.headers.get("if-none-match")?.includes(etag))
      return new Response(null, { status: 304, headers });
    if (!encoding) return new Response(plain, { headers });
    const body = packed.get(encoding) ?? PACK[encoding](plain);
    packed.set(encoding, body);
    return new Response(await body, { headers: { ...headers, "content-encoding": encoding } });
  };
}
