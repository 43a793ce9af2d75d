import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordLarge } from "../../fixtures/record/large.ts";
import { writeMany } from "../../fixtures/record/many.ts";
import { closeBrowser } from "../helpers/browser.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";
import {
  type Ingested,
  ingestTimed,
  median,
  openEmpty,
  openTrace,
  type Server,
  showTrace,
  untilIdle,
  withServer,
} from "./served.ts";

const MIB = 2 ** 20;
/** From the last byte of an upload until its trace can be read. */
const READY_MS = 300;
/** MiB of two recorded archives; what is in the third, which no recorder makes in minutes; and how often each is timed. */
const FULL = {
  recorded: 320,
  few: 3,
  // 2,000 actions.
  many: { events: 20_000, pictures: 4, pictureBytes: 48 * 1024, paragraphs: 20_000 },
  runs: 5,
};
const SMALL: typeof FULL = {
  recorded: 8,
  few: 3,
  many: { events: 400, pictures: 3, pictureBytes: 8 * 1024, paragraphs: 500 },
  runs: 1,
};

/** The times of one archive, ms. */
interface Times {
  theirs: number[];
  ingested: number[];
  stages: Ingested[];
  hashed: number[];
  opened: number[];
}

/** The way of a large Playwright archive: from file to first screen, here and in Playwright's own viewer. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const sizes = isSmall ? SMALL : FULL;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const [recorded, few, many] = ["recorded", "few", "many"].map((name) => join(folder, `${name}.zip`));
    await recordLarge(recorded!, sizes.recorded);
    await recordLarge(few!, sizes.few);
    await writeMany(many!, sizes.many.events, sizes.many);
    return await withServer(folder, async (server) => {
      const { id: fewId } = await ingestTimed(server, few!);
      const times = [createTimes(), createTimes()] as const;
      // Turn by turn, so that whatever else the machine does meets all of them.
      for (let run = 0; run < sizes.runs; run++)
        for (const [index, path] of [recorded!, many!].entries())
          await timeOne(server, path, { isFailed: index === 1 }, times[index]!);
      const openedFew: number[] = [];
      const empty: number[] = [];
      // By themselves: a viewer that was just closed leaves hundreds of megabytes to be cleared away beside what comes next.
      for (let run = 0; run < sizes.runs; run++) {
        empty.push(await openEmpty(server));
        for (const [index, { stages, opened }] of times.entries())
          opened.push(await firstScreen(server, stages.at(-1)!.id, { isFailed: index === 1 }));
        openedFew.push(await firstScreen(server, fewId, { isFailed: false }));
      }
      const floor = median(empty);
      const opened = median(times[0].opened);
      const openedSmall = median(openedFew);
      return [
        ...results(`recorded archive of ${sizeOf(recorded!)}`, times[0], floor),
        ...results(`archive of many actions and pictures and a long DOM, ${sizeOf(many!)}`, times[1], floor),
        {
          name: `first screen of the recorded archive, stored: ${sizeOf(recorded!)} against ${sizeOf(few!)}`,
          ratio: opened / openedSmall,
          target: "≤ 1.5",
          ok: opened / openedSmall <= 1.5,
          detail: `${opened.toFixed(0)} ms against ${openedSmall.toFixed(0)} ms, medians of ${sizes.runs}; an empty page ${floor.toFixed(0)} ms`,
        },
      ];
    });
  } finally {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  }
}

const createTimes = (): Times => ({ theirs: [], ingested: [], stages: [], hashed: [], opened: [] });

async function timeOne(
  server: Server,
  path: string,
  options: { isFailed: boolean },
  times: Times,
): Promise<void> {
  const stages = await ingestTimed(server, path);
  const shown = await firstScreen(server, stages.id, options);
  times.stages.push(stages);
  times.ingested.push(stages.ready + shown);
  await untilIdle(server);
  times.theirs.push(await showTrace(path));
  times.hashed.push(await hash(path));
}

function results(what: string, times: Times, floor: number): BenchResult[] {
  const [theirs, ingested, opened] = [times.theirs, times.ingested, times.opened].map(median) as [
    number,
    number,
    number,
  ];
  const ready = median(times.stages.map(({ readyAfterSent }) => readyAfterSent));
  const hashed = median(times.hashed);
  const behind = `medians of ${times.theirs.length}; an empty page ${floor.toFixed(0)} ms`;
  return [
    {
      name: `${what}: upload to first screen, against show-trace from start to first action`,
      ratio: ingested / theirs,
      target: "≤ 1",
      ok: ingested <= theirs,
      detail: `${ingested.toFixed(0)} ms (${stagesInWords(times)}) against ${theirs.toFixed(0)} ms, ${behind}`,
    },
    {
      name: `${what}: ready after the last byte that was sent, against SHA-256 of the file alone`,
      ratio: ready / hashed,
      target: `≤ ${READY_MS} ms`,
      ok: ready <= READY_MS,
      detail: `${ready.toFixed(0)} ms against ${hashed.toFixed(0)} ms, medians of ${times.stages.length}`,
    },
    {
      name: `${what}, stored: show-trace's first action against our first screen`,
      ratio: theirs / opened,
      target: "≥ 8",
      ok: theirs / opened >= 8,
      detail: `${theirs.toFixed(0)} ms against ${opened.toFixed(0)} ms, ${behind}`,
    },
    {
      name: `${what}, stored: our first screen against an empty page`,
      ratio: opened / floor,
      target: "≤ 1.5",
      ok: opened / floor <= 1.5,
      detail: `${opened.toFixed(0)} ms against ${floor.toFixed(0)} ms, medians of ${times.opened.length}`,
    },
  ];
}

/** What each stage from the first byte to the first screen took, and what SHA-256 alone would. */
function stagesInWords({ stages, ingested, hashed }: Times): string {
  const of = (each: (one: Ingested, at: number) => number): string => median(stages.map(each)).toFixed(0);
  return [
    `received, hashed, unpacked and stored ${of(({ kept }) => kept)}`,
    `waited ${of(({ kept, processed, ready }) => Math.max(0, ready - kept - processed))}`,
    `processed ${of(({ processed }) => processed)}`,
    `opened ${of(({ ready }, at) => ingested[at]! - ready)}`,
    `SHA-256 of it alone ${median(hashed).toFixed(0)}`,
  ].join(", ");
}

async function hash(path: string): Promise<number> {
  const started = performance.now();
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return performance.now() - started;
}

const sizeOf = (path: string): string => `${Math.round(statSync(path).size / MIB)} MiB`;

/** Until the first screen is there, ms. */
const firstScreen = async (server: Server, id: string, options: { isFailed: boolean }): Promise<number> =>
  (await openTrace(server, id, options)).shown;
