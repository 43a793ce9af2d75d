import { join } from "node:path";
import type { BunPlugin } from "bun";
import { builtFolder } from "../../platform/packaged.ts";
import { NEVER_SHOWN } from "../addresses.ts";

/** The folder that the executable carries the scripts in. */
export const PACKAGED_RECORDER = "page-recorder-dist";
const FILES = {
  recorder: "page-recorder.js",
  announcer: "change-announcer.js",
  cover: "page-cover.js",
} as const;

/** What runs in the pages of a run, as JavaScript. */
export interface PageScripts {
  /** Of `page-recorder.ts`. */
  recorder: string;
  /** Of `change-announcer.ts`. */
  announcer: string;
  /** Of `page-cover.ts`. */
  cover: string;
}

const SCRIPTS = Object.keys(FILES) as (keyof PageScripts)[];

/**
 * rrweb looks for methods of elements among their accessors, finds none, takes the page's `Element` for tampered with, and
 * makes two frames in every page to get at another one. Each costs the page and the browser as much as a small page does.
 */
const MISTAKEN = /(Element: \[\s*"shadowRoot"),\s*"querySelector",\s*"querySelectorAll"(\s*\])/g;

/**
 * What rrweb reads style sheets with when it plays a recording: two copies of it, more than half of the script, and set up in every
 * page. Its parts fall out of the bundle when nothing sets it up.
 */
const OF_PLAYER =
  /var import_postcss(?:\$1)? = [\s\S]*?\n(?:(?:var postcss_default = )?import_postcss(?:\$1)?\.default[.\w]*;\n)+/g;

const rrwebToRecord: BunPlugin = {
  name: "rrweb to record",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]rrweb[\\/]dist[\\/]rrweb\.js$/ }, async ({ path }) => {
      let contents = await Bun.file(path).text();
      for (const [place, instead] of [
        [MISTAKEN, "$1$2"],
        [OF_PLAYER, ""],
      ] as const) {
        const text = contents;
        contents = text.replace(place, instead);
        if (contents === text) throw new Error(`rrweb has changed: ${place} was not found.`);
      }
      return { contents, loader: "js" };
    });
  },
};

/**
 * Frames are recorded through the page that they are in: they do not even load what records. Nor does what no scenario may
 * open: this machine's files and the browser's own pages.
 */
const OUTERMOST = `if (window.top === window && !/^${NEVER_SHOWN}/.test(location.protocol))`;

/** Bundles the script that records the DOM within pages. */
export const buildPageRecorder = (): Promise<string> =>
  bundle("page-recorder.ts", { banner: OUTERMOST, plugins: [rrwebToRecord] });

/** Bundles the script that covers within pages, and within their frames, what nobody is to read. */
export const buildPageCover = (): Promise<string> => bundle("page-cover.ts", {});

async function buildPageScripts(): Promise<PageScripts> {
  const [recorder, announcer, cover] = await Promise.all([
    buildPageRecorder(),
    bundle("change-announcer.ts", { banner: OUTERMOST }),
    buildPageCover(),
  ]);
  return { recorder, announcer, cover };
}

async function bundle(file: string, options: { banner?: string; plugins?: BunPlugin[] }): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, file)],
    target: "browser",
    format: "iife",
    minify: true,
    ...options,
  });
  const script = built.outputs[0];
  if (!script) throw new Error(`The build of ${file} gave no script.`);
  return script.text();
}

/** Writes them into a folder, to travel in the executable. */
export async function writePageScripts(folder: string): Promise<void> {
  const scripts = await buildPageScripts();
  for (const name of SCRIPTS) await Bun.write(join(folder, FILES[name]), scripts[name]);
}

let loading: Promise<PageScripts> | null = null;

/** The scripts, as they were built or made from their source. */
export function loadPageScripts(): Promise<PageScripts> {
  const folder = builtFolder(PACKAGED_RECORDER);
  loading ??= folder === null ? buildPageScripts() : readPageScripts(folder);
  // What failed is tried again by the next run.
  loading.catch(() => (loading = null));
  return loading;
}

async function readPageScripts(folder: string): Promise<PageScripts> {
  const read = (name: keyof PageScripts) => Bun.file(join(folder, FILES[name])).text();
  const [recorder, announcer, cover] = await Promise.all([
    read("recorder"),
    read("announcer"),
    read("cover"),
  ]);
  return { recorder, announcer, cover };
}
