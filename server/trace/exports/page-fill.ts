import { pagesOf } from "../../../store/events/page.ts";
import type { EventFile } from "../../../store/events/types.ts";
import type { ByteLocation } from "../../../store/files/files.ts";
import { blobLocation } from "../../../store/files/locations.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { orDamaged } from "../events/source.ts";
import { readBody } from "../files/read-body.ts";
import { BLOB_REFERENCE, readEvent } from "../format/event.ts";
import type { PageMeta } from "../format/page-data.ts";
import type { Summary } from "../format/summary.ts";
import { tracePrompt } from "../prompts/service.ts";
import { traceReport } from "../reports/service.ts";
import { anyPlace, type Contents, contentsOf } from "../tiers/contents.ts";
import { putEvents } from "./page-events.ts";
import { putMedia } from "./page-media.ts";
import { type PackedPart, type PartFile, pack, sizeInPage } from "./page-parts.ts";
import {
  blockOf,
  contentLocation,
  type NamedPage,
  pageIndex,
  partsOfPages,
  type RecordedPages,
  recordedPages,
} from "./page-snapshots.ts";

/** Bytes of a page for which nobody asked for another size. */
const USUAL_BYTES = 50_000_000;
/** Larger parts are not even read: no panel shows so much. */
const LARGEST_PART = 32 * 1024 * 1024;
/** Events of the failed step that are looked through for what belongs to the failure. */
const EVIDENCE_EVENTS = 1000;
/** Recorded pages besides the failure's may take this share of what is left. */
const PAGES_SHARE = 0.5;
/** Shown by an address that must be there at once, so it is not to be unpacked first. */
const PICTURE = /^image\/(?!svg)/;

/** A part that goes into the page if there is room. */
interface Candidate {
  part: string;
  location: ByteLocation;
  type: string | null;
}

interface Filling {
  parts: PartFile;
  /** Told what was left out. */
  meta: PageMeta;
  file: EventFile | null;
  /** Bytes of the page besides its parts. */
  fixed: number;
  /** Origin that the client uses, for links in the report. */
  base: string;
  maxBytes: number | undefined;
  /** The page is made a second time: what cannot be read now is left out. Before, it may only have moved. */
  isAgain: boolean;
  /** The script that plays DOM recordings. */
  player: string;
}

/**
 * Puts everything into the page that fits: what belongs to the failure and all events in any case, then recorded pages,
 * the DOM recording and the video, then the rest, the smallest first.
 * @returns the size of what the first screen needs, which comes first
 * @throws AppError `invalid_request` when what must go in is more than `maxBytes`, `unavailable` for a damaged file
 */
export async function fillPage(deps: Deps, trace: TraceRow, filling: Filling): Promise<number> {
  const { parts, meta, file, fixed, base, maxBytes, player, isAgain } = filling;
  const holdings = await contentsOf(deps, trace);
  const pages = await recordedPages(deps, holdings);
  const evidence = await evidenceOf(deps, file, meta.summary);
  const needed = pages && (await partsOfPages(deps, pages, evidence.pages));
  const all = candidatesOf(holdings, pages);
  const isEvidence = ({ part }: Candidate) => evidence.parts.has(part) || needed?.parts.has(part);

  for (const candidate of all.filter(isEvidence)) {
    const packed = await packedOf(deps, candidate, isAgain);
    if (packed) await parts.put(candidate.part, packed, candidate.type);
  }
  await parts.put("report", await pack(Buffer.from(await traceReport(deps, trace, base, "share"))));
  await parts.put("prompt", await pack(Buffer.from(await tracePrompt(deps, trace, base, "share"))));
  const first = parts.size;
  if (file) await putEvents(deps, file, parts);
  const blocks = needed?.blocks ?? new Set<number>();
  if (pages) {
    await parts.put("pages", await pack(Buffer.from(JSON.stringify(pageIndex(pages)))));
    for (const number of blocks) await putBlock(deps, pages, number, parts);
    meta.has_pages = true;
  }
  const least = fixed + parts.size;
  if (maxBytes !== undefined && least > maxBytes)
    throw invalid(
      `The query parameter "max_bytes" must be at least ${least} for this trace: its events and what belongs to its failure take that much.`,
    );
  const room = (maxBytes ?? USUAL_BYTES) - fixed;
  if (pages) meta.are_pages_left_out = !(await putOtherPages(deps, pages, blocks, parts, room));
  await putMedia(deps, { artifacts: holdings.artifacts, parts, meta, room, player, isAgain });

  const rest = all.filter((candidate) => !isEvidence(candidate));
  for (const candidate of rest.sort((a, b) => a.location.storedSize - b.location.storedSize)) {
    const packed = parts.size < room ? await packedOf(deps, candidate, isAgain) : null;
    if (packed && parts.size + sizeInPage(packed.bytes.length) <= room) {
      await parts.put(candidate.part, packed, candidate.type);
      continue;
    }
    meta.left_out.count += 1;
    meta.left_out.bytes += candidate.location.size;
  }
  return first;
}

/** What shows the failure: pictures and bodies of its step, the first bad request, and the step's recorded pages. */
async function evidenceOf(
  deps: Deps,
  file: EventFile | null,
  summary: Summary,
): Promise<{ parts: Set<string>; pages: NamedPage[] }> {
  const { failure, first_bad_request: bad, final_screenshot: final } = summary;
  const pages: NamedPage[] = [];
  const parts = new Set<string>();
  const take = (text: string) => {
    for (const [, hash] of text.matchAll(BLOB_REFERENCE)) parts.add(`blob-${hash}`);
  };
  take(JSON.stringify([failure, final]));
  if (file && bad) {
    const { lines } = await orDamaged(deps, file.query({ fromSeq: bad.seq, offset: 0, limit: 1 }));
    for (const line of lines) take(line);
  }
  const step = failure?.step_id;
  if (file && step)
    await orDamaged(
      deps,
      (async () => {
        for await (const lines of pagesOf(file, { step, limit: EVIDENCE_EVENTS }))
          for (const line of lines) {
            take(line);
            if (!line.includes('"dom.snapshot"')) continue;
            const { kind, snapshot, page, is_main_frame } = readEvent(line);
            if (kind === "dom.snapshot" && is_main_frame) pages.push({ snapshot, page });
          }
      })(),
    );
  return { parts, pages };
}

function candidatesOf({ blobs }: Contents, pages: RecordedPages | null): Candidate[] {
  const found: Candidate[] = [];
  for (const blob of blobs) {
    const place = anyPlace(blob);
    if (place)
      found.push({
        part: `blob-${blob.hash}`,
        location: blobLocation(blob.hash, place),
        type: blob.mediaType,
      });
  }
  for (const [part, content] of pages?.contents ?? [])
    found.push({ part, location: contentLocation(pages!, content), type: content.type });
  return found;
}

/** A part's bytes as they go into the page; null when they are too many, damaged or gone. */
async function packedOf(
  deps: Deps,
  { location, type }: Candidate,
  isAgain: boolean,
): Promise<PackedPart | null> {
  if (Math.max(location.size, location.storedSize) > LARGEST_PART) return null;
  const read = (from: ByteLocation) =>
    isAgain ? readBody(deps, async () => from) : deps.store.files.read(from);
  if (location.method === 8 && !PICTURE.test(type ?? "")) {
    const bytes = await read({ ...location, size: location.storedSize, method: 0 });
    return bytes && { bytes, method: 8 };
  }
  const bytes = await read(location);
  if (!bytes || PICTURE.test(type ?? "")) return bytes && { bytes, method: 0 };
  return pack(bytes);
}

async function putBlock(deps: Deps, pages: RecordedPages, number: number, parts: PartFile): Promise<void> {
  await parts.put(`block-${number}`, await pack(await blockOf(deps, pages, number)));
}

/** All or none: a page is made of what changed since earlier ones. @returns whether they went in */
async function putOtherPages(
  deps: Deps,
  pages: RecordedPages,
  done: ReadonlySet<number>,
  parts: PartFile,
  room: number,
): Promise<boolean> {
  const numbers = [...pages.directory.index.blocks.keys()].filter((number) => !done.has(number));
  const stored = numbers.reduce((sum, number) => sum + pages.directory.index.blocks[number]![1], 0);
  if (sizeInPage(stored) > (room - parts.size) * PAGES_SHARE) return numbers.length === 0;
  for (const number of numbers) await putBlock(deps, pages, number, parts);
  return true;
}
