import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mcpNotices } from "./mcp-server.ts";
import type { Notice } from "./model.ts";
import { viewerNotices } from "./playwright-viewer.ts";
import { mitText } from "./texts.ts";

const ROOT = join(import.meta.dir, "..", "..");
const MODULES = join(ROOT, "node_modules");

/** Everything that is bundled into the executable, by where it is to run. */
const ENTRIES = {
  bun: ["cli.ts", "server/worker.ts"],
  browser: [
    "viewer/index.html",
    "viewer/first-screen/boot.ts",
    "viewer/player/player.ts",
    "viewer/standalone/main.tsx",
    "viewer/trace/stage/inspect/frame/main.ts",
    "server/run/page-scripts/page-recorder.ts",
  ],
  node: ["server/run/playwright/entry-fixture.ts", "server/run/playwright/entry-reporter.ts"],
} as const;

interface Package {
  name: string;
  version: string;
  license?: string | { type?: string };
  /** As packages of before 2015 say it. */
  licenses?: { type?: string }[];
  author?: string | { name?: string };
  homepage?: string;
  repository?: string | { url?: string };
  dependencies?: Record<string, string>;
}

/**
 * The notices for all that the executable is made of, by name: packages that the bundler takes, with those that they say they
 * are made of themselves, Playwright's viewer, and the runtime.
 * @throws AggregateError with the bundler's messages
 */
export async function gatherNotices(): Promise<Notice[]> {
  const folders = await bundledFolders();
  for (const folder of folders) for (const found of dependenciesOf(folder)) folders.add(found);
  const notices = [...folders].map(noticeOf);
  const playwright = notices.find(({ name }) => name === "playwright-core");
  if (playwright)
    notices.push(...viewerNotices(join(MODULES, "playwright-core/lib/vite/traceViewer"), playwright.version));
  notices.push(...mcpNotices(join(MODULES, "@modelcontextprotocol/server/dist")), runtime());
  const byKey = new Map(notices.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  return [...byKey.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

/** Folders of the packages of which something is in a bundle. */
async function bundledFolders(): Promise<Set<string>> {
  const folders = new Set<string>();
  for (const [target, entries] of Object.entries(ENTRIES)) {
    const built = await Bun.build({
      entrypoints: entries.map((entry) => join(ROOT, entry)),
      root: ROOT,
      target: target as keyof typeof ENTRIES,
      splitting: target !== "node",
      metafile: true,
      define: { __TRACEDECK_PAGE_RECORDER__: '""' },
    });
    for (const { inputs } of Object.values(built.metafile?.outputs ?? {}))
      for (const path of Object.keys(inputs)) {
        const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll("\\", "/"))?.[0];
        if (found) folders.add(join(ROOT, found.slice(found.indexOf("node_modules/"))));
      }
  }
  return folders;
}

/** Where what a package depends on is installed. Types alone are in no program. */
function dependenciesOf(folder: string): string[] {
  const { dependencies = {} } = manifestOf(folder);
  return Object.keys(dependencies)
    .filter((name) => !name.startsWith("@types/"))
    .flatMap((name) => {
      for (let from = folder; from.startsWith(MODULES); from = dirname(from)) {
        const nested = join(from, "node_modules", name);
        if (existsSync(join(nested, "package.json"))) return [nested];
      }
      const installed = join(MODULES, name);
      return existsSync(join(installed, "package.json")) ? [installed] : [];
    });
}

const manifestOf = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;

/** Files of a licence and of what must be told with it. */
const TERMS = /^(?:licen[cs]e|copying|notice|third-?party-?notices)\b|\.license$/i;

function noticeOf(folder: string): Notice {
  const manifest = manifestOf(folder);
  const { name, version } = manifest;
  const license = licenseOf(manifest);
  const texts = termsIn(folder, name === "playwright-core" ? ["", "lib"] : [""]);
  if (texts.length === 0 && license === "MIT") texts.push(mitText(holderOf(manifest)));
  return { name, version, license, url: addressOf(manifest), text: texts.join("\n\n") };
}

function licenseOf({ license, licenses }: Package): string {
  if (typeof license === "string") return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(" OR ") ?? "";
}

function termsIn(folder: string, subfolders: string[]): string[] {
  return subfolders.flatMap((subfolder) => {
    const entries = readdirSync(join(folder, subfolder), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && TERMS.test(entry.name)).map(({ name }) => name);
    return names.sort().map((name) => readFileSync(join(folder, subfolder, name), "utf8"));
  });
}

function holderOf({ name, author }: Package): string {
  const told = typeof author === "string" ? author : author?.name;
  return told ?? `the authors of ${name}`;
}

function addressOf({ homepage, repository }: Package): string | null {
  const url = typeof repository === "string" ? repository : repository?.url;
  if (url === undefined) return homepage ?? null;
  // As npm writes the same address: `github:a/b`, `a/b`, `git://…`, `git+ssh://git@…`.
  const path = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(url)?.[1];
  const plain = path
    ? `https://github.com/${path}`
    : url.replace(/^(?:git\+)?(?:https?|git|ssh):\/\/(?:git@)?/, "https://");
  return plain.replace(/^git@([\w.-]+):/, "https://$1/").replace(/\.git$/, "");
}

/** Bun is MIT; what it says of the libraries in it goes with it. */
function runtime(): Notice {
  const told = readFileSync(join(MODULES, "bun-types/docs/project/license.mdx"), "utf8");
  const text = `${mitText("Oven, Inc.")}\n${told.replace(/^---[\s\S]*?---\s*/, "")}`;
  return { name: "bun", version: Bun.version, license: "MIT", url: "https://github.com/oven-sh/bun", text };
}
