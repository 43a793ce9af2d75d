import { join } from "node:path";
import type { BunPlugin } from "bun";
import { packagedFolder } from "../platform/packaged.ts";

/** The folder that the executable carries the script in. */
export const PACKAGED_RECORDER = "page-recorder-dist";
const FILE = "page-recorder.js";
const COVER_FILE = "page-cover.js";

/**
 * rrweb looks for methods of elements among their accessors, finds none, takes the page's `Element` for tampered with, and
 * makes two frames in every page to get at another one. Each costs the page and the browser as much as a small page does.
 */
const MISTAKEN = /(Element: \[\s*"shadowRoot"),\s*"querySelector",\s*"querySelectorAll"(\s*\])/g;

/**
 * What rrweb reads style sheets with when it replays: two copies of it, more than half of the script, and set up in every
 * page. Its parts fall out of the bundle when nothing sets it up.
 */
const OF_REPLAY =
  /var import_postcss(?:\$1)? = [\s\S]*?\n(?:(?:var postcss_default = )?import_postcss(?:\$1)?\.default[.\w]*;\n)+/g;

const rrwebToRecord: BunPlugin = {
  name: "rrweb to record",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]rrweb[\\/]dist[\\/]rrweb\.js$/ }, async ({ path }) => {
      let contents = await Bun.file(path).text();
      for (const [place, instead] of [
        [MISTAKEN, "$1$2"],
        [OF_REPLAY, ""],
      ] as const) {
        const text = contents;
        contents = text.replace(place, instead);
        if (contents === text) throw new Error(`rrweb has changed: ${place} was not found.`);
      }
      return { contents, loader: "js" };
    });
  },
};

/** Bundles the script that records the DOM within pages. */
export async function buildPageRecorder(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "capture", "page-recorder.ts")],
    target: "browser",
    format: "iife",
    minify: true,
    // Frames are recorded through the page that they are in: they do not even load it.
    banner: "if (window.top === window)",
    plugins: [rrwebToRecord],
  });
  const script = built.outputs[0];
  if (!script) throw new Error("The page recorder's build gave no script.");
  return script.text();
}

/** Bundles the script that covers within pages what nobody is to read. */
export async function buildPageCover(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "capture", "page-cover.ts")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  const script = built.outputs[0];
  if (!script) throw new Error("The page cover's build gave no script.");
  return script.text();
}

/** Writes both into a folder, to travel in the executable. */
export async function writePageRecorder(folder: string): Promise<void> {
  await Bun.write(join(folder, FILE), await buildPageRecorder());
  await Bun.write(join(folder, COVER_FILE), await buildPageCover());
}

let covering: Promise<string> | null = null;

/** The script that covers, from the executable or made from its source. */
export function loadPageCover(): Promise<string> {
  covering ??= Bun.isStandaloneExecutable
    ? Bun.file(join(packagedFolder(PACKAGED_RECORDER), COVER_FILE)).text()
    : buildPageCover();
  // What failed is tried again by the next run.
  covering.catch(() => (covering = null));
  return covering;
}

let loading: Promise<string> | null = null;

/** The script, from the executable or made from its source. */
export function loadPageRecorder(): Promise<string> {
  loading ??= Bun.isStandaloneExecutable
    ? Bun.file(join(packagedFolder(PACKAGED_RECORDER), FILE)).text()
    : buildPageRecorder();
  // What failed is tried again by the next run.
  loading.catch(() => (loading = null));
  return loading;
}
