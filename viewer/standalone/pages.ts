import type { PageIndex } from "../../server/trace/format/page-data.ts";
import {
  createDirectory,
  type SnapshotAddress,
  type SnapshotDirectory,
  snapshotAt,
} from "../../server/trace/format/playwright/snapshot-directory.ts";
import { SCROLL_MARK, snapshotOfLine } from "../../server/trace/format/playwright/snapshot-html.ts";
import { numberNodes } from "../../server/trace/format/playwright/snapshot-tree.ts";
import { renderWholePage } from "../../server/trace/format/playwright/snapshot-whole.ts";
import type { PageSnapshot } from "../api/answers.ts";
import { ApiError } from "../api/request.ts";
import { part, partText, wholeFile } from "./parts.ts";

/** Rendered pages that are kept at hand. */
const MOST_KEPT = 12;
const MOST_BLOCKS = 24;

/** The recorded pages of this file, put together here the way the server does it. */
export function createPages() {
  let directory: SnapshotDirectory | null = null;
  let index: PageIndex | null = null;
  const blocks = new Map<number, Uint8Array | null>();
  const rendered = new Map<string, Promise<string>>();

  async function open(): Promise<SnapshotDirectory> {
    await wholeFile();
    if (directory) return directory;
    const text = partText("pages");
    if (text === null) throw new ApiError(404, "not_found", "No pages were recorded.");
    index = JSON.parse(text) as PageIndex;
    directory = createDirectory({ version: 1, ...index, contents: [] });
    return directory;
  }

  function block(number: number): Uint8Array | null {
    const known = blocks.get(number);
    if (known !== undefined) return known;
    const bytes = part(`block-${number}`)?.bytes ?? null;
    blocks.set(number, bytes);
    forgetOldest(blocks, MOST_BLOCKS);
    return bytes;
  }

  async function render(from: SnapshotDirectory, address: SnapshotAddress): Promise<string> {
    const html = await renderWholePage(
      {
        directory: from,
        async snapshot(at) {
          const place = snapshotAt(from, at)?.snapshot;
          const bytes = place && block(place.block);
          if (!bytes) return null;
          const line = new TextDecoder().decode(bytes.subarray(place.at, place.at + place.length));
          const { html: root, doctype } = snapshotOfLine(line);
          return { tree: numberNodes(root), doctype };
        },
        async content(number) {
          const content = index?.contents[number];
          const found = content && part(content.part);
          return found ? { bytes: found.bytes, type: content.type } : null;
        },
      },
      address,
    );
    if (html === null)
      throw new ApiError(404, "not_found", "This recorded page was left out to keep the file small.");
    return URL.createObjectURL(new Blob([html], { type: "text/html;charset=utf-8" }));
  }

  return async (name: string, page: string): Promise<PageSnapshot> => {
    const from = await open();
    const address = from.find({ name, page });
    const found = address && snapshotAt(from, address);
    if (!found) throw new ApiError(404, "not_found", "A recorded page of this name does not exist.");
    const key = `${address.frame}/${address.snapshot}`;
    const url = rendered.get(key) ?? render(from, address);
    rendered.set(key, url);
    url.catch(() => rendered.delete(key));
    for (const old of forgetOldest(rendered, MOST_KEPT)) void old.then(URL.revokeObjectURL, () => {});
    const { snapshot } = found;
    return {
      name: snapshot.name,
      phase: snapshot.phase,
      url: snapshot.url,
      viewport: snapshot.viewport,
      html_url: `${await url}#${SCROLL_MARK}`,
      inspect_url: null,
    };
  };
}

function forgetOldest<Key, Value>(map: Map<Key, Value>, most: number): Value[] {
  const gone: Value[] = [];
  for (const [key, value] of map) {
    if (map.size <= most) break;
    map.delete(key);
    gone.push(value);
  }
  return gone;
}
