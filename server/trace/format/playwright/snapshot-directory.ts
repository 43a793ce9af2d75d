import {
  type IndexedFrame,
  type IndexedSnapshot,
  type SnapshotIndex,
  withoutHash,
} from "./snapshot-index.ts";

/** A snapshot by its numbers: of its frame, and among that frame's. */
export interface SnapshotAddress {
  frame: number;
  snapshot: number;
}

/** What is asked for; with neither page nor frame it is the main frame of the first page that has the name. */
export interface SnapshotQuery {
  name: string;
  page?: string | undefined;
  frame?: string | undefined;
}

/** The index of a snapshot file with what is looked up in it. */
export interface SnapshotDirectory<Index extends SnapshotIndex = SnapshotIndex> {
  index: Index;
  find(query: SnapshotQuery): SnapshotAddress | null;
  /** Number of the content that a page would have been given for a URL at that moment. */
  contentFor(address: SnapshotAddress, url: string): number | null;
  urlNumber(url: string): number | null;
}

/** Makes an index searchable. */
export function createDirectory<Index extends SnapshotIndex>(index: Index): SnapshotDirectory<Index> {
  const byName = new Map<string, SnapshotAddress[]>();
  for (const [frame, { snapshots }] of index.frames.entries())
    for (const [snapshot, { name }] of snapshots.entries()) {
      const found = byName.get(name);
      if (found) found.push({ frame, snapshot });
      else byName.set(name, [{ frame, snapshot }]);
    }
  const urls = new Map(index.urls.map((url, number) => [url, number]));
  const responses = new Map<number, { frame: string; time: number; content: number }[]>();
  for (const [url, frame, time, content] of index.responses) {
    const found = responses.get(url);
    if (found) found.push({ frame, time, content });
    else responses.set(url, [{ frame, time, content }]);
  }
  for (const list of responses.values()) list.sort((a, b) => a.time - b.time);

  return {
    index,
    urlNumber: (url) => urls.get(withoutHash(url)) ?? null,
    find({ name, page, frame }) {
      const candidates = (byName.get(name) ?? []).filter(({ frame: at }) => {
        const known = index.frames[at]!;
        return (!page || known.page === page) && (!frame || known.frame === frame);
      });
      const main = candidates.find(({ frame: at }) => index.frames[at]!.is_main_frame);
      return main ?? candidates[0] ?? null;
    },
    contentFor(address, url) {
      const number = urls.get(withoutHash(url));
      if (number === undefined) return null;
      const { frame, snapshots } = index.frames[address.frame]!;
      const { time, overrides } = snapshots[address.snapshot]!;
      const override = overrides.find(([known]) => known === number);
      if (override) return override[1];
      const before = (responses.get(number) ?? []).filter((response) => response.time <= time);
      const own = before.findLast((response) => response.frame === frame);
      return (own ?? before.at(-1))?.content ?? null;
    },
  };
}

/** A snapshot as its numbers name it; null when there is none. */
export function snapshotAt(
  { index }: SnapshotDirectory,
  { frame, snapshot }: SnapshotAddress,
): { frame: IndexedFrame; snapshot: IndexedSnapshot } | null {
  const found = index.frames[frame];
  const one = found?.snapshots[snapshot];
  return found && one ? { frame: found, snapshot: one } : null;
}
