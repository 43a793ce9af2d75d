import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { constants, crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { unreadable } from "./errors.ts";
import { quote } from "./policy.ts";
import type { PartialMember, UseMember, ZipMember } from "./zip-member.ts";

const CHUNK = 256 * 1024;
const LARGEST_WHOLE = 1024 * 1024;
/** What zlib takes for the size of a piece at least, and at most what is set aside for a size that is merely declared. */
const LEAST_CHUNK = 64;
const LARGEST_CHUNK = 8 * 1024 * 1024;

/**
 * Exactly `length` bytes from `position`.
 * @param room to read into, where there is some already.
 * @throws ArchiveError when the file ends before.
 */
export async function readExactly(
  file: FileHandle,
  position: number,
  length: number,
  room = Buffer.allocUnsafe(length),
): Promise<Buffer> {
  const buffer = room.subarray(0, length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) throw unreadable(`The archive ends at byte ${position + done}, inside a member.`);
    done += bytesRead;
  }
  return buffer;
}

/** The same at once. For small pieces that are in the system's memory already: a turn to another thread costs more. */
export function readExactlyNow(
  file: FileHandle,
  position: number,
  length: number,
  room = Buffer.allocUnsafe(length),
): Buffer {
  const buffer = room.subarray(0, length);
  for (let done = 0; done < length; ) {
    const bytesRead = readSync(file.fd, buffer, done, length - done, position + done);
    if (bytesRead === 0) throw unreadable(`The archive ends at byte ${position + done}, inside a member.`);
    done += bytesRead;
  }
  return buffer;
}

/** Keeps room for the largest member that it has seen. */
export function createMemberUse(file: FileHandle): UseMember {
  let room = Buffer.alloc(0);
  return (member, use) => {
    if (room.length < member.storedSize) room = Buffer.allocUnsafe(member.storedSize);
    const stored = readExactlyNow(file, member.offset, member.storedSize, room);
    const bytes = member.method === 0 ? stored : inflateWhole(stored, member);
    checkBytes(member, bytes.byteLength, crc32(bytes));
    return use(bytes);
  };
}

/** See `ZipArchive.read`. */
export async function readMember(file: FileHandle, member: ZipMember): Promise<Uint8Array> {
  const stored = await readExactly(file, member.offset, member.storedSize);
  const bytes = member.method === 0 ? stored : inflateWhole(stored, member);
  checkBytes(member, bytes.byteLength, crc32(bytes));
  return bytes;
}

function inflateWhole(stored: Buffer, member: ZipMember): Buffer {
  try {
    // A limit of 0 bytes is not allowed; a member that claims 0 and holds more is caught by its size.
    return inflateRawSync(stored, {
      maxOutputLength: Math.max(member.size, 1),
      // In one piece, where its size may be believed: pieces would be copied together.
      chunkSize: Math.min(Math.max(member.size + 1, LEAST_CHUNK), LARGEST_CHUNK),
    });
  } catch (error) {
    throw inflateProblem(member.name, error);
  }
}

/** See `ZipArchive.stream`. */
export function streamMember(
  file: FileHandle,
  member: ZipMember | PartialMember,
): ReadableStream<Uint8Array> {
  const pieces = memberPieces(file, member);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The unpacked bytes of a member in pieces of at most 256 KiB (1 MiB for small members), checked at the end. */
export async function* memberPieces(
  file: FileHandle,
  member: ZipMember | PartialMember,
): AsyncGenerator<Uint8Array, void> {
  const whole = "crc32" in member ? member : null;
  if (whole && Math.max(whole.size, whole.storedSize) <= LARGEST_WHOLE) {
    if (whole.size > 0 || whole.storedSize > 0) yield await readMember(file, whole);
    return;
  }
  let size = 0;
  let checksum = 0;
  const stored = storedPieces(file, member.offset, member.storedSize);
  for await (const piece of member.method === 0 ? stored : inflatedPieces(stored, member, whole === null)) {
    size += piece.byteLength;
    if (whole && size > whole.size) checkBytes(whole, size, 0);
    checksum = crc32(piece, checksum);
    yield piece;
  }
  if (whole) checkBytes(whole, size, checksum);
}

async function* storedPieces(file: FileHandle, offset: number, length: number): AsyncGenerator<Buffer, void> {
  for (let done = 0; done < length; done += CHUNK)
    yield await readExactly(file, offset + done, Math.min(CHUNK, length - done));
}

async function* inflatedPieces(
  stored: AsyncGenerator<Buffer, void>,
  member: { name: string },
  isPartial: boolean,
): AsyncGenerator<Buffer, void> {
  const finishFlush = isPartial ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  const source = Readable.from(stored);
  const inflater = source.pipe(createInflateRaw({ chunkSize: CHUNK, finishFlush }));
  // `pipe` does not carry errors over: without this a failed read would leave the inflater waiting for ever.
  source.on("error", (error) => inflater.destroy(error));
  try {
    for await (const piece of inflater) yield piece;
  } catch (error) {
    throw inflateProblem(member.name, error);
  } finally {
    source.destroy();
    inflater.destroy();
  }
}

function checkBytes(member: ZipMember, size: number, checksum: number): void {
  if (size > member.size)
    throw unreadable(
      `The member ${quote(member.name)} unpacks to more than the ${member.size} bytes it declares.`,
    );
  if (size < member.size)
    throw unreadable(
      `The member ${quote(member.name)} declares ${member.size} bytes and unpacks to ${size}.`,
    );
  if (checksum >>> 0 !== member.crc32)
    throw unreadable(`The member ${quote(member.name)} is damaged: its checksum does not match.`);
}

function inflateProblem(name: string, error: unknown): Error {
  if (!(error instanceof Error) || "kind" in error) return error as Error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ERR_BUFFER_TOO_LARGE")
    return unreadable(`The member ${quote(name)} unpacks to more than the bytes it declares.`);
  if (!code.startsWith("Z_")) return error;
  return unreadable(`The member ${quote(name)} is damaged: its compressed bytes cannot be unpacked.`);
}
