import type { Files } from "../../../store/files/files.ts";
import type { RunSource } from "./source.ts";

const REFERENCE = /^sha256:([0-9a-f]{64})$/;

/** What events say or refer to. */
export interface Texts {
  /** @returns null when it is not kept, is too large or cannot be read, which is counted */
  read(source: RunSource, given: string, largest: number): Promise<string | null>;
  /** How many could not be read so far. */
  unread(): number;
}

/** Reads what the events of several runs refer to: one text that cannot be read is one less to tell from. */
export function createTexts(files: Files): Texts {
  const unread = new Set<string>();
  return {
    async read(source, given, largest) {
      try {
        return await textOf(files, source, given, largest);
      } catch {
        unread.add(given);
        return null;
      }
    },
    unread: () => unread.size,
  };
}

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
