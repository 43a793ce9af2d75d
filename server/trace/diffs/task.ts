import { DamagedFileError } from "../../../store/events/errors.ts";
import { linesOfWhole, type WholeFile } from "../../../store/events/whole-file.ts";
import { BlobDamagedError, type ByteLocation, type FilesAddress } from "../../../store/files/files.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { diffTraces } from "../format/diff/diff.ts";
import { createFactReader, type PageFact, type TraceFacts } from "../format/diff/facts.ts";
import { nodesOfHtml, type PageNode } from "../format/diff/page-nodes.ts";
import type { DiffResult, Dimension } from "../format/diff/types.ts";
import { readEvent } from "../format/event.ts";
import { createPageSource, type PageSource } from "./pages.ts";

export interface DiffSource {
  /** Leased while the task runs. Null when the trace has no events yet. */
  events: WholeFile | null;
  /** Where blobs lie whose content may be compared. */
  blobs: Map<string, ByteLocation>;
  /** The pages of a Playwright archive. */
  snapshots: ByteLocation | null;
}

export interface DiffInput {
  files: FilesAddress;
  dimension: Dimension;
  isRaw: boolean;
  a: DiffSource;
  b: DiffSource;
}

/** What was compared: one dimension, or with `overview` all of them. */
export type DiffResults = Partial<Record<Dimension, DiffResult>>;

/** `kind` of the error that a damaged file ends the task with. */
export const DAMAGED = "damaged";
/** Bytes of a page that is still compared. */
export const LARGEST_PAGE = 4 * 1024 * 1024;
const LARGEST_BODY = 64 * 1024;

/** The task `trace.diff`: reads the events of both traces once, and of what they refer to what is compared. */
export async function diffTask(input: DiffInput): Promise<DiffResults> {
  try {
    return await compare(input);
  } catch (error) {
    const isDamaged =
      error instanceof DamagedFileError || error instanceof BlobDamagedError || isMissing(error);
    if (isDamaged) throw Object.assign(error as Error, { kind: DAMAGED });
    throw error;
  }
}

async function compare({ files: address, dimension, isRaw, a, b }: DiffInput): Promise<DiffResults> {
  const files = createLocalFiles(address);
  const sources = { a, b };
  const pages: { a: PageSource | null; b: PageSource | null } = {
    a: a.snapshots && createPageSource(files, a.snapshots),
    b: b.snapshots && createPageSource(files, b.snapshots),
  };

  async function textOf(side: "a" | "b", reference: string, largest: number): Promise<string | null> {
    const location = sources[side].blobs.get(reference.slice("sha256:".length));
    if (!location || location.size > largest) return null;
    return new TextDecoder().decode(await files.read(location));
  }

  async function nodes(side: "a" | "b", page: PageFact): Promise<PageNode[] | null> {
    if (page.html !== null) {
      const html = page.html.startsWith("sha256:") ? await textOf(side, page.html, LARGEST_PAGE) : page.html;
      return html === null ? null : nodesOfHtml(html);
    }
    return (await pages[side]?.nodes(page)) ?? null;
  }

  const read = { body: (side: "a" | "b", reference: string) => textOf(side, reference, LARGEST_BODY), nodes };
  return diffTraces(await factsOf(a), await factsOf(b), dimension, read, { isRaw });
}

async function factsOf({ events }: DiffSource): Promise<TraceFacts> {
  const reader = createFactReader();
  if (events === null) return reader.finish();
  for await (const lines of linesOfWhole(events)) for (const line of lines) reader.add(readEvent(line));
  return reader.finish();
}

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";
