import { SEEDS } from "../../fixtures/mender/all.ts";
import { DRIFTS, RIGHT, SEED_CLASSES, type Seed } from "../../fixtures/mender/seed.ts";
import { CLASSIFICATIONS } from "../../server/gate/diagnosis/types.ts";
import type { MenderRow } from "../../store/records/mender.ts";
import { testApp } from "../helpers/app.ts";
import { menderLab } from "../helpers/mender.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

const UNLIMITED = {
  reads_per_minute: 1_000_000,
  writes_per_minute: 1_000_000,
  ingests_per_minute: 1_000_000,
};

/** What became of a seed. */
interface Mended {
  seed: Seed;
  /** Null where the scenario did not fail. */
  attempt: MenderRow | null;
}

const isDrift = ({ seed }: Mended): boolean => DRIFTS.includes(seed.class);
/** By a change of the scenario: one of the application's source is no such thing. */
const isVerified = ({ attempt }: Mended): boolean => attempt?.status === "verified" && attempt.patch !== null;
const hasSourcePatch = ({ attempt }: Mended): boolean =>
  attempt?.status === "verified" && attempt.source_patches !== "[]";
const isRight = ({ seed, attempt }: Mended): boolean =>
  RIGHT[seed.class].includes(attempt?.classification ?? "");

/**
 * What the mender makes of seeded changes and faults of the sample shop, each after a pass of the same scenario: what it takes
 * them for, how many of the product's changes get a change of the scenario that was verified, and whether a fault ever does.
 */
export async function bench(options: BenchOptions = {}): Promise<BenchResult[]> {
  const seeds = chosen(options);
  const app = await testApp({ settings: { rate_limits: UNLIMITED } });
  const lab = menderLab(app);
  const all: Mended[] = [];
  try {
    for (const seed of seeds) {
      const { attempt } = await lab.seed(seed);
      all.push({ seed, attempt });
      const said = attempt
        ? `${attempt.classification} ${attempt.status}: ${attempt.summary}`
        : "no attempt: it did not fail";
      console.error(`  ${all.length} of ${seeds.length}: ${seed.class}, ${seed.id}: ${said}`);
    }
  } finally {
    await app.close();
    await lab.stop();
  }
  console.log(`${matrix(all)}\n\n${misses(all)}\n`);
  const [open, blind] = [all.filter(({ seed }) => !seed.isBlind), all.filter(({ seed }) => seed.isBlind)];
  return [
    ...figuresOf(all, "all seeds"),
    ...(open.length > 0 && blind.length > 0
      ? [...figuresOf(open, "seeds that the rules were made with"), ...figuresOf(blind, "blind seeds")]
      : []),
  ];
}

/** A few of each class that counts, when it is only to be seen that it measures. */
function chosen({ only = [], isSmall = false }: BenchOptions): Seed[] {
  if (only.length > 0) {
    const wanted = SEEDS.filter(({ id, class: of }) => only.some((name) => id.includes(name) || of === name));
    if (wanted.length === 0) throw new Error(`No seed is called ${only.join(", ")}.`);
    return wanted;
  }
  if (!isSmall) return [...SEEDS];
  return [
    SEEDS.find((seed) => seed.class === "renamed label")!,
    SEEDS.find((seed) => seed.class === "real regression")!,
  ];
}

function figuresOf(all: readonly Mended[], of: string): BenchResult[] {
  const drifts = all.filter(isDrift);
  const faults = all.filter((one) => !isDrift(one));
  const mended = drifts.filter(isVerified).length;
  const fixed = faults.filter(isVerified);
  const right = all.filter(isRight).length;
  return [
    ...(drifts.length > 0
      ? [
          share(
            `mender: changes of the product that get a verified patch by rules alone, ${of}`,
            mended / drifts.length,
            { least: 0.8 },
            `${mended} of ${drifts.length}`,
          ),
        ]
      : []),
    ...(faults.length > 0
      ? [
          share(
            `mender: faults that got a patch of the scenario, ${of}`,
            fixed.length / faults.length,
            { most: 0 },
            `${fixed.length} of ${faults.length}`,
          ),
        ]
      : []),
    share(
      `mender: classified rightly, ${of}`,
      right / all.length,
      { least: 0.8 },
      `${right} of ${all.length}`,
    ),
  ];
}

function share(
  name: string,
  ratio: number,
  limit: { least: number } | { most: number },
  detail: string,
): BenchResult {
  const ok = "least" in limit ? ratio >= limit.least : ratio <= limit.most;
  return {
    name,
    ratio,
    isShare: true,
    ok,
    target: "least" in limit ? `≥ ${limit.least}` : `${limit.most}`,
    detail,
  };
}

/** Rows are what was seeded, columns what it was taken for. */
function matrix(all: readonly Mended[]): string {
  const columns = [...CLASSIFICATIONS, "no attempt"];
  const rows = SEED_CLASSES.map((of) => {
    const own = all.filter(({ seed }) => seed.class === of);
    return [
      of,
      ...columns.map((column) =>
        String(own.filter(({ attempt }) => (attempt?.classification ?? "no attempt") === column).length),
      ),
      String(own.filter(isVerified).length),
      String(own.filter(hasSourcePatch).length),
    ];
  });
  const table = [["", ...columns, "verified", "source"], ...rows];
  const widths = table[0]!.map((_, at) => Math.max(...table.map((row) => row[at]!.length)));
  return table
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  "),
    )
    .join("\n");
}

function misses(all: readonly Mended[]): string {
  const wrong = all.filter((one) => !isRight(one) || (isDrift(one) ? !isVerified(one) : isVerified(one)));
  if (wrong.length === 0) return "Every seed was taken for what it is.";
  return wrong
    .map(
      ({ seed, attempt }) =>
        `${seed.isBlind ? "blind " : ""}${seed.class}, ${seed.id}: ${attempt ? `${attempt.classification}, ${attempt.status}: ${attempt.summary}` : "it did not fail"}`,
    )
    .join("\n");
}
