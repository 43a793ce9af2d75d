import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { writeMany } from "../../fixtures/record/many.ts";
import { closeBrowser, openPage } from "../helpers/browser.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";
import { besideNeighbours } from "./neighbours.ts";
import {
  ingest,
  median,
  type Opening,
  openEmpty,
  openTrace,
  type Server,
  showTrace,
  TIMEOUT_MS,
  untilIdle,
  withServer,
} from "./served.ts";

/** Events of the traces, openings of each, visits to each, and steps and keys of a visit. */
const FULL = { events: [1_000, 10_000, 100_000], runs: 5, rounds: 3, steps: 50, keys: 20 };
const SMALL: typeof FULL = { events: [200, 800], runs: 1, rounds: 1, steps: 5, keys: 3 };
const QUIET_MS = 500;
/** Two frames at 60 a second. */
const TWO_FRAMES_MS = 33;
const MIB = 2 ** 20;
const KB = 1000;
const FIRST_LOAD_KB = 150;
const PANELS = [
  { key: "n", name: "Network", rows: "#panel-network [role=row][aria-rowindex='2']" },
  { key: "c", name: "Console", rows: "#panel-console .console-row" },
  { key: "x", name: "Expects", rows: "#panel-expects .expect-row" },
  { key: "e", name: "Events", rows: "#panel-events .event-row:not(.is-pending)" },
] as const;
const SEARCH = "sorted";

/** What one visit to a trace costs: script in ms, heap in bytes. */
interface Visit {
  step: number;
  panels: Record<string, number>;
  key: number;
  hits: number;
  heap: number;
  /** Of the heap: what lies in the buffers of typed arrays. */
  buffers: number;
}

/** The trace page on few, more and many events: first screen, keys, panels, search, memory, and what is loaded. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const sizes = isSmall ? SMALL : FULL;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const paths = sizes.events.map((events) => join(folder, `${events}.zip`));
    for (const [index, events] of sizes.events.entries()) await writeMany(paths[index]!, events);
    return await withServer(folder, async (server) => {
      const ids: string[] = [];
      for (const path of paths) ids.push(await ingest(server, path));
      await untilIdle(server);
      return [
        ...(await firstScreens(server, paths, ids, sizes)),
        await besideNeighbours({ server, id: ids[0]!, neighbour: paths.at(-1)!, runs: sizes.runs }),
        ...(await visits(server, ids, sizes)),
        ...(await firstLoads(server, ids[0]!)),
      ];
    });
  } finally {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstScreens(
  server: Server,
  paths: string[],
  ids: string[],
  { events: sizes, runs }: typeof FULL,
): Promise<BenchResult[]> {
  const theirs = sizes.map((): number[] => []);
  const ours = sizes.map((): Opening[] => []);
  const empty: number[] = [];
  for (let run = 0; run < runs; run++) {
    empty.push(await openEmpty(server));
    for (const index of sizes.keys())
      ours[index]!.push(await openTrace(server, ids[index]!, { isFailed: true }));
  }
  // Of a large trace their page ends long after it was closed: what is opened meanwhile would wait for the processor.
  for (let run = 0; run < runs; run++)
    for (const index of sizes.keys()) theirs[index]!.push(await showTrace(paths[index]!));
  const floor = median(empty);
  const behind = `medians of ${runs}; an empty page ${floor.toFixed(0)} ms`;
  return sizes.flatMap((events, index) => {
    const their = median(theirs[index]!);
    const shown = median(ours[index]!.map((one) => one.shown));
    const complete = median(ours[index]!.map((one) => one.complete));
    const keys = median(ours[index]!.map((one) => one.keys));
    return [
      {
        name: `first screen at ${count(events)} events, stored: show-trace's first action against our failed step and its error`,
        ratio: their / shown,
        target: "≥ 8",
        ok: their / shown >= 8,
        detail: `${their.toFixed(0)} ms against ${shown.toFixed(0)} ms, ${behind}`,
      },
      {
        name: `first screen at ${count(events)} events, stored: show-trace's first action against our first key's effect`,
        ratio: their / keys,
        target: "> 1",
        ok: their > keys,
        detail: `${their.toFixed(0)} ms against ${keys.toFixed(0)} ms, ${behind}`,
      },
      {
        name: `first screen at ${count(events)} events, stored: our failed step and its error against an empty page`,
        ratio: shown / floor,
        target: "≤ 1.5",
        ok: shown / floor <= 1.5,
        detail: `${shown.toFixed(0)} ms against ${floor.toFixed(0)} ms, medians of ${runs}`,
      },
      {
        name: `first screen at ${count(events)} events, stored: all of ours, with timeline, page and panels, against an empty page`,
        ratio: complete / floor,
        target: "≤ 1.5",
        ok: complete / floor <= 1.5,
        detail: `${complete.toFixed(0)} ms against ${floor.toFixed(0)} ms, medians of ${runs}`,
      },
    ];
  });
}

async function visits(server: Server, ids: string[], sizes: typeof FULL): Promise<BenchResult[]> {
  const { events, rounds } = sizes;
  const all = events.map((): Visit[] => []);
  for (let round = 0; round < rounds; round++)
    for (const index of events.keys()) all[index]!.push(await visit(server, ids[index]!, sizes));
  const few = all[0]!;
  const many = all.at(-1)!;
  const most = count(events.at(-1)!);
  const least = count(events[0]!);

  function script(name: string, of: (visit: Visit) => number): BenchResult {
    const [small, large] = [median(few.map(of)), median(many.map(of))];
    return {
      name: `${name}: script at ${most} events against ${least}`,
      ratio: large / small,
      target: `< ${TWO_FRAMES_MS} ms`,
      ok: large < TWO_FRAMES_MS,
      detail: `${large.toFixed(1)} ms against ${small.toFixed(1)} ms, medians of ${rounds}`,
    };
  }
  const [small, large] = [median(few.map(({ heap }) => heap)), median(many.map(({ heap }) => heap))];
  const buffers = (all: Visit[]) => `${(median(all.map((one) => one.buffers)) / MIB).toFixed(1)} in buffers`;
  return [
    script("step change", ({ step }) => step),
    ...PANELS.map(({ name }) => script(`switch to ${name}`, ({ panels }) => panels[name]!)),
    script("a key typed into the search", ({ key }) => key),
    script("from the last key to the hits", ({ hits }) => hits),
    {
      name: `heap after ${sizes.steps} steps and every panel, ${most} events against ${least}`,
      ratio: large / small,
      target: "≤ 1.5",
      ok: large / small <= 1.5,
      detail: `${(large / MIB).toFixed(1)} MiB (${buffers(many)}) against ${(small / MIB).toFixed(1)} MiB (${buffers(few)}), medians of ${rounds}`,
    },
  ];
}

/** Opens a trace in a context of its own and uses it as a reader would. */
async function visit(server: Server, id: string, { steps, keys }: typeof FULL): Promise<Visit> {
  const { page, context } = await openPage();
  try {
    await context.addCookies([{ ...server.cookie, url: server.url }]);
    const probe = await createProbe(page);
    await page.goto(`${server.url}/traces/${id}`);
    await page.locator('[role="treeitem"]').first().waitFor({ timeout: TIMEOUT_MS });
    // What the page fetches for later is no part of what a key costs.
    await probe.quiet();
    await page.keyboard.press("k");
    const step = await probe.script(async () => {
      for (let key = 0; key < keys; key++) await press(page, "k");
    });
    for (let key = keys; key < steps; key++) await press(page, "k");
    const panels: Record<string, number> = {};
    for (const { key, rows } of PANELS) {
      await openPanel(page, key, rows);
      await probe.quiet();
    }
    for (const { key, rows, name } of PANELS)
      panels[name] = await probe.script(() => openPanel(page, key, rows));
    const heap = await probe.heap();
    return { step: step / keys, panels, ...(await search(page, probe)), ...heap };
  } finally {
    await context.close();
  }
}

async function openPanel(page: Page, key: string, rows: string): Promise<void> {
  await page.keyboard.press("g");
  await press(page, key);
  await page.locator(rows).first().waitFor({ timeout: TIMEOUT_MS });
}

async function search(page: Page, probe: Probe): Promise<{ key: number; hits: number }> {
  await press(page, "/");
  await page.locator("[role=combobox]:focus").waitFor({ timeout: TIMEOUT_MS });
  const typed = await probe.script(async () => {
    for (const letter of SEARCH.slice(0, -1)) await press(page, letter);
  });
  const hits = await probe.script(async () => {
    await press(page, SEARCH.at(-1)!);
    await page.locator(".find-hit").first().waitFor({ timeout: TIMEOUT_MS });
  });
  return { key: typed / (SEARCH.length - 1), hits };
}

/** Presses a key and waits until what follows at once is on the screen. */
async function press(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
}

type Probe = Awaited<ReturnType<typeof createProbe>>;

/** Reads what Chromium says of a page: script in ms of its thread's own time, whatever else the machine does. */
async function createProbe(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const scriptMs = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN);
  };
  // Playwright's own `networkidle` is told once a page, however much is fetched after it.
  let underWay = 0;
  let changedAt = performance.now();
  const count = (by: 1 | -1) => () => {
    underWay += by;
    changedAt = performance.now();
  };
  page.on("request", count(1));
  page.on("requestfinished", count(-1));
  page.on("requestfailed", count(-1));
  return {
    /** Until nothing has been fetched for a while. */
    async quiet(): Promise<void> {
      const deadline = performance.now() + TIMEOUT_MS;
      while (underWay > 0 || performance.now() - changedAt < QUIET_MS) {
        if (performance.now() > deadline) throw new Error(`The page still fetches after ${TIMEOUT_MS} ms.`);
        await Bun.sleep(20);
      }
    },
    async script(use: () => Promise<void>): Promise<number> {
      const before = await scriptMs();
      await use();
      return (await scriptMs()) - before;
    },
    /** Objects and the buffers behind typed arrays that are still used, in bytes. */
    async heap(): Promise<Pick<Visit, "heap" | "buffers">> {
      await session.send("HeapProfiler.enable");
      // Twice: buffers go after the objects that held them.
      await session.send("HeapProfiler.collectGarbage");
      await session.send("HeapProfiler.collectGarbage");
      const usage = (await session.send("Runtime.getHeapUsage")) as {
        usedSize: number;
        backingStorageSize: number;
      };
      return { heap: usage.usedSize + usage.backingStorageSize, buffers: usage.backingStorageSize };
    },
  };
}

/** What a page loads before anything is opened, and what a trace page loads when every panel is. */
async function firstLoads(server: Server, traceId: string): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const [name, path] of [
    ["trace page", `/traces/${traceId}`],
    ["list page", "/traces"],
  ] as const) {
    const { page, context } = await openPage();
    try {
      await context.addCookies([{ ...server.cookie, url: server.url }]);
      const scripts = await scriptsOf(page);
      await page.goto(server.url + path);
      await page.waitForLoadState("networkidle", { timeout: TIMEOUT_MS });
      const loaded = scripts.bytes();
      for (const { key, rows } of name === "trace page" ? PANELS : []) await openPanel(page, key, rows);
      const later = scripts.bytes() - loaded;
      results.push({
        name: `${name}: compressed script before anything is opened`,
        ratio: loaded / KB / FIRST_LOAD_KB,
        target: `< ${FIRST_LOAD_KB} kB`,
        ok: loaded < FIRST_LOAD_KB * KB,
        detail: `${(loaded / KB).toFixed(1)} kB${later > 0 ? `; ${(later / KB).toFixed(1)} kB with four panels opened` : ""}`,
      });
    } finally {
      await context.close();
    }
  }
  return results;
}

/** Counts the script bytes that go over the wire. */
async function scriptsOf(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let bytes = 0;
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.mimeType.includes("javascript")) scripts.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  return { bytes: () => bytes };
}

const count = (value: number): string => value.toLocaleString("en-GB");
