import { BLOB_REFERENCE, mediaTypeOf } from "../format/event.ts";

/** A hash that the events name, by the event that names it first. */
export interface Reference {
  hash: string;
  seq: number;
  mediaType: string | null;
}

/** Collects the blobs that event lines name. */
export function createReferences() {
  const found = new Map<string, Reference>();

  function add(line: string, event: { seq: number; kind: string; media_type?: unknown }) {
    if (!line.includes('"sha256:')) return;
    for (const [, hash] of line.matchAll(BLOB_REFERENCE)) {
      const known = found.get(hash!);
      if (known?.mediaType) continue;
      const mediaType = mediaTypeOf(event);
      if (known) known.mediaType = mediaType;
      else found.set(hash!, { hash: hash!, seq: event.seq, mediaType });
    }
  }

  return { add, found };
}
