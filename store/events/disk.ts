import { fstatSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { DamagedFileError } from "./errors.ts";

/** Writes all of the bytes; a short write (a full disk) is an error, not a loss. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Makes renames and new names in a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Exactly the bytes [offset, offset + length). @throws DamagedFileError when the file ends before. */
export function readExactly(fd: number, offset: number, length: number): Buffer {
  const out = Buffer.from(new ArrayBuffer(length));
  let done = 0;
  while (done < length) {
    const read = readSync(fd, out, done, length - done, offset + done);
    if (read === 0) throw new DamagedFileError(`The file ends before byte ${offset + length}.`);
    done += read;
  }
  return out;
}

export const fileSize = (fd: number) => fstatSync(fd).size;
