import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BunPlugin } from "bun";

const root = join(import.meta.dir, "..", "..");
const CHILDREN = new Bun.Glob("test/**/{*-child,*racer,gate-second}.ts");

/** What lies beside a source is looked for there, wherever the bundle lies. */
const asWhereTheyLie: BunPlugin = {
  name: "sources know their place",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:server|store|fixtures|test)\/.*\.tsx?$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text())
        .replaceAll("import.meta.dir", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};

/** Bundles every process that tests start into a folder, each at its path below the top of the sources. */
export async function buildChildren(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: [...CHILDREN.scanSync({ cwd: root, absolute: true })],
    root,
    outdir: folder,
    target: "bun",
    splitting: true,
    minify: { whitespace: true, syntax: true },
    plugins: [asWhereTheyLie],
  });
}
