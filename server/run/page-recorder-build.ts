import { join } from "node:path";
import { packagedFolder } from "../platform/packaged.ts";

/** The folder that the executable carries the script in. */
export const PACKAGED_RECORDER = "page-recorder-dist";
const FILE = "page-recorder.js";

/** Bundles the script that records the DOM within pages. */
export async function buildPageRecorder(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "capture", "page-recorder.ts")],
    target: "browser",
    format: "iife",
    minify: true,
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
