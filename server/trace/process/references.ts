/** A reference is a JSON text that is nothing but one: prose about hashes names none. */
const REFERENCE = /"sha256:([0-9a-f]{64})"/g;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;

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
    for (const [, hash] of line.matchAll(REFERENCE)) {
      const known = found.get(hash!);
      if (known?.mediaType) continue;
      const mediaType = mediaTypeOf(event);
      if (known) known.mediaType = mediaType;
      else found.set(hash!, { hash: hash!, seq: event.seq, mediaType });
    }
  }

  return { add, found };
}

function mediaTypeOf(event: { kind: string; media_type?: unknown }): string | null {
  if (event.kind === "dom.snapshot") return "text/html";
  const { media_type: given } = event;
  return typeof given === "string" && MEDIA_TYPE.test(given) ? given.toLowerCase() : null;
}
