import { type FileHandle, open, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";

const deflate = promisify(deflateRaw);
/** Markup around a part, generously. */
const MARKUP = 160;
const CHUNK = 1 << 20;
/** What compression must win to be worth unpacking later. */
const WORTH = 0.95;

/** Bytes on their way into a page: as they are (0), or raw deflate (8). */
export interface PackedPart {
  bytes: Uint8Array;
  method: 0 | 8;
}

export async function pack(bytes: Uint8Array): Promise<PackedPart> {
  const packed = await deflate(bytes);
  return packed.length < bytes.length * WORTH ? { bytes: packed, method: 8 } : { bytes, method: 0 };
}

/** How much of a page a part of so many packed bytes takes. */
export const sizeInPage = (bytes: number): number => Math.ceil(bytes / 3) * 4 + MARKUP;

/**
 * The parts of a page, base64 in elements that no browser runs, gathered in a file that has no name: whatever happens,
 * nothing is left of it.
 */
export async function createPartFile(path: string) {
  const handle = await open(path, "wx+", 0o600);
  await rm(path);
  let size = 0;

  return {
    /** Bytes written so far. */
    get size() {
      return size;
    },
    /** @param type recorded media type; one that looks like none is left out */
    async put(id: string, { bytes, method }: PackedPart, type: string | null = null): Promise<void> {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const essence = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(type ?? "")?.[0];
      const named = essence ? ` data-type="${essence}"` : "";
      const text = `<script type="text/plain" id="td-${id}" data-method="${method}"${named}>${view.toString("base64")}</script>\n`;
      await handle.appendFile(text);
      size += text.length;
    },
    /** The bytes [start, end) as they were written. */
    read: (start: number, end: number) => readRange(handle, start, end),
    close: () => handle.close(),
  };
}

export type PartFile = Awaited<ReturnType<typeof createPartFile>>;

async function* readRange(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) throw new Error("The file of an export is shorter than what was written to it.");
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
