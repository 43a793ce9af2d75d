import { BlobDamagedError, type BlobFiles, type ByteLocation } from "../../../store/blobs/blobs.ts";
import { createLocalBlobFiles } from "../../../store/blobs/local.ts";
import { DamagedFileError } from "../../../store/events/errors.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import type { EventFile } from "../../../store/events/types.ts";
import { layout } from "../../../store/layout.ts";
import type { TraceEvent } from "../format/event.ts";
import { createReferences } from "../process/references.ts";
import { bodyMatcher, looksLikeText } from "./match.ts";
import type { FindAnswer } from "./model.ts";

export interface FindInput {
  dataDir: string;
  events: { path: string; indexPath: string };
  /** The list of what the events name; null while the trace has none, which is then read from the events. */
  manifest: ByteLocation | null;
  /** Bodies that may be text, by hash. */
  blobs: Map<string, { location: ByteLocation; mediaType: string | null }>;
  text: string;
  after: number;
  limit: number;
}

/** `kind` of the error that a damaged event file ends the task with. */
export const DAMAGED = "damaged";
/** Bytes of a body that is still searched. */
export const LARGEST_BODY = 2_000_000;
/** What one answer may cost: it then says how far it came. */
const MOST_BYTES = 64_000_000;
const MOST_MS = 1_200;
const READ_AHEAD = 8;

type Hit = FindAnswer["hits"][number];

interface Named {
  hash: string;
  /** Of the event that names it first. */
  seq: number;
}

/** The task `trace.find`: looks for a text in the bodies that a trace's events name, each once, in the events' order. */
export async function findTask(input: FindInput): Promise<FindAnswer> {
  const began = performance.now();
  const blobs = createLocalBlobFiles(layout(input.dataDir));
  const store = createEventFiles();
  try {
    const events = await store.open(input.events.path, input.events.indexPath);
    const known = (await namedBodies(input, events, blobs)).filter(({ hash }) => input.blobs.has(hash));
    const sizeOf = ({ hash }: Named) => input.blobs.get(hash)!.location.size;
    const bodies = known.filter((body) => sizeOf(body) <= LARGEST_BODY);
    const match = bodyMatcher(input.text);
    const hits: Hit[] = [];
    let at = Math.min(input.after, bodies.length);
    let bytes = 0;
    while (
      at < bodies.length &&
      hits.length < input.limit &&
      bytes < MOST_BYTES &&
      performance.now() - began < MOST_MS
    ) {
      const part = bodies.slice(at, at + READ_AHEAD);
      const texts = await Promise.all(part.map(({ hash }) => textOf(blobs, input.blobs.get(hash)!)));
      for (const [index, body] of part.entries()) {
        bytes += sizeOf(body);
        const found = texts[index] && match(texts[index]);
        if (found)
          hits.push({
            ...(await whereIs(events, body)),
            ...found,
            media_type: input.blobs.get(body.hash)!.mediaType,
          });
      }
      at += part.length;
    }
    return {
      hits,
      searched: at,
      total: bodies.length,
      too_large: known.length - bodies.length,
      next: at < bodies.length ? at : null,
    };
  } catch (error) {
    if (error instanceof DamagedFileError || isMissing(error))
      throw Object.assign(error as Error, { kind: DAMAGED });
    throw error;
  } finally {
    store.close();
  }
}

/** In the order of the events, so that a place in the list stays what it is while a running trace grows. */
async function namedBodies(input: FindInput, events: EventFile, blobs: BlobFiles): Promise<Named[]> {
  const named = (await fromManifest(input, blobs)) ?? (await fromEvents(events));
  return named.sort((a, b) => a.seq - b.seq || (a.hash < b.hash ? -1 : 1));
}

/** Null when there is none, or none that can be read: the events tell the same. */
async function fromManifest({ manifest }: FindInput, blobs: BlobFiles): Promise<Named[] | null> {
  if (manifest === null) return null;
  try {
    const parsed = JSON.parse(new TextDecoder().decode(await blobs.read(manifest))) as { blobs: Named[] };
    return parsed.blobs.map(({ hash, seq }) => ({ hash, seq }));
  } catch (error) {
    if (error instanceof BlobDamagedError || error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

async function fromEvents(events: EventFile): Promise<Named[]> {
  const references = createReferences();
  for await (const lines of events.lineBatches())
    for (const line of lines)
      if (line.includes('"sha256:')) references.add(line, JSON.parse(line) as TraceEvent);
  return [...references.found.values()];
}

/** Null when the body is gone, damaged or no text: the rest is searched all the same. */
async function textOf(
  blobs: BlobFiles,
  { location, mediaType }: { location: ByteLocation; mediaType: string | null },
): Promise<Buffer | null> {
  try {
    const bytes = await blobs.read(location);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return mediaType !== null || looksLikeText(text) ? text : null;
  } catch (error) {
    if (error instanceof BlobDamagedError || isMissing(error)) return null;
    throw error;
  }
}

/** What the event says of itself in so many words. */
const TOLD = ["seq", "ts", "kind", "step_id", "request_id", "method", "url", "status", "name"];
const MAX_TOLD = 1_000;

async function whereIs(
  events: EventFile,
  { hash, seq }: Named,
): Promise<Pick<Hit, "event" | "field" | "reference">> {
  const reference = `sha256:${hash}`;
  const { lines } = await events.query({ fromSeq: seq, offset: 0, limit: 1 });
  const event = JSON.parse(lines[0] ?? "{}") as TraceEvent;
  const told = Object.entries(event).flatMap(([name, value]) => {
    if (!TOLD.includes(name) || (typeof value === "object" && value !== null)) return [];
    return [[name, typeof value === "string" ? value.slice(0, MAX_TOLD) : value] as const];
  });
  const field =
    Object.entries(event).find(([, value]) => JSON.stringify(value)?.includes(reference))?.[0] ?? "";
  return { event: { seq, ts: 0, kind: "", ...Object.fromEntries(told) }, field, reference };
}

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";
