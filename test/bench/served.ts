import { join } from "node:path";
import type { Page } from "playwright-core";
import { openPage } from "../helpers/browser.ts";
import { executable } from "../helpers/executable.ts";
import { upload } from "./upload.ts";

/** Longer than any of these waits may take on a slow machine; what hangs ends here. */
export const TIMEOUT_MS = 60_000;
/** Recompression takes minutes for a large trace. */
const IDLE_TIMEOUT_MS = 600_000;

/** The compiled executable, serving. */
export interface Server {
  url: string;
  apiKey: string;
  cookie: { name: string; value: string };
}

/** Runs something against the executable on a data folder of its own within `folder`. */
export async function withServer<T>(folder: string, use: (server: Server) => Promise<T>): Promise<T> {
  const data = join(folder, "data");
  const program = await executable();
  const child = Bun.spawn([program, "serve", "--no-open", "--port", "0", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await untilPrinted(child.stdout, /https?:\/\/\S+/);
    const { url, api_key: apiKey } = await Bun.file(join(data, "credentials.json")).json();
    const link = Bun.spawnSync([program, "signin", "--json", "--data", data]).stdout.toString();
    const answer = await fetch(JSON.parse(link).url, { redirect: "manual" });
    const [name = "", value = ""] = (answer.headers.get("set-cookie") ?? "").split(";")[0]!.split("=");
    return await use({ url, apiKey, cookie: { name, value } });
  } finally {
    child.kill();
    await child.exited;
  }
}

/** A trace, and where the time of its upload went, ms. */
export interface Ingested {
  id: string;
  /** From the first byte to the answer: received, hashed, unpacked and stored. */
  kept: number;
  /** Of the rest: the server's own account of post-processing. */
  processed: number;
  /** Until it was seen that the trace is no longer queued. */
  ready: number;
  /** The same from the last byte that was sent. */
  readyAfterSent: number;
}

/** The same as `ingest`, with what each stage took. Nothing else may be processed meanwhile. */
export async function ingestTimed(server: Server, path: string): Promise<Ingested> {
  const before = await processedMs(server);
  const started = performance.now();
  const { id, sent, answered } = await upload(server, path, { scenario_slug: "bench" });
  await untilProcessed(server, id);
  const ready = performance.now();
  return {
    id,
    kept: answered - started,
    ready: ready - started,
    readyAfterSent: ready - sent,
    processed: (await processedMs(server)) - before,
  };
}

/** Of all traces since the server began, ms. */
async function processedMs(server: Server): Promise<number> {
  const sums = (await metricsOf(server)).matchAll(/^tracedeck_post_processing_seconds_sum\S* (\S+)$/gm);
  return [...sums].reduce((sum, [, seconds]) => sum + Number(seconds) * 1000, 0);
}

async function metricsOf(server: Pick<Server, "url" | "apiKey">): Promise<string> {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  return (await fetch(`${server.url}/metrics`, { headers })).text();
}

/** Uploads and waits for post-processing; the id of the trace. */
export async function ingest(
  server: Server,
  path: string,
  scenario: { slug: string; title?: string } = { slug: "bench" },
): Promise<string> {
  const { slug, title } = scenario;
  const { id } = await upload(server, path, {
    scenario_slug: slug,
    ...(title !== undefined && { scenario_title: title }),
  });
  await untilProcessed(server, id);
  return id;
}

async function untilProcessed(server: Server, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { status } = (await (await fetch(`${server.url}/v1/traces/${id}`, { headers })).json()) as {
      status: string;
    };
    if (status !== "queued") return;
    if (performance.now() > deadline) throw new Error(`The trace is still queued after ${TIMEOUT_MS} ms.`);
    await Bun.sleep(20);
  }
}

/** Until what follows an ingest (recompression) is done: a trace that is opened afterwards has the machine for itself. */
export async function untilIdle(server: Pick<Server, "url" | "apiKey">): Promise<void> {
  const deadline = performance.now() + IDLE_TIMEOUT_MS;
  for (;;) {
    const metrics = await metricsOf(server);
    const open = metrics.match(/^tracedeck_jobs\{[^}]*state="(queued|running)"[^}]*\} [1-9]/gm) ?? [];
    // Files that were replaced go much later.
    if (open.every((line) => line.includes('kind="trace.drop_replaced"'))) return;
    if (performance.now() > deadline) throw new Error(`There is still work after ${IDLE_TIMEOUT_MS} ms.`);
    await Bun.sleep(100);
  }
}

/** The selected step: in a failed trace the one that failed. */
const SELECTED = '[role="treeitem"][aria-selected="true"]';

/** What comes to the screen last of a first screen: timeline and panels. */
const LAST = [".gutter > *", ".panels > *"];

/** Milliseconds from navigation, in a context of its own. */
export interface Opening {
  /** Until the selected step, and the error where there is one, are on the screen. */
  shown: number;
  /** Until all of the first screen is. */
  complete: number;
  /** Until a key that is pressed as soon as they are has moved the selection. */
  keys: number;
}

/** Opens a stored trace and presses `k`. @throws Error when a failed trace opens without what was expected */
export async function openTrace(
  server: Server,
  id: string,
  options: { isFailed: boolean },
): Promise<Opening> {
  const { page, context } = await openPage();
  try {
    await context.addCookies([{ ...server.cookie, url: server.url }]);
    const shown = await watch(page, options.isFailed ? [SELECTED, ".failure"] : [SELECTED]);
    const complete = await watch(page, LAST);
    const started = now();
    await page.goto(`${server.url}/traces/${id}`, { waitUntil: "commit" });
    const at = await shown();
    const step = await page.locator(SELECTED).getAttribute("id");
    if (options.isFailed && !(await page.locator(".failure").textContent())?.includes("Expected"))
      throw new Error("The first screen does not say what was expected.");
    const moved = await watch(page, [`${SELECTED}:not(#${step})`]);
    await page.keyboard.press("k");
    const keys = (await moved()) - started;
    return { shown: at - started, complete: (await complete()) - started, keys };
  } finally {
    await context.close();
  }
}

/** Milliseconds until the least that the server answers is on the screen: what no page of it can be faster than. */
export async function openEmpty(server: Server): Promise<number> {
  const { page, context } = await openPage();
  try {
    await context.addCookies([{ ...server.cookie, url: server.url }]);
    const shown = await watch(page, ["pre"]);
    const started = now();
    await page.goto(`${server.url}/health`, { waitUntil: "commit" });
    return (await shown()) - started;
  } finally {
    await context.close();
  }
}

/** Milliseconds from the start of Playwright's viewer on the file until its first action is on the screen. */
export async function showTrace(path: string): Promise<number> {
  const { page, context } = await openPage();
  const cli = Bun.resolveSync("playwright-core/package.json", import.meta.dir).replace(
    "package.json",
    "cli.js",
  );
  const shown = await watch(page, [".action-title"]);
  const started = now();
  const child = Bun.spawn(["node", cli, "show-trace", "--host", "127.0.0.1", "--port", "0", path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await untilPrinted(child.stdout, /https?:\/\/\S+/);
    await page.goto(url, { waitUntil: "commit" });
    return (await shown()) - started;
  } finally {
    await context.close();
    child.kill();
    await child.exited;
  }
}

/** Epoch ms, finer than `Date.now`; pages have the same. */
const now = (): number => performance.timeOrigin + performance.now();

/**
 * Watches a page, or the next that it opens, for the moment at which all of these elements are painted. The page itself
 * takes the time: asking it from outside comes in steps of up to half a second.
 * @returns waits for that moment, epoch ms
 */
async function watch(page: Page, selectors: string[]): Promise<() => Promise<number>> {
  const name = `seen ${selectors}`;
  const look = ([wanted, key]: readonly [string[], string]): void => {
    const isThere = (selector: string) =>
      (document.querySelector<HTMLElement>(selector)?.offsetHeight ?? 0) > 0;
    const next = (): void => {
      if (!wanted.every(isThere)) return void requestAnimationFrame(next);
      // After the frame that it is painted in.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => Reflect.set(window, key, performance.timeOrigin + performance.now());
      requestAnimationFrame(() => port2.postMessage(null));
    };
    next();
  };
  await page.addInitScript(look, [selectors, name] as const);
  await page.evaluate(look, [selectors, name] as const);
  return async () => {
    const seen = await page.waitForFunction((key) => Reflect.get(window, key) as number, name, {
      timeout: TIMEOUT_MS,
    });
    return seen.jsonValue();
  };
}

/** The first match in what a program prints. The rest is read and dropped, so that it never writes into a closed pipe. */
function untilPrinted(output: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = async () => {
      for await (const chunk of output) {
        text += Buffer.from(chunk).toString();
        const match = pattern.exec(text);
        if (match) resolve(match[0]);
      }
      throw new Error(`The program ended without printing what matches ${pattern}: ${text}`);
    };
    read().catch(reject);
  });
}

/** The middle of an odd number of values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
