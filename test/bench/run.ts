/**
 * `bun run bench [name…|all] [--only case] [--small] [--write]`: every figure is a ratio of two measurements of the same run on
 * the same machine, so that it means something elsewhere. Without a name it tells which benches there are. Ends with 1 when a target is not met; with `--small`, which shows
 * that the benches measure and not what, when one of them does not. `--write` puts the figures into the documentation.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BenchArguments, readArguments } from "./arguments.ts";
import { BENCHES, type BenchOptions, type BenchResult, complaintsAbout } from "./bench.ts";
import { alignedRows, ratioInWords, writeFigures } from "./figures.ts";
import { benchesInWords } from "./listing.ts";
import { machineInWords } from "./machine.ts";

const FIGURES = join(import.meta.dir, "..", "..", "viewer", "docs", "figures.md");

let wanted: BenchArguments;
try {
  wanted = readArguments(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exit(2);
}

const { names, options, isWriting } = wanted;
if (names.length === 0) {
  console.log(benchesInWords());
  process.exit(0);
}
// The benches are work too.
const machine = machineInWords();
const all: BenchResult[] = [];
const complaints: string[] = [];
for (const name of names) {
  console.error(`${name} …`);
  const { bench } = (await import(`./${name}.ts`)) as {
    bench: (options: BenchOptions) => Promise<BenchResult[]>;
  };
  const results = await bench(options);
  all.push(...results);
  const about = complaintsAbout(BENCHES[name], results);
  complaints.push(...about);
  if (!isWriting || about.length > 0) continue;
  // At once, so that a bench that fails later takes nothing with it.
  const measured = { date: new Date().toISOString().slice(0, 10), machine };
  writeFileSync(FIGURES, writeFigures(readFileSync(FIGURES, "utf8"), name, results, measured));
}
console.log(table(all));
for (const complaint of complaints) console.log(complaint);
const missed = all.filter(({ ok }) => !ok);
if (options.isSmall)
  console.log(complaints.length === 0 ? "Everything measures." : "Not everything measures.");
else
  console.log(
    missed.length === 0 ? "Every target is met." : `${missed.length} of ${all.length} targets missed.`,
  );
process.exitCode = complaints.length > 0 || (missed.length > 0 && !options.isSmall) ? 1 : 0;

function table(results: readonly BenchResult[]): string {
  const rows = results.map(({ name, ratio, target, ok, detail }) => [
    ok ? "met" : "MISSED",
    name,
    ratioInWords(ratio),
    target,
    detail,
  ]);
  return alignedRows([["", "what", "ratio", "target", "measured"], ...rows])
    .map((row) => row.join("  ").trimEnd())
    .join("\n");
}
