import type { Files } from "../../../store/files/files.ts";
import type { RunSource } from "./source.ts";
import type { Unread } from "./unread.ts";

const REFERENCE = /^sha256:([0-9a-f]{64})$/;

/** What events say or refer to. */
export interface Texts {
  /** @returns null when it is not kept, is too large or cannot be read */
  read(source: RunSource, given: string, largest: number): Promise<string | null>;
}

/** Reads what the events of several runs refer to. */
export const createTexts = (files: Files, unread: Unread): Texts => ({
  read: (source, given, largest) => unread.attempt(given, textOf(files, source, given, largest)),
});

/**
 * A text, or what it refers to.
 * @returns null when that is not kept or too large
 * @throws when the file cannot be read
 */
export async function textOf(
  files: Files,
  source: RunSource,
  given: string,
  largest: number,
): Promise<string | null> {
  const hash = REFERENCE.exec(given)?.[1];
  if (!hash) return given;
  const location = source.blobs.get(hash);
  if (!location || location.size > largest) return null;
  return new TextDecoder().decode(await files.read(location));
}
