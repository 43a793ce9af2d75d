import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { builtFolder } from "../platform/packaged.ts";
import { buildPageCover, buildPageRecorder } from "./page-scripts/build.ts";

/** The folder that the executable carries the files in. */
export const PACKAGED_PLAYWRIGHT = "playwright-dist";

/** What a person's Playwright project gets. CommonJS, since every config and every test, of either kind, can load it. */
export const PLAYWRIGHT_FILES = [
  "tracedeck-reporter.cjs",
  "tracedeck-fixture.cjs",
  "tracedeck-fixture.d.cts",
] as const;

const ENTRIES = [
  { file: PLAYWRIGHT_FILES[0], entry: "entry-reporter.ts", footer: "module.exports = TracedeckReporter;" },
  // Node finds the names that a CommonJS module exports by reading it: this line is for that.
  {
    file: PLAYWRIGHT_FILES[1],
    entry: "entry-fixture.ts",
    footer: "0 && (module.exports = { withTracedeck });",
  },
] as const;

const HEAD =
  "// Written by `tracedeck playwright init`: run it again after an update. No dependencies, Node 20 or newer.";

/** Bundles the reporter and the fixture, each into one file, from the same sources as the program's own capture. */
export async function buildPlaywrightFiles(): Promise<Record<string, string>> {
  const folder = join(import.meta.dir, "playwright");
  const pageRecorder = await buildPageRecorder();
  const pageCover = await buildPageCover();
  const files: Record<string, string> = {};
  for (const { file, entry, footer } of ENTRIES) {
    const built = await Bun.build({
      entrypoints: [join(folder, entry)],
      target: "node",
      format: "cjs",
      banner: HEAD,
      footer,
      define: {
        __TRACEDECK_PAGE_RECORDER__: JSON.stringify(pageRecorder),
        __TRACEDECK_PAGE_COVER__: JSON.stringify(pageCover),
      },
    });
    const output = built.outputs[0];
    if (!output) throw new Error(`The build of ${file} gave nothing.`);
    files[file] = await output.text();
  }
  files[PLAYWRIGHT_FILES[2]] = await Bun.file(join(folder, "fixture.d.cts.txt")).text();
  return files;
}

/** Writes them into a folder, to travel in the executable. */
export async function writePlaywrightFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = await buildPlaywrightFiles();
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
}

/** The files, as they were built or made from their sources. */
export async function loadPlaywrightFiles(): Promise<Record<string, string>> {
  const folder = builtFolder(PACKAGED_PLAYWRIGHT);
  if (folder === null) return buildPlaywrightFiles();
  const texts = PLAYWRIGHT_FILES.map(async (name) => [name, await Bun.file(join(folder, name)).text()]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}
