import { rewriteCss, sheetText } from "./snapshot-css.ts";
import { type SnapshotAddress, type SnapshotDirectory, snapshotAt } from "./snapshot-directory.ts";
import { renderSnapshot, SCROLL_MARK } from "./snapshot-html.ts";
import { gatherTrees, type SnapshotTree } from "./snapshot-tree.ts";

/** Where a whole page takes its parts from. What is null is left out of the page. */
export interface PageParts {
  directory: SnapshotDirectory;
  snapshot(address: SnapshotAddress): Promise<{ tree: SnapshotTree; doctype: string | null } | null>;
  content(number: number): Promise<{ bytes: Uint8Array; type: string | null } | null>;
}

/** Frames within frames, and style sheets that import others. */
const DEEPEST = 4;
/** Bytes of what a page shows, before they are written into it. */
const MOST_BYTES = 48 * 1024 * 1024;
const LARGEST_SHEET = 4 * 1024 * 1024;

interface Loaded {
  resources: Map<number, string>;
  sheets: Map<string, string>;
  frames: Map<string, string>;
}

/**
 * A recorded page as one document that needs nothing else: its pictures, fonts, style sheets and frames are written into
 * it as `data:` addresses.
 * @returns null when the page, or the snapshot it begins with, is not there
 */
export async function renderWholePage(parts: PageParts, address: SnapshotAddress): Promise<string | null> {
  const { directory } = parts;
  let left = MOST_BYTES;
  const known = new Map<number, Promise<string | null>>();

  async function dataOf(number: number): Promise<string | null> {
    const content = await parts.content(number);
    if (!content || content.bytes.length > left) return null;
    left -= content.bytes.length;
    return dataUrl(content.bytes, content.type);
  }

  function resource(number: number): Promise<string | null> {
    const found = known.get(number) ?? dataOf(number);
    known.set(number, found);
    return found;
  }

  async function sheet(at: SnapshotAddress, url: string, depth: number): Promise<string | null> {
    const number = directory.contentFor(at, url);
    const content = number === null ? null : await parts.content(number);
    if (!content || content.bytes.length > LARGEST_SHEET || content.bytes.length > left) return null;
    left -= content.bytes.length;
    const text = sheetText(content.bytes, content.type);
    const css = await filled(at, depth, (links) => rewriteCss(text, url, links));
    return dataUrl(new TextEncoder().encode(css), "text/css");
  }

  /** Writes twice: the first time to learn what is needed, the second time with all of it at hand. */
  async function filled(
    at: SnapshotAddress,
    depth: number,
    write: (links: ReturnType<typeof linksOf>) => string,
  ): Promise<string> {
    const wanted = { resources: new Set<number>(), sheets: new Set<string>(), frames: new Set<string>() };
    write({
      resource(url) {
        const number = directory.contentFor(at, url);
        if (number !== null) wanted.resources.add(number);
        return null;
      },
      sheet(url) {
        wanted.sheets.add(url);
        return null;
      },
      frame(id) {
        wanted.frames.add(id);
        return null;
      },
    });
    const loaded: Loaded = { resources: new Map(), sheets: new Map(), frames: new Map() };
    for (const number of wanted.resources) keep(loaded.resources, number, await resource(number));
    if (depth < DEEPEST) {
      for (const url of wanted.sheets) keep(loaded.sheets, url, await sheet(at, url, depth + 1));
      for (const id of wanted.frames) keep(loaded.frames, id, await frame(at, id, depth + 1));
    }
    return write(linksOf(directory, at, loaded));
  }

  async function frame(at: SnapshotAddress, id: string, depth: number): Promise<string | null> {
    const name = snapshotAt(directory, at)?.snapshot.name;
    const found = name === undefined ? null : directory.find({ name, frame: id });
    const html = found && (await page(found, depth));
    return html
      ? `${dataUrl(new TextEncoder().encode(html), "text/html;charset=utf-8")}#${SCROLL_MARK}`
      : null;
  }

  async function page(at: SnapshotAddress, depth: number): Promise<string | null> {
    const found = snapshotAt(directory, at);
    const own = found && (await parts.snapshot(at));
    if (!found || !own) return null;
    const trees = await gatherTrees(at.snapshot, async (snapshot) =>
      snapshot === at.snapshot ? own.tree : ((await parts.snapshot({ ...at, snapshot }))?.tree ?? null),
    );
    const { name, url } = found.snapshot;
    return filled(at, depth, (links) =>
      renderSnapshot({
        trees,
        at: at.snapshot,
        // Recorders marked targets by the snapshot's name or by the call's id.
        names: [name, name.slice(name.indexOf("@") + 1)],
        url,
        doctype: own.doctype,
        links,
      }),
    );
  }

  return page(address, 0);
}

function linksOf(directory: SnapshotDirectory, at: SnapshotAddress, { resources, sheets, frames }: Loaded) {
  return {
    resource(url: string): string | null {
      const number = directory.contentFor(at, url);
      const found = number === null ? undefined : resources.get(number);
      if (found === undefined) return null;
      // The part of a picture that is meant, in sprites.
      const hash = url.indexOf("#");
      return hash < 0 ? found : found + url.slice(hash);
    },
    sheet: (url: string): string | null => sheets.get(url) ?? null,
    frame: (id: string): string | null => frames.get(id) ?? null,
  };
}

function keep<Key>(map: Map<Key, string>, key: Key, value: string | null): void {
  if (value !== null) map.set(key, value);
}

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:;charset=[\w-]{1,20})?/;
/** A call takes only so many arguments. */
const AT_ONCE = 0x8000;

function dataUrl(bytes: Uint8Array, type: string | null): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  const named = MEDIA_TYPE.exec(type ?? "")?.[0] ?? "application/octet-stream";
  return `data:${named};base64,${btoa(text)}`;
}
