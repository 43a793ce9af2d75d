import type { EventFile } from "../../../store/events/types.ts";
import { BlobDamagedError, type ByteLocation, type Files } from "../../../store/files/files.ts";
import { readEvent } from "../format/event.ts";
import { createReferences } from "../process/references.ts";
import { type BodyMatch, createBodyMatcher, looksLikeText, type Margins } from "./match.ts";

/** A body that events name, and the event that names it first. */
export interface NamedBody {
  hash: string;
  seq: number;
}

/** Bytes of a body that may be text. */
export interface BodyBytes {
  location: ByteLocation;
  /** Null when nobody says. */
  mediaType: string | null;
}

/** Up to this size bodies are read whole, several at once; larger ones come in pieces. */
export const LARGEST_WHOLE = 2_000_000;
/** Of a body that is larger still, this much of its beginning is searched. */
export const MOST_OF_BODY = 64_000_000;

/** In the order of the events, so that a place in the list stays what it is while a running trace grows. */
export async function namedBodies(
  manifest: ByteLocation | null,
  events: EventFile,
  files: Files,
): Promise<NamedBody[]> {
  const named = (manifest && (await fromManifest(manifest, files))) ?? (await fromEvents(events));
  return named.sort((a, b) => a.seq - b.seq || (a.hash < b.hash ? -1 : 1));
}

/** Null when there is none that can be read: the events tell the same. */
async function fromManifest(manifest: ByteLocation, files: Files): Promise<NamedBody[] | null> {
  try {
    const parsed = JSON.parse(new TextDecoder().decode(await files.read(manifest))) as { blobs: NamedBody[] };
    return parsed.blobs.map(({ hash, seq }) => ({ hash, seq }));
  } catch (error) {
    if (error instanceof BlobDamagedError || error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

async function fromEvents(events: EventFile): Promise<NamedBody[]> {
  const references = createReferences();
  for await (const lines of events.lineBatches())
    for (const line of lines) if (line.includes('"sha256:')) references.add(line, readEvent(line));
  return [...references.found.values()];
}

/** What a body has of the text, null when nothing; or that it cannot be read. */
export type Searched = BodyMatch | null | "unreadable";

/** Looks through bodies for a text, in their order. One that cannot be read keeps nothing from the others. */
export async function searchBodies(
  files: Files,
  bodies: readonly BodyBytes[],
  text: string,
  margins?: Margins,
): Promise<Searched[]> {
  const isLong = ({ location }: BodyBytes) => location.size > LARGEST_WHOLE;
  const whole = bodies.map((body) =>
    isLong(body) ? null : readable(() => searchWhole(files, body, text, margins)),
  );
  const found: Searched[] = [];
  // Long ones one at a time: each holds a piece of itself.
  for (const [index, body] of bodies.entries())
    found.push(await (whole[index] ?? readable(() => searchLong(files, body, text, margins))));
  return found;
}

async function searchWhole(
  files: Files,
  { location, mediaType }: BodyBytes,
  text: string,
  margins?: Margins,
) {
  const bytes = toBuffer(await files.read(location));
  if (mediaType === null && !looksLikeText(bytes)) return null;
  const matcher = createBodyMatcher(text, margins);
  matcher.push(bytes);
  return matcher.result();
}

async function searchLong(files: Files, { location, mediaType }: BodyBytes, text: string, margins?: Margins) {
  const matcher = createBodyMatcher(text, margins);
  const range = { start: 0, end: Math.min(location.size, MOST_OF_BODY) };
  let isKnownText = mediaType !== null;
  for await (const piece of files.stream(location, range)) {
    const bytes = toBuffer(piece);
    if (!isKnownText && !looksLikeText(bytes)) return null;
    isKnownText = true;
    if (!matcher.push(bytes)) break;
  }
  return matcher.result();
}

async function readable(search: () => Promise<BodyMatch | null>): Promise<Searched> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof BlobDamagedError || isMissing(error)) return "unreadable";
    throw error;
  }
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether an error says that a file is not there. */
export const isMissing = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
