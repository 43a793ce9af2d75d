import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { isDiskFull } from "./storage-faults.ts";

const ZEROS = new Uint8Array(64 * 1024);

/**
 * Takes room on the disk: appends zeros to a file, which is made when missing.
 * @returns how many bytes: fewer than asked for where the disk is full before
 */
export function appendZeros(path: string, bytes: number): number {
  const file = openSync(path, "a", 0o600);
  let taken = 0;
  try {
    while (taken < bytes) taken += writeSync(file, ZEROS, 0, Math.min(bytes - taken, ZEROS.length));
    fsyncSync(file);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  } finally {
    closeSync(file);
  }
  return taken;
}
