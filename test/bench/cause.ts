import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SEEDS } from "../../fixtures/failures/all.ts";
import { type Recorded, recordSeeds } from "../../fixtures/failures/record.ts";
import { CLASSES, type Seed } from "../../fixtures/failures/seed.ts";
import { causeOfArchive } from "../helpers/archive-cause.ts";
import { closeBrowser } from "../helpers/browser.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";
import { agentResults } from "./cause-agents.ts";
import { isToldFirst, readTold, type Told } from "./cause-told.ts";
import { withServer } from "./served.ts";

/** Archives are kept between runs: recording takes minutes. */
const KEPT = join(tmpdir(), "tracedeck-failures");
/** Failures read at the same time: most of it is waiting for pages that settle. */
const LANES = 3;
const UNLIMITED = {
  reads_per_minute: 1_000_000,
  writes_per_minute: 1_000_000,
  ingests_per_minute: 1_000_000,
};

/**
 * How often the cause of a seeded failure is told: first, on the first screen without a click, in the prompt; and on
 * the first screen of Playwright's viewer on the same archives; and to an agent, and how long that waits.
 */
export async function bench(options: BenchOptions = {}): Promise<BenchResult[]> {
  const seeds = chosen(options);
  const { recorded, problems } = await recordSeeds(seeds, KEPT);
  for (const problem of problems) console.error(`  not recorded: ${problem}`);
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data", "settings.json"), JSON.stringify({ rate_limits: UNLIMITED }));
    const { told, agents } = await withServer(folder, async (server) => {
      const all: Told[] = [];
      const queue = [...recorded];
      async function lane(): Promise<void> {
        for (let one = queue.shift(); one; one = queue.shift()) {
          // The slug says nothing of what is wrong.
          all.push(await readTold(server, one, `seeded-${SEEDS.indexOf(one.seed) + 1}`));
          console.error(`  ${all.length} of ${recorded.length}: ${one.seed.id}`);
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane));
      return { told: all, agents: await agentResults(server, all, options) };
    });
    console.log(`${table(told)}\n\n${misses(told)}\n`);
    const alone = await askAlone(recorded, folder);
    console.log(`${timesOf(alone)}\n`);
    return [
      {
        name: "seeded failures that could not be recorded",
        ratio: problems.length / seeds.length,
        isShare: true,
        target: "= 0",
        ok: problems.length === 0,
        detail: problems.join("; ") || `none of ${seeds.length}`,
      },
      ...results(told),
      {
        name: "seeded failures whose cause is told first without any pass before them",
        ratio: alone.firstWithoutPass / recorded.length,
        isShare: true,
        target: "≥ 0.80",
        ok: alone.firstWithoutPass / recorded.length >= 0.8,
        detail: `${alone.firstWithoutPass} of ${recorded.length}`,
      },
      ...agents,
    ];
  } finally {
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Alone {
  /** Looking for a cause, the failure and two passes read. */
  ms: number[];
  /** Failures whose cause is told first when there is no pass to compare with. */
  firstWithoutPass: number;
}

/** The engine by itself, on the same archives. */
async function askAlone(recorded: readonly Recorded[], folder: string): Promise<Alone> {
  const alone: Alone = { ms: [], firstWithoutPass: 0 };
  for (const { archives, seed } of recorded) {
    const passes = [archives["last pass"], archives["older pass"]];
    alone.ms.push((await causeOfArchive(folder, archives.failure, passes)).ms);
    const { cause } = await causeOfArchive(folder, archives.failure);
    if (isToldFirst(cause, seed)) alone.firstWithoutPass += 1;
  }
  return alone;
}

function timesOf({ ms }: Alone): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `Looking for a cause took ${at(0.5)} ms a trace (median), ${at(0.95)} ms at the 95th percentile.`;
}

/** The seeds that are named by id or class; at a small size the first of them. */
function chosen({ only = [], isSmall = false }: BenchOptions): Seed[] {
  const named = SEEDS.filter(
    ({ id, class: of }) => only.length === 0 || only.includes(id) || only.includes(of),
  );
  if (named.length === 0) throw new Error(`There is no seeded failure ${only.join(", ")}.`);
  return isSmall ? named.slice(0, 1) : named;
}

const PLACES = ["first", "screen", "prompt", "answer", "theirs"] as const;
type Place = (typeof PLACES)[number];
const TITLES = ["told first", "first screen", "prompt", "answer", "Playwright's viewer"];

const count = (told: readonly Told[], place: Place): number => told.filter((one) => one[place]).length;

function table(told: readonly Told[]): string {
  const line = (name: string, some: readonly Told[]) =>
    [name, ...PLACES.map((place) => `${count(some, place)} of ${some.length}`)]
      .map((cell, at) => cell.padEnd(at === 0 ? 18 : 14))
      .join("")
      .trimEnd();
  const classes = CLASSES.map((name) => [name, told.filter(({ seed }) => seed.class === name)] as const);
  return [
    ["", ...TITLES].map((cell, at) => cell.padEnd(at === 0 ? 18 : 14)).join(""),
    ...classes.filter(([, some]) => some.length > 0).map(([name, some]) => line(name, some)),
    line("all", told),
  ].join("\n");
}

function misses(told: readonly Told[]): string {
  const missed = told.filter((one) => !one.first || !one.screen || !one.prompt);
  return missed
    .map((one) => {
      const where = (["first", "screen", "prompt"] as const).filter((place) => !one[place]).join(", ");
      const kind = one.wrongKind ? `; the first suspect is of kind ${one.wrongKind}` : "";
      const rank = one.first || one.rank === null ? "" : `; suspect ${one.rank} says it`;
      return `${one.seed.id} (${one.seed.class}), not told: ${where}${kind}${rank}\n  said: ${one.said}\n  true: ${one.seed.truth.cause}`;
    })
    .join("\n");
}

function results(told: readonly Told[]): BenchResult[] {
  const theirs = count(told, "theirs");
  const share = (name: string, place: Place, least: number): BenchResult => ({
    name: `seeded failures whose cause is told ${name}`,
    ratio: count(told, place) / told.length,
    isShare: true,
    target: `≥ ${least}`,
    ok: count(told, place) / told.length >= least,
    detail: `${count(told, place)} of ${told.length}; ${theirs} on the first screen of Playwright's viewer`,
  });
  const classes = [...new Set(told.map(({ seed }) => seed.class))];
  const untold = classes.filter((name) => !told.some((one) => one.seed.class === name && one.first));
  return [
    share("first", "first", 0.85),
    share("on the first screen", "screen", 0.95),
    share("in the prompt", "prompt", 0.95),
    share("in the analyst's answer", "answer", 0.95),
    {
      name: "classes of failures of which no cause is told first",
      ratio: untold.length / classes.length,
      isShare: true,
      target: "= 0",
      ok: untold.length === 0,
      detail: untold.join(", ") || `none of ${classes.length}`,
    },
  ];
}
