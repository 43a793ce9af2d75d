import type { ByteLocation } from "../../../store/files/files.ts";
import { artifactLocation } from "../../../store/files/locations.ts";
import { type ArtifactRow, findArtifact } from "../../../store/records/artifacts.ts";
import type { ShareVisibility } from "../../../store/records/schema.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../http/errors.ts";
import { requireOnline } from "../access.ts";
import { type ReadSnapshot, readDirectory, readSnapshot, type StoredDirectory } from "../files/snapshots.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { type SeenElement, viewOfTree } from "../format/cause/page/page-view.ts";
import { rewriteCss, sheetText } from "../format/playwright/snapshot-css.ts";
import {
  type SnapshotAddress,
  type SnapshotQuery,
  snapshotAt,
} from "../format/playwright/snapshot-directory.ts";
import { renderSnapshot, SCROLL_MARK } from "../format/playwright/snapshot-html.ts";
import type { Content } from "../format/playwright/snapshot-index.ts";
import { gatherTrees, type SnapshotTrees } from "../format/playwright/snapshot-tree.ts";
import { createGrants } from "./grants.ts";
import { linksFor, type PageKind } from "./links.ts";
import type { SnapshotAnswer } from "./model.ts";

const MIB = 1024 * 1024;
/** Lines that one page is put together from; what lies in others is left out. No recorder needs nearly as many. */
const MOST_GATHERED = 128 * MIB;
/** What a line counts for besides its length. */
const COST_OF_READING = 16 * 1024;
/** A longer style sheet is not rewritten, and so not served. */
const LARGEST_SHEET = 16 * MIB;

/** Recorded pages of traces, rendered from the snapshots of their Playwright archives. Holds nothing of its own. */
export function createSnapshots(deps: Deps) {
  const { files, records } = deps.store;
  const grants = createGrants(deps);
  const { rendered, parsed, directories, loading } = deps.traceState.snapshotCaches;

  interface Opened {
    trace: TraceRow;
    location: ByteLocation;
    directory: StoredDirectory;
    /** Names the file's content in caches. */
    key: string;
  }

  async function open(trace: TraceRow): Promise<Opened> {
    requireOnline(trace);
    const artifact = await findArtifact(records, trace.id, "snapshots");
    if (!artifact) throw notFound("A recording of this trace's pages");
    const location = artifactLocation(artifact);
    return { trace, location, key: artifact.sha256, directory: await directoryOf(artifact, location) };
  }

  async function directoryOf({ sha256 }: ArtifactRow, location: ByteLocation): Promise<StoredDirectory> {
    const known = directories.get<StoredDirectory>(sha256);
    if (known) return known;
    const load = async () => {
      try {
        const { directory, bytes } = await readDirectory(files, location);
        directories.set(sha256, directory, bytes);
        return directory;
      } finally {
        loading.delete(sha256);
      }
    };
    const running = loading.get(sha256) ?? load();
    loading.set(sha256, running);
    return running;
  }

  async function parse({ key, location, directory }: Opened, address: SnapshotAddress) {
    const found = snapshotAt(directory, address);
    if (!found) return null;
    const name = `${key}/${address.frame}/${address.snapshot}`;
    const known = parsed.get<ReadSnapshot>(name);
    if (known) return known;
    const read = await readSnapshot(files, location, directory, found.snapshot);
    parsed.set(name, read, read.bytes);
    return read;
  }

  async function gather(opened: Opened, { frame, snapshot: at }: SnapshotAddress): Promise<SnapshotTrees> {
    let left = MOST_GATHERED;
    return gatherTrees(at, async (snapshot) => {
      const read = left > 0 ? await parse(opened, { frame, snapshot }) : null;
      left -= (read?.bytes ?? 0) + COST_OF_READING;
      return read?.tree ?? null;
    });
  }

  async function render(opened: Opened, address: SnapshotAddress, pages: PageKind): Promise<Uint8Array> {
    const found = snapshotAt(opened.directory, address);
    if (!found) throw notFound("This recorded page");
    const { name, url } = found.snapshot;
    const html = renderSnapshot({
      trees: await gather(opened, address),
      at: address.snapshot,
      // Recorders marked targets by the snapshot's name or by the call's id.
      names: [name, name.slice(name.indexOf("@") + 1)],
      url,
      doctype: (await parse(opened, address))?.doctype ?? null,
      links: linksFor(opened.directory, address, "../../", pages),
      framesMay: pages === "i" ? "allow-scripts" : "",
    });
    return Buffer.from(html);
  }

  async function sheet(opened: Opened, address: SnapshotAddress, url: string): Promise<Uint8Array> {
    const content = contentAt(opened, opened.directory.contentFor(address, url));
    if (content.size > LARGEST_SHEET) throw notFound("A style sheet of a size that can be shown");
    const bytes = await files.read(await locate(opened, content));
    const css = rewriteCss(
      sheetText(bytes, content.type),
      url,
      linksFor(opened.directory, address, "../../../"),
    );
    return Buffer.from(css);
  }

  /** Bytes in the trace's Playwright archive, which may itself lie in a pack. */
  async function locate({ trace }: Opened, content: Content): Promise<ByteLocation> {
    const archive = await findArtifact(records, trace.id, "playwright");
    if (!archive) throw notFound("The archive of this recording");
    const { key, offset } = artifactLocation(archive);
    const { stored_size: storedSize, size, method } = content;
    return { key, offset: offset + content.offset, storedSize, size, method };
  }

  function contentAt({ directory }: Opened, number: number | null): Content {
    const content = number === null ? undefined : directory.index.contents[number];
    if (!content) throw notFound("This part of a recorded page");
    return content;
  }

  async function cached(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = rendered.get<Uint8Array>(name);
    if (known) return known;
    const made = await make();
    rendered.set(name, made, made.length);
    return made;
  }

  return {
    grants,

    /**
     * What is known of a recorded page, with a link that shows it.
     * @throws AppError `not_found`, `not_hot` for a cold trace, `unavailable` for a damaged file
     */
    show: (
      trace: TraceRow,
      query: SnapshotQuery,
      link: { base: string; viaShare: ShareVisibility | null },
    ): Promise<SnapshotAnswer> =>
      whereItLies(deps, trace, async (now) => {
        const { directory } = await open(now);
        const address = directory.find(query);
        const found = address && snapshotAt(directory, address);
        if (!found) throw notFound("A recorded page of this name");
        const { frame, snapshot } = found;
        const root = link.base + grants.pathFor(trace.id, link.viaShare);
        const at = `${address.frame}/${address.snapshot}#${SCROLL_MARK}`;
        return {
          name: snapshot.name,
          phase: snapshot.phase,
          page: frame.page,
          frame: frame.frame,
          is_main_frame: frame.is_main_frame,
          url: snapshot.url,
          viewport: snapshot.viewport,
          html_url: `${root}/d/${at}`,
          inspect_url: `${root}/i/${at}`,
        };
      }),

    /** Markup of a recorded page, whose frames show pages of the same kind. @throws as `show` */
    page: (trace: TraceRow, address: SnapshotAddress, pages: PageKind = "d"): Promise<Uint8Array> =>
      whereItLies(deps, trace, async (now) => {
        const opened = await open(now);
        const name = `${opened.key}/page/${pages}/${address.frame}/${address.snapshot}`;
        return cached(name, () => render(opened, address, pages));
      }),

    /**
     * The elements of a recorded page, as far as they have a role or a text; null where it was not recorded.
     * @throws as `show`
     */
    elements: (trace: TraceRow, query: SnapshotQuery): Promise<SeenElement[] | null> =>
      whereItLies(deps, trace, async (now) => {
        if (!(await findArtifact(records, now.id, "snapshots"))) return null;
        const opened = await open(now);
        const address = opened.directory.find(query);
        return address && viewOfTree(await gather(opened, address), address.snapshot);
      }),

    /** A style sheet as it was at the moment of a recorded page. @throws as `show` */
    sheet: (trace: TraceRow, address: SnapshotAddress, urlNumber: number): Promise<Uint8Array> =>
      whereItLies(deps, trace, async (now) => {
        const opened = await open(now);
        const url = opened.directory.index.urls[urlNumber];
        if (url === undefined || !snapshotAt(opened.directory, address)) throw notFound("This style sheet");
        const name = `${opened.key}/sheet/${address.frame}/${address.snapshot}/${urlNumber}`;
        return cached(name, () => sheet(opened, address, url));
      }),

    /** A picture, font or the like that a recorded page shows. @throws as `show` */
    content: (
      trace: TraceRow,
      number: number,
    ): Promise<{ body: ReadableStream<Uint8Array>; content: Content }> =>
      whereItLies(deps, trace, async (now) => {
        const opened = await open(now);
        const content = contentAt(opened, number);
        return { body: await files.open(await locate(opened, content)), content };
      }),
  };
}
