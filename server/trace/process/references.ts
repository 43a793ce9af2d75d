import { BLOB_REFERENCE, mediaTypeOf } from "../format/event.ts";

/** A hash that the events name, by the event that names it first. */
export interface Reference {
  hash: string;
  seq: number;
  mediaType: string | null;
}

/** What an event says of the types of its attachments, by hash. */
function attachedTypes(attachments: unknown): Map<string, string | null> {
  const types = new Map<string, string | null>();
  if (!Array.isArray(attachments)) return types;
  for (const attachment of attachments) {
    const { blob, media_type } = (attachment ?? {}) as { blob?: unknown; media_type?: unknown };
    if (typeof blob === "string") types.set(blob.slice("sha256:".length), mediaTypeOf({ media_type }));
  }
  return types;
}

/** Collects the blobs that event lines name. */
export function createReferences() {
  const found = new Map<string, Reference>();

  function add(
    line: string,
    event: { seq: number; kind: string; media_type?: unknown; attachments?: unknown },
  ) {
    if (!line.includes('"sha256:')) return;
    const attached = attachedTypes(event.attachments);
    for (const [, part] of line.matchAll(BLOB_REFERENCE)) {
      // A part of the line would hold the whole of it in memory.
      const hash = Buffer.from(part!, "latin1").toString("latin1");
      const known = found.get(hash);
      if (known?.mediaType) continue;
      const mediaType = attached.get(hash) ?? mediaTypeOf(event);
      if (known) known.mediaType = mediaType;
      else found.set(hash, { hash, seq: event.seq, mediaType });
    }
  }

  return { add, found };
}
