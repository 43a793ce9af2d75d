import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { NOT_FOUND_MODULE, PAGES, pageRows } from "../viewer/page-table.ts";
import type { ViewerParts } from "./http/standalone-viewer.ts";
import { BOOT_FILE, INSPECTOR_FILE, type ViewerBundle } from "./viewer-assets.ts";

/** Bundles the viewer from its source, in memory. */
export async function buildViewer(): Promise<ViewerBundle> {
  const [built, ...others] = await Promise.all([buildPage(), buildInspector(), buildPlayer(), buildBoot()]);
  const files = [built, ...others]
    .flatMap(({ outputs }) => outputs)
    .map((output) => ({
      name: basename(output.path),
      type: output.type,
      // A build artifact has no `bytes`, whatever its type says.
      bytes: async () => new Uint8Array(await output.arrayBuffer()),
      text: () => output.text(),
    }));
  const page = files.find(({ name }) => name === "index.html");
  if (!page) throw new Error("The viewer's build has no index.html.");
  const pageScripts = Object.fromEntries(
    PAGE_MODULES.map((module) => [
      module,
      scriptsOf(built.metafile?.outputs ?? {}, module).map((path) => basename(path)),
    ]),
  );
  return { html: await page.text(), files: files.filter((file) => file !== page), pageScripts };
}

const VIEWER = join(import.meta.dir, "..", "viewer");
const TRACE_MODULE = PAGES.trace.module;
/** Bytes: what is larger is worth a request of its own. */
const SMALL_SCRIPT = 6_000;

/**
 * Bundles the page twice. Whatever the same parts of it have in common comes to lie in one script; of the trace page those were some thirty
 * of a few kB, of which a browser fetches six at a time. The second time each part names all of these, and they are one script.
 */
async function buildPage() {
  const { metafile } = await bundlePage();
  const outputs = metafile?.outputs ?? {};
  const parts = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const small = scriptsOf(outputs, TRACE_MODULE).filter((path) => (outputs[path]?.bytes ?? 0) < SMALL_SCRIPT);
  const modules = small.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  return bundlePage([
    naming(
      modules.map((path) => resolve(path)),
      new Set(parts.map((path) => resolve(path))),
    ),
  ]);
}

const bundlePage = (plugins: BunPlugin[] = []) =>
  Bun.build({
    entrypoints: [join(VIEWER, "index.html")],
    target: "browser",
    minify: true,
    splitting: true,
    metafile: true,
    plugins,
  });

/** Has each of these parts import the modules, whether it needs them or not. */
const naming = (modules: readonly string[], parts: ReadonlySet<string>): BunPlugin => ({
  name: "modules that parts of the page share",
  setup(build) {
    const imports = modules.map((path) => `import ${JSON.stringify(path)};`).join("");
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const loader = path.endsWith("x") ? "tsx" : "ts";
      return { contents: parts.has(path) ? `${imports}${source}` : source, loader };
    });
  },
});

/** One file that needs no other: its place in a page's policy is a single address. */
function buildInspector() {
  return Bun.build({
    entrypoints: [join(VIEWER, "trace", "stage", "inspect", "frame", "main.ts")],
    target: "browser",
    format: "iife",
    minify: true,
    naming: INSPECTOR_FILE,
  });
}

/** A script of its own too: the document that it runs in has no origin, and modules are not loaded into such a one. */
function buildPlayer() {
  return Bun.build({
    entrypoints: [join(VIEWER, "player", "player.ts")],
    target: "browser",
    format: "iife",
    minify: true,
    naming: "[name]-[hash].[ext]",
  });
}

/** Stands within a page, so nothing in it may end the element that it stands in. */
async function buildBoot() {
  const built = await Bun.build({
    entrypoints: [join(VIEWER, "first-screen", "boot.ts")],
    target: "browser",
    format: "iife",
    minify: true,
    naming: BOOT_FILE,
  });
  if (/<\/?script|<!--/i.test(await built.outputs[0]!.text()))
    throw new Error("The script of the first screen cannot stand within a page.");
  return built;
}

/** The modules that the page loads one of, by its address. */
const PAGE_MODULES = [
  ...new Set([...pageRows.flatMap(([, { module }]) => (module ? [module] : [])), NOT_FOUND_MODULE]),
];

type Outputs = NonNullable<Awaited<ReturnType<typeof Bun.build>>["metafile"]>["outputs"];

/** The files that a module came to lie in, with all that these import at once; without what the page loads anyway. */
function scriptsOf(outputs: Outputs, module: string): string[] {
  // Named from the folder that the build was started in, wherever that is.
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith(module));
  if (!entry) throw new Error(`The viewer's build has no script for ${module}.`);
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === "import-statement" && outputs[imported]?.entryPoint === undefined) found.add(imported);
  }
  return [...found];
}

/** The folder that the executable carries the built viewer in. */
export const PACKAGED_VIEWER = "viewer-dist";
const PAGE_SCRIPTS = "page-scripts.json";

/** Writes the built viewer into a folder, to travel in the executable. */
export async function writeViewer(folder: string): Promise<void> {
  const { html, files, pageScripts } = await buildViewer();
  await Bun.write(join(folder, "index.html"), html);
  await Bun.write(join(folder, PAGE_SCRIPTS), JSON.stringify(pageScripts));
  for (const file of files) await Bun.write(join(folder, file.name), await file.bytes());
}

/** The viewer that `writeViewer` left in a folder. */
export async function openViewer(folder: string): Promise<ViewerBundle> {
  const names = readdirSync(folder).filter((name) => name !== "index.html" && name !== PAGE_SCRIPTS);
  return {
    html: await Bun.file(join(folder, "index.html")).text(),
    pageScripts: await Bun.file(join(folder, PAGE_SCRIPTS)).json(),
    files: names.map((name) => {
      const file = Bun.file(join(folder, name));
      return { name, type: file.type, bytes: () => file.bytes() };
    }),
  };
}

/** The folder that the executable carries the trace page for exported files in. */
export const PACKAGED_STANDALONE = "viewer-standalone";
const SCRIPT = "standalone.js";
const STYLE = "standalone.css";
const PLAYER = "standalone-player.js";

/**
 * Bundles the trace page into one script and one style sheet, and what plays DOM recordings into another script.
 * @throws Error when a script could not stand within a page
 */
export async function buildStandalone(): Promise<ViewerParts> {
  const viewer = join(import.meta.dir, "..", "viewer");
  const built = await Bun.build({
    entrypoints: [join(viewer, "standalone", "main.tsx")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  const styled = await Bun.build({ entrypoints: [join(viewer, "styles", "index.css")], minify: true });
  const script = inline(await built.outputs[0]!.text());
  const player = inline(await (await buildPlayer()).outputs[0]!.text());
  const style = await styled.outputs[0]!.text();
  if (/<\/style/i.test(style)) throw new Error("The viewer's style sheet holds the end of a style element.");
  return { script, style, player };
}

/** The script with nothing in it that a parser of HTML takes for the end of it, or for the beginning of another. */
function inline(script: string): string {
  const safe = script.trim().replaceAll(/<(?=\/script|script|!--)/gi, "\\x3C");
  new Bun.Transpiler({ loader: "js" }).scanImports(safe);
  return safe;
}

export async function writeStandalone(folder: string): Promise<void> {
  const { script, style, player } = await buildStandalone();
  await Bun.write(join(folder, SCRIPT), script);
  await Bun.write(join(folder, STYLE), style);
  await Bun.write(join(folder, PLAYER), player);
}

export async function openStandalone(folder: string): Promise<ViewerParts> {
  return {
    script: await Bun.file(join(folder, SCRIPT)).text(),
    style: await Bun.file(join(folder, STYLE)).text(),
    player: await Bun.file(join(folder, PLAYER)).text(),
  };
}
