import { close, open, read, unlink, write } from "node:fs";
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";

const deflate = promisify(deflateRaw);
const files = {
  open: promisify(open),
  read: promisify(read),
  write: promisify(write),
  unlink: promisify(unlink),
  close: promisify(close),
};
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
  const file = await files.open(path, "wx+", 0o600);
  await files.unlink(path);
  let size = 0;
  let isOpen = true;

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
      const line = Buffer.from(text);
      for (let done = 0; done < line.length; ) {
        const { bytesWritten } = await files.write(file, line, done, line.length - done, size + done);
        done += bytesWritten;
      }
      size += line.length;
    },
    /** At most a megabyte from `start` on, up to `end`. */
    async read(start: number, end: number): Promise<Uint8Array> {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - start));
      const { bytesRead } = await files.read(file, chunk, 0, chunk.length, start);
      if (bytesRead === 0) throw new Error("The file of an export is shorter than what was written to it.");
      return chunk.subarray(0, bytesRead);
    },
    /** Lets go of the file. Idempotent. */
    async close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      await files.close(file);
    },
  };
}

export type PartFile = Awaited<ReturnType<typeof createPartFile>>;
