/**
 * `bun run bench [name…] [--only case] [--small]`: every figure is a ratio of two measurements of the same run on the
 * same machine, so that it means something elsewhere. Ends with 1 when a target is not met.
 */
import { parseArgs } from "node:util";

/** One figure against its target, as each bench file's `bench()` returns them. */
export interface BenchResult {
  name: string;
  ratio: number;
  /** What the ratio should be, in words: `≤ 2`, `≥ 0.6`. */
  target: string;
  ok: boolean;
  /** The two measurements behind the ratio. */
  detail: string;
}

/** What a bench may be asked for besides all that it measures. */
export interface BenchOptions {
  /** The cases to measure, by name; all when none is named. */
  only?: string[];
  /** As little as shows that it measures. */
  isSmall?: boolean;
}

const BENCHES = [
  "startup",
  "events",
  "list",
  "ingest",
  "viewer",
  "trace-page",
  "capture",
  "replays",
  "cause",
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", multiple: true }, small: { type: "boolean" } },
});
const options: BenchOptions = { only: values.only ?? [], isSmall: values.small ?? false };
const unknown = positionals.find((name) => !BENCHES.includes(name));
if (unknown) {
  console.error(`There is no bench "${unknown}". There are: ${BENCHES.join(", ")}.`);
  process.exit(2);
}

const results: BenchResult[] = [];
for (const name of positionals.length > 0 ? positionals : BENCHES) {
  console.error(`${name} …`);
  const { bench } = (await import(`./${name}.ts`)) as {
    bench: (options: BenchOptions) => Promise<BenchResult[]>;
  };
  results.push(...(await bench(options)));
}
console.log(table(results));
const missed = results.filter((result) => !result.ok);
console.log(
  missed.length === 0 ? "Every target is met." : `${missed.length} of ${results.length} targets missed.`,
);
process.exitCode = missed.length === 0 ? 0 : 1;

function table(rows: BenchResult[]): string {
  const cells = [
    ["", "what", "ratio", "target", "measured"],
    ...rows.map(({ name, ratio, target, ok, detail }) => [
      ok ? "met" : "MISSED",
      name,
      ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2),
      target,
      detail,
    ]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => Bun.stringWidth(row[column]!))));
  return cells
    .map((row) =>
      row.map((cell, column) => cell + " ".repeat(widths[column]! - Bun.stringWidth(cell))).join("  "),
    )
    .map((line) => line.trimEnd())
    .join("\n");
}
