import type { ByteLocation, Files } from "../../../store/files/files.ts";
import { readDirectory, readSnapshot, type StoredDirectory } from "../files/snapshots.ts";
import type { PageFact } from "../format/diff/facts.ts";
import type { PageNode } from "../format/diff/page-nodes.ts";
import { nodesOfTree } from "../format/diff/tree-nodes.ts";
import { snapshotAt } from "../format/playwright/snapshot-directory.ts";
import { gatherTrees, type SnapshotTree, type SnapshotTrees } from "../format/playwright/snapshot-tree.ts";

/** Bytes of snapshot lines that are kept: pages are read in order, and refer to those before. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** The pages that a Playwright archive recorded. */
export interface PageSource {
  /** The telling elements of a page; null when the archive has none of that name. @throws BlobDamagedError */
  nodes(page: PageName): Promise<PageNode[] | null>;
  /** The window that a page was recorded in, in CSS pixels; null as `nodes`, and where that was not recorded. @throws BlobDamagedError */
  window(page: PageName): Promise<{ width: number; height: number } | null>;
  /** The recorded tree of a page, with the earlier ones that it refers to; null as `nodes`. @throws BlobDamagedError */
  trees(page: PageName): Promise<{ trees: SnapshotTrees; at: number } | null>;
  /** What was recorded of a page itself, without the earlier ones that it refers to: cheap. Null as `nodes`. @throws BlobDamagedError */
  own(page: PageName): Promise<SnapshotTree | null>;
}

/** What a recorded page goes by. */
export type PageName = Pick<PageFact, "snapshot" | "page" | "frame">;

export function createPageSource(files: Files, location: ByteLocation): PageSource {
  const kept = new Map<string, SnapshotTree>();
  let bytes = 0;
  let opened: StoredDirectory | null = null;

  async function treeOf(directory: StoredDirectory, frame: number, snapshot: number) {
    const key = `${frame}/${snapshot}`;
    const known = kept.get(key);
    if (known) return known;
    const found = snapshotAt(directory, { frame, snapshot });
    if (!found) return null;
    const read = await readSnapshot(files, location, directory, found.snapshot);
    if (bytes > KEPT_BYTES) {
      kept.clear();
      bytes = 0;
    }
    kept.set(key, read.tree);
    bytes += read.bytes;
    return read.tree;
  }

  async function placeOf({ snapshot: name, page, frame }: PageName) {
    if (name === null) return null;
    opened ??= (await readDirectory(files, location)).directory;
    const directory = opened;
    const address = directory.find({ name, page: page ?? undefined, frame: frame ?? undefined });
    return address && { directory, address };
  }

  async function trees(page: PageName) {
    const place = await placeOf(page);
    if (!place) return null;
    const { directory, address } = place;
    const found = await gatherTrees(address.snapshot, (at) => treeOf(directory, address.frame, at));
    return { trees: found, at: address.snapshot };
  }

  return {
    trees,
    async own(page) {
      const place = await placeOf(page);
      return place && treeOf(place.directory, place.address.frame, place.address.snapshot);
    },
    async window(page) {
      const place = await placeOf(page);
      return (place && snapshotAt(place.directory, place.address)?.snapshot.viewport) ?? null;
    },
    async nodes(page) {
      const found = await trees(page);
      return found && nodesOfTree(found.trees, found.at);
    },
  };
}
