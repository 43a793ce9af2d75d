import { basename, join } from "node:path";
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
    bytes: () => output.bytes(),
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

/** Paths in the executable are given relative to its root. */
function inside(path: string): string {
  return join(import.meta.dir, path);
}
