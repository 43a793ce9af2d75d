import { basename, join, resolve } from "node:path";
import type { ViewerBundle } from "./viewer-assets.ts";

/** Bundles the viewer from its source, in memory. */
export async function buildViewer(): Promise<ViewerBundle> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", "viewer", "index.html")],
    target: "browser",
    minify: true,
    splitting: true,
  });
  const files = built.outputs.map((output) => ({
    name: basename(output.path),
    type: output.type,
    // A build artifact has no `bytes`, whatever its type says.
    bytes: async () => new Uint8Array(await output.arrayBuffer()),
    text: () => output.text(),
  }));
  const page = files.find(({ name }) => name === "index.html");
  if (!page) throw new Error("The viewer's build has no index.html.");
  return { html: await page.text(), files: files.filter((file) => file !== page) };
}

/** What `import page from "…/index.html"` is inside the executable. */
export interface PackagedPage {
  index: string;
  files: { path: string; loader: string; headers: Record<string, string> }[];
}

/** The viewer that the build put into the executable. */
export async function openPackagedViewer(page: PackagedPage): Promise<ViewerBundle> {
  return {
    html: await Bun.file(inside(page.index)).text(),
    files: page.files
      .filter(({ path }) => path !== page.index)
      .map(({ path, headers }) => ({
        name: basename(path),
        type: headers["content-type"] ?? "application/octet-stream",
        bytes: () => Bun.file(inside(path)).bytes(),
      })),
  };
}

/** Where a file of the executable is; its root is where the program's own modules are. */
function inside(path: string): string {
  return resolve(import.meta.dir, path);
}
