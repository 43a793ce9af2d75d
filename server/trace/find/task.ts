import { DamagedFileError } from "../../../store/events/errors.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import type { EventFile } from "../../../store/events/types.ts";
import { openWhole, type WholeFile } from "../../../store/events/whole-file.ts";
import type { ByteLocation, FilesAddress } from "../../../store/files/files.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { readEvent } from "../format/event.ts";
import {
  type BodyBytes,
  isMissing,
  LARGEST_WHOLE,
  MOST_OF_BODY,
  type NamedBody,
  namedBodies,
  type Searched,
  searchBodies,
} from "./bodies.ts";
import type { Margins } from "./match.ts";
import type { FindAnswer, Place } from "./model.ts";
import { createPageEvents, openPages, type SearchablePages } from "./pages.ts";
import { told } from "./told.ts";

export interface FindInput {
  files: FilesAddress;
  /** Leased while the task runs. */
  events: WholeFile;
  /** The list of what the events name; null while the trace has none, which is then read from the events. */
  manifest: ByteLocation | null;
  /** The pages of a Playwright archive; null when the trace has none. */
  pages: ByteLocation | null;
  /** Bodies that may be text, by hash. */
  blobs: Map<string, BodyBytes>;
  text: string;
  after: Place;
  limit: number;
  margins: Margins;
}

/** `kind` of the error that a damaged event file ends the task with. */
export const DAMAGED = "damaged";
/** What one answer may cost: it then says how far it came. */
const MOST_BYTES = 64_000_000;
const MOST_MS = 1_200;
const READ_AHEAD = 8;

type Hit = FindAnswer["hits"][number];

/** What an answer has found so far, and what that has cost. */
interface Effort {
  hits: Hit[];
  bytes: number;
  unreadable: number;
  isEnough(): boolean;
}

function createEffort(limit: number): Effort {
  const began = performance.now();
  const effort: Effort = {
    hits: [],
    bytes: 0,
    unreadable: 0,
    isEnough: () =>
      effort.hits.length >= limit || effort.bytes >= MOST_BYTES || performance.now() - began >= MOST_MS,
  };
  return effort;
}

/**
 * The task `trace.find`: looks for a text in the pages that an archive recorded, then in the bodies that the trace's events
 * name, each once and in the order of recording, until it has cost enough.
 */
export async function findTask(input: FindInput): Promise<FindAnswer> {
  const { after, text } = input;
  const effort = createEffort(input.limit);
  const files = createLocalFiles(input.files);
  const store = createEventFiles();
  try {
    const events = await openWhole(store, input.events);
    const pages = input.pages && (await openPages(files, input.pages, text, input.margins));
    if (input.pages && !pages) effort.unreadable += 1;
    const blocks = pages?.blocks ?? 0;
    const wanted = after.kind === "pages" ? Math.min(after.at, blocks) : blocks;
    const block = pages ? await lookThroughPages(pages, events, wanted, effort) : 0;

    const named = await namedBodies(input.manifest, events, files);
    const bodies = named.filter(({ hash }) => input.blobs.has(hash));
    const bytesOf = ({ hash }: NamedBody) => input.blobs.get(hash)!;
    let at = after.kind === "bodies" ? Math.min(after.at, bodies.length) : 0;
    while (block === blocks && at < bodies.length && !effort.isEnough()) {
      const part = partFrom(bodies, at, bytesOf);
      const found = await searchBodies(files, part.map(bytesOf), text, input.margins);
      for (const [index, body] of part.entries()) await add(body, found[index]!);
      at += part.length;
    }
    async function add(body: NamedBody, found: Searched) {
      const { location, mediaType } = bytesOf(body);
      effort.bytes += Math.min(location.size, MOST_OF_BODY);
      if (found === "unreadable") effort.unreadable += 1;
      else if (found) effort.hits.push({ ...(await whereIs(events, body)), ...found, media_type: mediaType });
    }

    return {
      hits: effort.hits,
      searched: at,
      total: bodies.length,
      pages_searched: pages?.countBefore(block) ?? 0,
      pages_total: pages?.total ?? 0,
      too_large: bodies.filter((body) => bytesOf(body).location.size > MOST_OF_BODY).length,
      unreadable: effort.unreadable,
      next: block < blocks ? `pages.${block}` : at < bodies.length ? `bodies.${at}` : null,
    };
  } catch (error) {
    if (error instanceof DamagedFileError || isMissing(error))
      throw Object.assign(error as Error, { kind: DAMAGED });
    throw error;
  } finally {
    store.close();
  }
}

/** @returns the block to look on at */
async function lookThroughPages(
  pages: SearchablePages,
  events: EventFile,
  from: number,
  effort: Effort,
): Promise<number> {
  const eventOf = createPageEvents(events);
  let block = from;
  while (block < pages.blocks && !effort.isEnough()) {
    const count = Math.min(READ_AHEAD, pages.blocks - block);
    const part = Array.from({ length: count }, (_, index) => block + index);
    for (const [index, bytes] of (await Promise.all(part.map(pages.read))).entries()) {
      if (bytes === null) effort.unreadable += 1;
      const found = bytes === null ? [] : pages.match(block + index, bytes);
      for (const { frame, snapshot, ...match } of found) {
        const event = await eventOf({ frame, snapshot });
        if (event)
          effort.hits.push({
            ...match,
            event,
            reference: null,
            media_type: "text/html",
            place: null,
          });
      }
    }
    for (const one of part) effort.bytes += pages.sizeOf(one);
    block += count;
  }
  return block;
}

/** Bodies that are read at once: a long one is alone, or the time of an answer would be that of several. */
function partFrom(named: NamedBody[], at: number, bytesOf: (body: NamedBody) => BodyBytes): NamedBody[] {
  const part = named.slice(at, at + READ_AHEAD);
  const long = part.findIndex((body) => bytesOf(body).location.size > LARGEST_WHOLE);
  return long === -1 ? part : part.slice(0, Math.max(long, 1));
}

async function whereIs(
  events: EventFile,
  { hash, seq }: NamedBody,
): Promise<Pick<Hit, "event" | "field" | "reference">> {
  const reference = `sha256:${hash}`;
  const { lines } = await events.query({ fromSeq: seq, offset: 0, limit: 1 });
  const event = readEvent(lines[0] ?? "{}");
  const field =
    Object.entries(event).find(([, value]) => JSON.stringify(value)?.includes(reference))?.[0] ?? "";
  return { event: { ...told(event), seq }, field, reference };
}
