import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { findBrowser } from "../../server/platform/browser.ts";

/** A browser to which every host below `.test` is one listener, which counts who connects; `later.test` is another, uncounted. */
export interface Elsewhere {
  context: BrowserContext;
  /** How many there have been. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Nothing that the browser reaches for leaves this machine, and all that pages reach for is seen. It has a profile of its own
 * and its network left on: a browser in private mode, or told to keep quiet, does not connect ahead.
 */
export async function browserWithElsewhere(): Promise<Elsewhere> {
  // A headless shell does not connect ahead.
  const executablePath = findBrowser(true);
  if (!executablePath)
    throw new Error("No Chromium was found. Install Chromium or Chrome, or name one in TRACEDECK_BROWSER.");
  const elsewhere = listen();
  const later = listen();
  const profile = mkdtempSync(join(tmpdir(), "tracedeck-profile-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    ignoreDefaultArgs: ["--disable-background-networking"],
    args: [
      "--disable-gpu",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      // What the browser itself asks for is nobody's.
      `--host-resolver-rules=MAP later.test 127.0.0.1:${later.port}, MAP *.test 127.0.0.1:${elsewhere.port}, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1`,
    ],
  });
  return {
    context,
    connections: () => elsewhere.connections(),
    async close() {
      await context.close();
      elsewhere.stop();
      later.stop();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** A listener that counts who connects and has nothing to say. */
function listen(): { port: number; connections(): number; stop(): void } {
  let count = 0;
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open() {
        count += 1;
      },
      data(socket) {
        socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
      },
    },
  });
  return { port: listener.port, connections: () => count, stop: () => listener.stop(true) };
}
