import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createInflateRaw, inflateRawSync } from "node:zlib";
import { BlobDamagedError, type ByteLocation, type ByteRange } from "./files.ts";

const CHUNK = 256 * 1024;

/** The place of some bytes in a file by its path. */
export type DiskLocation = Omit<ByteLocation, "key"> & { path: string };

interface OpenFile {
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/** The stored bytes of a location, compressed where they are. @throws BlobDamagedError */
async function readStored(location: DiskLocation): Promise<Uint8Array> {
  const file = await openFile(location);
  try {
    const bytes = new Uint8Array(location.storedSize);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, location.offset + filled);
      if (bytesRead === 0) throw tooShort(location);
      filled += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

/** No compressor makes more of a content than this: what follows the end of its stream belongs to nothing. */
const isPadded = ({ size, storedSize }: DiskLocation): boolean => storedSize > 2 * size + CHUNK;

/** All the bytes of the content. Whoever asks knows its size, and pays for no more. @throws BlobDamagedError */
export async function readContent(location: DiskLocation): Promise<Uint8Array> {
  if (location.method === 8 && isPadded(location)) return new Response(contentStream(location)).bytes();
  const stored = await readStored(location);
  if (location.method === 0) return stored;
  try {
    const content = inflateRawSync(stored, { maxOutputLength: location.size + 1 });
    if (content.length === location.size) return content;
    throw new BlobDamagedError(
      `${location.path} holds ${content.length} bytes at ${location.offset} where ${location.size} belong.`,
    );
  } catch (error) {
    if (error instanceof BlobDamagedError) throw error;
    throw new BlobDamagedError(`${location.path} cannot be inflated at ${location.offset}: ${String(error)}`);
  }
}

/**
 * The bytes [start, end) of the content. A range of a stored blob is read from where it begins; one of a deflated
 * blob has to be inflated from the blob's beginning.
 */
export function contentStream(
  location: DiskLocation,
  range: ByteRange = { start: 0, end: location.size },
): ReadableStream<Uint8Array> {
  return streamOf(content(() => openFile(location), location, range));
}

/** As `contentStream`, with the file opened first. @throws BlobDamagedError when it is missing or too short */
export async function openContent(
  location: DiskLocation,
  range: ByteRange = { start: 0, end: location.size },
): Promise<ReadableStream<Uint8Array>> {
  const fd = await openDescriptor(location);
  let isOpen = true;
  const release = async () => {
    if (!isOpen) return;
    isOpen = false;
    await closeFd(fd);
  };
  const { size } = await fstatFd(fd);
  if (size < location.offset + location.storedSize) {
    await release();
    throw tooShort(location);
  }
  const file: OpenFile = {
    read: (bytes, offset, length, position) => readFd(fd, bytes, offset, length, position),
    close: release,
  };
  const stream = streamOf(
    content(async () => file, location, range),
    release,
  );
  forgotten.register(stream, release);
  return stream;
}

/** Closes the files of streams that nobody read to their end or cancelled. */
const forgotten = new FinalizationRegistry<() => Promise<void>>((release) => void release());

const [openFd, closeFd, fstatFd] = [promisify(fs.open), promisify(fs.close), promisify(fs.fstat)];
/** Resolves to `{ bytesRead }`. */
const readFd = promisify(fs.read);

async function openDescriptor(location: DiskLocation): Promise<number> {
  try {
    return await openFd(location.path, "r");
  } catch (error) {
    throw cannotOpen(location, error);
  }
}

function streamOf(
  source: AsyncGenerator<Uint8Array>,
  release: () => Promise<void> = async () => {},
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await source.next();
          if (!done) return controller.enqueue(value);
          await release();
          controller.close();
        } catch (error) {
          await release();
          throw error;
        }
      },
      async cancel() {
        await source.return(undefined);
        await release();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* content(
  open: () => Promise<OpenFile>,
  location: DiskLocation,
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  const { start } = range;
  const end = Math.min(range.end, location.size);
  if (end <= start) return;
  if (location.method === 0) {
    yield* stored(open, location, start, end);
    return;
  }
  const inflate = createInflateRaw({ chunkSize: CHUNK });
  const source = Readable.from(stored(open, location, 0, location.storedSize));
  source.on("error", (error) => inflate.destroy(error));
  let at = 0;
  try {
    for await (const chunk of source.pipe(inflate) as AsyncIterable<Uint8Array>) {
      const from = Math.max(start - at, 0);
      const to = Math.min(end - at, chunk.length);
      at += chunk.length;
      if (to > from) yield chunk.subarray(from, to);
      if (at >= end) return;
    }
  } catch (error) {
    if (error instanceof BlobDamagedError) throw error;
    throw new BlobDamagedError(`${location.path} cannot be inflated at ${location.offset}: ${String(error)}`);
  } finally {
    source.destroy();
    inflate.destroy();
  }
  throw tooShort(location);
}

async function* stored(
  open: () => Promise<OpenFile>,
  location: DiskLocation,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const file = await open();
  try {
    for (let at = start; at < end; ) {
      const chunk = new Uint8Array(Math.min(CHUNK, end - at));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, location.offset + at);
      if (bytesRead === 0) throw tooShort(location);
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openFile(location: DiskLocation): Promise<FileHandle> {
  try {
    return await open(location.path, "r");
  } catch (error) {
    throw cannotOpen(location, error);
  }
}

const cannotOpen = (location: DiskLocation, error: unknown) =>
  new BlobDamagedError(`${location.path} cannot be opened: ${String(error)}`);

const tooShort = (location: DiskLocation) =>
  new BlobDamagedError(`${location.path} ends before the blob at ${location.offset} does.`);
