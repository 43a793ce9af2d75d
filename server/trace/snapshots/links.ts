import type { SnapshotLinks } from "../format/playwright/snapshot-attributes.ts";
import type { SnapshotAddress, SnapshotDirectory } from "../format/playwright/snapshot-directory.ts";
import { SCROLL_MARK } from "../format/playwright/snapshot-html.ts";

/** Inert, or with the inspector. */
export type PageKind = "d" | "i";

/**
 * Addresses for what a recorded page loads, relative to the page or style sheet that names it: `d/` pages, `i/` pages in
 * which the inspector runs, `c/` style sheets as they were at a moment, `r/` everything else.
 * @param up from the page or style sheet to what all addresses have in common
 * @param pages what the frames of a page show
 */
export function linksFor(
  directory: SnapshotDirectory,
  address: SnapshotAddress,
  up: string,
  pages: PageKind = "d",
): SnapshotLinks {
  const { name } = directory.index.frames[address.frame]!.snapshots[address.snapshot]!;
  return {
    resource(url) {
      const content = directory.contentFor(address, url);
      return content === null ? null : `${up}r/${content}${hashOf(url)}`;
    },
    sheet(url) {
      if (directory.contentFor(address, url) === null) return null;
      return `${up}c/${address.frame}/${address.snapshot}/${directory.urlNumber(url)}`;
    },
    frame(frame) {
      const found = directory.find({ name, frame });
      return found && `${up}${pages}/${found.frame}/${found.snapshot}#${SCROLL_MARK}`;
    },
  };
}

/** The part of a picture that is meant, in sprites. */
function hashOf(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? "" : url.slice(hash);
}
