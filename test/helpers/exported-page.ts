import { inflateRawSync } from "node:zlib";

const PART = /<script type="text\/plain" id="td-([\w-]+)" data-method="([08])"[^>]*>([^<]*)<\/script>/g;

/** The parts of an exported page, unpacked, by name. */
export function partsOf(html: string): Map<string, Buffer> {
  const parts = new Map<string, Buffer>();
  for (const [, name, method, text] of html.matchAll(PART)) {
    const bytes = Buffer.from(text!, "base64");
    parts.set(name!, method === "8" ? inflateRawSync(bytes) : bytes);
  }
  return parts;
}
