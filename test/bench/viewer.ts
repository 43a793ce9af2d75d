import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordLarge } from "../../fixtures/record/large.ts";
import { closeBrowser, openPage } from "../helpers/browser.ts";
import { executable } from "../helpers/executable.ts";
import type { BenchResult } from "./run.ts";

const RUNS = 5;
const MIB = 2 ** 20;
const LARGE_MIB = 320;
const SMALL_MIB = 3;
/** Longer than any of these waits may take on a slow machine; what hangs ends here. */
const TIMEOUT_MS = 60_000;

/** The way of a large Playwright archive: from file to first screen, here and in Playwright's own viewer. */
export async function bench(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const large = join(folder, "large.zip");
    const small = join(folder, "small.zip");
    await recordLarge(large, LARGE_MIB);
    await recordLarge(small, SMALL_MIB);
    const theirs = median(await repeat(() => showTrace(large)));
    return await withServer(folder, async (server) => {
      const firstTimes: number[] = [];
      let largeId = "";
      for (let run = 0; run < RUNS; run++) {
        const started = performance.now();
        largeId = await ingest(server, large);
        await firstAction(server, largeId);
        firstTimes.push(performance.now() - started);
      }
      const smallId = await ingest(server, small);
      await untilIdle(server);
      const opened = median(await repeat(() => firstAction(server, largeId)));
      const openedSmall = median(await repeat(() => firstAction(server, smallId)));
      const ingested = median(firstTimes);
      const size = `${(statSync(large).size / MIB).toFixed(0)} MiB`;
      return [
        {
          name: `${size} archive: upload to first screen, against show-trace from start to first action`,
          ratio: ingested / theirs,
          target: "≤ 1",
          ok: ingested <= theirs,
          detail: `${ingested.toFixed(0)} ms against ${theirs.toFixed(0)} ms, medians of ${RUNS}`,
        },
        {
          name: `${size} archive, stored: show-trace's first action against ours`,
          ratio: theirs / opened,
          target: "≥ 8",
          ok: theirs / opened >= 8,
          detail: `${theirs.toFixed(0)} ms against ${opened.toFixed(0)} ms, medians of ${RUNS}`,
        },
        {
          name: `first action of a stored trace: ${size} against ${SMALL_MIB} MiB`,
          ratio: opened / openedSmall,
          target: "≤ 1.5",
          ok: opened / openedSmall <= 1.5,
          detail: `${opened.toFixed(0)} ms against ${openedSmall.toFixed(0)} ms, medians of ${RUNS}`,
        },
      ];
    });
  } finally {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Server {
  url: string;
  apiKey: string;
  cookie: { name: string; value: string };
}

async function withServer<T>(folder: string, use: (server: Server) => Promise<T>): Promise<T> {
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

/** Uploads and waits for post-processing; the id of the trace. */
async function ingest(server: Server, path: string): Promise<string> {
  const form = new FormData();
  form.set("scenario_slug", "bench");
  form.set("bundle", Bun.file(path), "trace.zip");
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const answer = await fetch(`${server.url}/v1/traces/ingest`, { method: "POST", headers, body: form });
  const { trace_id: id } = (await answer.json()) as { trace_id: string };
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { status } = (await (await fetch(`${server.url}/v1/traces/${id}`, { headers })).json()) as {
      status: string;
    };
    if (status !== "queued") return id;
    if (performance.now() > deadline) throw new Error(`The trace is still queued after ${TIMEOUT_MS} ms.`);
    await Bun.sleep(20);
  }
}

/** Until what follows an ingest (recompression) is done: a trace that is opened afterwards has the machine for itself. */
async function untilIdle(server: Server): Promise<void> {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
    if (!/^tracedeck_jobs\{[^}]*state="(queued|running)"[^}]*\} [1-9]/m.test(metrics)) return;
    if (performance.now() > deadline) throw new Error(`There is still work after ${TIMEOUT_MS} ms.`);
    await Bun.sleep(100);
  }
}

/** Milliseconds from navigation until the first step of a stored trace is on the page, in a context of its own. */
async function firstAction(server: Server, id: string): Promise<number> {
  const { page, context } = await openPage();
  try {
    await context.addCookies([{ ...server.cookie, url: server.url }]);
    const started = performance.now();
    await page.goto(`${server.url}/traces/${id}`, { waitUntil: "commit" });
    await page.locator('[role="treeitem"]').first().waitFor({ timeout: TIMEOUT_MS });
    return performance.now() - started;
  } finally {
    await context.close();
  }
}

/** Milliseconds from the start of Playwright's viewer on the file until its first action is on the page. */
async function showTrace(path: string): Promise<number> {
  const { page, context } = await openPage();
  const cli = Bun.resolveSync("playwright-core/package.json", import.meta.dir).replace(
    "package.json",
    "cli.js",
  );
  const started = performance.now();
  const child = Bun.spawn(["node", cli, "show-trace", "--host", "127.0.0.1", "--port", "0", path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await untilPrinted(child.stdout, /https?:\/\/\S+/);
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(".action-title").first().waitFor({ timeout: TIMEOUT_MS });
    return performance.now() - started;
  } finally {
    await context.close();
    child.kill();
    await child.exited;
  }
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

async function repeat(measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await measure());
  return times;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
