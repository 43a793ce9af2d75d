import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordLarge } from "../../fixtures/record/large.ts";
import { closeBrowser } from "../helpers/browser.ts";
import type { BenchResult } from "./run.ts";
import { ingest, median, openTrace, type Server, showTrace, untilIdle, withServer } from "./served.ts";

const RUNS = 5;
const MIB = 2 ** 20;
const LARGE_MIB = 320;
const SMALL_MIB = 3;

/** The way of a large Playwright archive: from file to first screen, here and in Playwright's own viewer. */
export async function bench(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const large = join(folder, "large.zip");
    const small = join(folder, "small.zip");
    await recordLarge(large, LARGE_MIB);
    await recordLarge(small, SMALL_MIB);
    return await withServer(folder, async (server) => {
      const times: Record<"theirs" | "ingested" | "opened" | "openedSmall", number[]> = {
        theirs: [],
        ingested: [],
        opened: [],
        openedSmall: [],
      };
      let largeId = "";
      const smallId = await ingest(server, small);
      // Turn by turn, so that whatever else the machine does meets all of them.
      for (let run = 0; run < RUNS; run++) {
        const started = performance.now();
        largeId = await ingest(server, large);
        await firstScreen(server, largeId);
        times.ingested.push(performance.now() - started);
        await untilIdle(server);
        times.theirs.push(await showTrace(large));
        times.opened.push(await firstScreen(server, largeId));
        times.openedSmall.push(await firstScreen(server, smallId));
      }
      const theirs = median(times.theirs);
      const opened = median(times.opened);
      const openedSmall = median(times.openedSmall);
      const ingested = median(times.ingested);
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

/** Until the first screen is there, ms. */
const firstScreen = async (server: Server, id: string): Promise<number> =>
  (await openTrace(server, id, { isFailed: false })).shown;
