/**
 * Compiles the one executable: `dist/tracedeck` for this machine, `dist/tracedeck-<target>` for those named.
 * `bun run build [--target linux-x64]… [--all] [--out FILE]`
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGED_DOCS, writeDocs } from "../server/docs/sources.ts";
import { PACKAGED_NOTICES, writeNotices } from "../server/notices/packaged.ts";
import { PACKAGED_RECORDER, writePageScripts } from "../server/run/page-scripts/build.ts";
import { PACKAGED_PLAYWRIGHT, writePlaywrightFiles } from "../server/run/playwright-build.ts";
import {
  PACKAGED_STANDALONE,
  PACKAGED_VIEWER,
  writeStandalone,
  writeViewer,
} from "../server/viewer-build.ts";

const TARGETS = ["linux-x64", "linux-arm64", "darwin-arm64", "windows-x64"] as const;
type Target = (typeof TARGETS)[number];

const root = join(import.meta.dir, "..");

/** Travels inside; `packagedFolder` finds such folders there by their last name. */
const PLAYWRIGHT_VIEWER = join(root, "node_modules/playwright-core/lib/vite/traceViewer");

/** What is bundled for pages and for people's projects, each in a folder of its own. */
const PARTS: [name: string, write: (folder: string) => Promise<void>][] = [
  [PACKAGED_VIEWER, writeViewer],
  [PACKAGED_STANDALONE, writeStandalone],
  [PACKAGED_RECORDER, writePageScripts],
  [PACKAGED_PLAYWRIGHT, writePlaywrightFiles],
];

async function report(outfile: string, target?: Target) {
  const started = performance.now();
  await buildExecutable({ outfile, target });
  const mib = Bun.file(outfile).size / 2 ** 20;
  console.log(`${outfile} · ${mib.toFixed(1)} MiB · ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Bundles them into a folder. */
export async function buildParts(folder: string): Promise<void> {
  for (const [name, write] of PARTS) await write(join(folder, name));
}

/**
 * Bundles `cli.ts`, the worker, the viewer and the packaged folders with the runtime into one file. A running
 * executable of the same name is replaced, not written into.
 * @throws AggregateError with the bundler's messages.
 */
export async function buildExecutable(options: {
  outfile: string;
  target?: Target;
  /** What `buildParts` made of the same sources; without it, it is made here. */
  parts?: string;
}): Promise<void> {
  const { outfile, target } = options;
  mkdirSync(dirname(outfile), { recursive: true });
  // Beside the place it is for: the bundler leaves source maps there, and the finished file is only renamed.
  const scratch = mkdtempSync(join(dirname(outfile), ".build-"));
  try {
    const parts = options.parts ?? join(scratch, "parts");
    if (!options.parts) await buildParts(parts);
    const docs = join(scratch, PACKAGED_DOCS);
    writeDocs(docs);
    const notices = join(scratch, PACKAGED_NOTICES);
    await writeNotices(notices);
    await Bun.build({
      entrypoints: [join(root, "cli.ts"), join(root, "server", "worker.ts")],
      root,
      // Side by side, so that `new URL("./worker.ts", import.meta.url)` means the same inside and in a source run.
      naming: { entry: "[name].[ext]" },
      format: "esm",
      minify: true,
      // What a command does not need is not even loaded; see `listenEarly`.
      splitting: true,
      sourcemap: "inline",
      bytecode: true,
      define: { "process.env.NODE_ENV": '"production"' },
      compile: {
        outfile: join(scratch, basename(outfile)),
        ...(target ? { target: `bun-${target}` as const } : {}),
        // Else the program would run what lies in the folder it happens to be started in.
        autoloadDotenv: false,
        autoloadBunfig: false,
        assets: [...PARTS.map(([name]) => join(parts, name)), docs, notices, PLAYWRIGHT_VIEWER],
      },
    });
    renameSync(join(scratch, basename(outfile)), outfile);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

// Last: it runs while the file is read, and needs all of it.
if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: "string", multiple: true, default: [] },
      all: { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  const unknown = values.target.find((name) => !TARGETS.includes(name as Target));
  if (unknown) {
    console.error(`There is no target "${unknown}". Targets: ${TARGETS.join(", ")}.`);
    process.exit(2);
  }
  const targets = values.all ? [...TARGETS] : (values.target as Target[]);
  if (targets.length === 0) await report(values.out ?? join(root, "dist", "tracedeck"));
  for (const target of targets) {
    const suffix = target.startsWith("windows") ? ".exe" : "";
    await report(values.out ?? join(root, "dist", `tracedeck-${target}${suffix}`), target);
  }
}
