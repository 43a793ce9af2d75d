import type { ByteLocation } from "../../../store/files/files.ts";
import { artifactLocation } from "../../../store/files/locations.ts";
import type { ArtifactRow } from "../../../store/records/artifacts.ts";
import { readBlock } from "../../../store/snapshots/read-file.ts";
import type { Deps } from "../../deps.ts";
import { readDirectory, readSnapshot, type StoredDirectory } from "../files/snapshots.ts";
import type { TraceEvent } from "../format/event.ts";
import type { PageIndex } from "../format/page-data.ts";
import { snapshotAt } from "../format/playwright/snapshot-directory.ts";
import type { Content } from "../format/playwright/snapshot-index.ts";
import { renderWholePage } from "../format/playwright/snapshot-whole.ts";
import type { Contents } from "../tiers/contents.ts";

/** Only these are seen; scripts, data and pages are bodies of requests if anything. */
const SHOWN = /^(?:image|font)\/|css|font/i;

/** The recorded pages of a trace, as far as an export needs to know them. */
export interface RecordedPages {
  directory: StoredDirectory;
  location: ByteLocation;
  /** Of the archive that the pages' pictures and styles lie in. */
  archive: ByteLocation;
  /** Part of each content: that of the blob with the same bytes, where the trace has one. */
  partOf(content: number): string;
  /** Contents that a page may show, and which no blob holds, by part. */
  contents: Map<string, Content>;
}

/** Null when the trace has no recorded pages. @throws BlobDamagedError */
export async function recordedPages(deps: Deps, holdings: Contents): Promise<RecordedPages | null> {
  const of = (kind: string): ArtifactRow | undefined => holdings.artifacts.find((one) => one.kind === kind);
  const [file, zip] = [of("snapshots"), of("playwright")];
  if (!file || !zip) return null;
  const location = artifactLocation(file);
  const { directory } = await readDirectory(deps.store.files, location);
  const blobs = new Map(
    holdings.inside.filter(({ kind }) => kind === "playwright").map(({ offset, hash }) => [offset, hash]),
  );
  const partAt = (offset: number) => {
    const hash = blobs.get(offset);
    return hash ? `blob-${hash}` : `content-${offset}`;
  };
  const contents = new Map<string, Content>();
  for (const content of directory.index.contents)
    if (!blobs.has(content.offset) && SHOWN.test(content.type ?? ""))
      contents.set(partAt(content.offset), content);
  return {
    directory,
    location,
    archive: artifactLocation(zip),
    partOf: (number) => partAt(directory.index.contents[number]!.offset),
    contents,
  };
}

/** The index as the page reads it. */
export function pageIndex({ directory: { index }, partOf }: RecordedPages): PageIndex {
  return {
    frames: index.frames,
    urls: index.urls,
    responses: index.responses,
    contents: index.contents.map(({ type }, number) => ({ part: partOf(number), type })),
  };
}

/** What an event says of the page that it tells of. */
export type NamedPage = Pick<TraceEvent, "snapshot" | "page">;

/** What the pages of a step are put together from: blocks by number, and parts by name. */
export async function partsOfPages(
  deps: Deps,
  pages: RecordedPages,
  events: readonly NamedPage[],
): Promise<{ blocks: Set<number>; parts: Set<string> }> {
  const { files } = deps.store;
  const { directory } = pages;
  const blocks = new Set<number>();
  const parts = new Set<string>();
  for (const { snapshot: name, page } of events) {
    if (typeof name !== "string") continue;
    const address = directory.find({ name, page: typeof page === "string" ? page : undefined });
    if (!address) continue;
    await renderWholePage(
      {
        directory,
        async snapshot(at) {
          const found = snapshotAt(directory, at);
          if (!found) return null;
          blocks.add(found.snapshot.block);
          return readSnapshot(files, pages.location, directory, found.snapshot);
        },
        async content(number) {
          const content = directory.index.contents[number]!;
          parts.add(pages.partOf(number));
          // Only style sheets name others.
          const isSheet = /css/i.test(content.type ?? "");
          const bytes = isSheet ? await files.read(contentLocation(pages, content)) : new Uint8Array();
          return { bytes, type: content.type };
        },
      },
      address,
    );
  }
  return { blocks, parts };
}

export function contentLocation({ archive }: RecordedPages, content: Content): ByteLocation {
  const { stored_size: storedSize, size, method } = content;
  return { key: archive.key, offset: archive.offset + content.offset, storedSize, size, method };
}

/** @throws BlobDamagedError */
export const blockOf = (deps: Deps, { directory, location }: RecordedPages, number: number) =>
  readBlock(deps.store.files, location, directory.index, number);
