import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { packagedFolder } from "../../platform/packaged.ts";

/** Where Playwright's own trace viewer is served. */
export const VIEWER_PATH = "/playwright-viewer";

const VIEWER_FILES = "node_modules/playwright-core/lib/vite/traceViewer";

/**
 * Link that opens an archive in Playwright's own viewer, or null where it cannot be done safely.
 *
 * That viewer rebuilds captured pages in documents of its own origin. It guards them with a script nonce, but an archive
 * is somebody else's input: to be safe even if that guard fails, it is served from the loopback name that the reader is
 * *not* signed in at (`localhost` for a reader at `127.0.0.1` and the other way round), where no session cookie exists
 * and which the reader's own pages do not trust. Other addresses have no such second name, and so no link.
 * @param base origin that the reader uses, such as `http://localhost:4173`
 * @param sign makes the signed URL of the archive for the origin it is given
 */
export function playwrightViewerUrl(base: string, sign: (base: string) => string): string | null {
  const origin = otherLoopbackOrigin(base);
  if (!origin) return null;
  return `${origin}${VIEWER_PATH}/index.html?trace=${encodeURIComponent(sign(origin))}`;
}

function otherLoopbackOrigin(base: string): string | null {
  const url = new URL(base);
  const other = { localhost: "127.0.0.1", "127.0.0.1": "localhost" }[url.hostname];
  if (!other) return null;
  url.hostname = other;
  return url.origin;
}

/** Its pages: the viewer, and the frame that it shows snapshots in. Its test runner would open whatever its link says. */
const PAGES = ["index.html", "snapshot.html"];

/** The viewer's files: path below `VIEWER_PATH` (with `/` on every platform) → absolute path. */
export function viewerFiles(): Map<string, string> {
  const root = packagedFolder(VIEWER_FILES);
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    names
      .map((path): [string, string] => [path.slice(root.length + 1).replaceAll(sep, "/"), path])
      .filter(([name]) => !name.endsWith(".html") || PAGES.includes(name)),
  );
}

/** The sources of the inline scripts of a page, as a content security policy names them. */
export function inlineScriptHashes(html: string): string[] {
  return [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, code]) => `'sha256-${new Bun.CryptoHasher("sha256").update(code!).digest("base64")}'`,
  );
}
