import type { SnapshotLinks } from "../format/playwright/snapshot-attributes.ts";
import type { SnapshotAddress, SnapshotDirectory } from "../format/playwright/snapshot-directory.ts";
import { SCROLL_MARK } from "../format/playwright/snapshot-html.ts";

/**
 * Addresses for what a recorded page loads, relative to the page or style sheet that names it: `d/` pages, `c/` style
 * sheets as they were at a moment, `r/` everything else.
 * @param up from the page or style sheet to what all addresses have in common
 */
export function linksFor(directory: SnapshotDirectory, address: SnapshotAddress, up: string): SnapshotLinks {
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
      return found && `${up}d/${found.frame}/${found.snapshot}#${SCROLL_MARK}`;
    },
  };
}

/** The part of a picture that is meant, in sprites. */
function hashOf(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? "" : url.slice(hash);
}
