import { readdirSync } from "node:fs";
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
    // A build artifact has no `bytes`, whatever its type says.
    bytes: async () => new Uint8Array(await output.arrayBuffer()),
    text: () => output.text(),
  }));
  const page = files.find(({ name }) => name === "index.html");
  if (!page) throw new Error("The viewer's build has no index.html.");
  return { html: await page.text(), files: files.filter((file) => file !== page) };
}

/** The folder that the executable carries the built viewer in. */
export const PACKAGED_VIEWER = "viewer-dist";

/** Writes the built viewer into a folder, to travel in the executable. */
export async function writeViewer(folder: string): Promise<void> {
  const { html, files } = await buildViewer();
  await Bun.write(join(folder, "index.html"), html);
  for (const file of files) await Bun.write(join(folder, file.name), await file.bytes());
}

/** The viewer that `writeViewer` left in a folder. */
export async function openViewer(folder: string): Promise<ViewerBundle> {
  const names = readdirSync(folder).filter((name) => name !== "index.html");
  return {
    html: await Bun.file(join(folder, "index.html")).text(),
    files: names.map((name) => {
      const file = Bun.file(join(folder, name));
      return { name, type: file.type, bytes: () => file.bytes() };
    }),
  };
}
