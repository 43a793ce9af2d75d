import { join } from "node:path";
import type { BunPlugin } from "bun";
import { packagedFolder } from "../platform/packaged.ts";

/** The folder that the executable carries the script in. */
export const PACKAGED_RECORDER = "page-recorder-dist";
const FILE = "page-recorder.js";

/**
 * rrweb looks for methods of elements among their accessors, finds none, takes the page's `Element` for tampered with, and
 * makes two frames in every page to get at another one. Each costs the page and the browser as much as a small page does.
 */
const MISTAKEN = /(Element: \[\s*"shadowRoot"),\s*"querySelector",\s*"querySelectorAll"(\s*\])/g;
const rrwebWithoutFrames: BunPlugin = {
  name: "rrweb without frames",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]rrweb[\\/]dist[\\/]rrweb\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text.replace(MISTAKEN, "$1$2");
      if (contents === text)
        throw new Error("rrweb has changed: what it takes for an accessor was not found.");
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
    plugins: [rrwebWithoutFrames],
  });
  const script = built.outputs[0];
  if (!script) throw new Error("The page recorder's build gave no script.");
  return script.text();
}

/** Writes it into a folder, to travel in the executable. */
export async function writePageRecorder(folder: string): Promise<void> {
  await Bun.write(join(folder, FILE), await buildPageRecorder());
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
