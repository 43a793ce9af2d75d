/**
 * What `npm test` is to other projects: makes sure that a browser and the programs that tests talk to are there, runs every
 * test (or those whose path holds an argument; `--changed` for those that the uncommitted change concerns), runs each file
 * that failed once more, alone, tells every failure again at the end, and closes with the line `N passed, N failed`.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { executable, freshExecutable } from "./helpers/executable.ts";
import { CHILDREN, PARTS } from "./helpers/kept-builds.ts";
import { BUILT } from "./helpers/program.ts";
import { runBunTest } from "./runner/bun-test.ts";
import { MOST_FLAKY, recordPath, rememberFlaky } from "./runner/flaky.ts";
import { installNeeds } from "./runner/install.ts";
import { memoryFolder, removeMemoryFolder } from "./runner/memory-folder.ts";

const root = join(import.meta.dir, "..");
/** Milliseconds of each file when it was last measured (`--update-timings`): files without an entry begin first, then the slowest. */
const TIMINGS = "test/timings.json";

if (!installNeeds()) process.exit(1);

const asked = process.argv.slice(2);
// Of a part, most tests start no program, and few are worth a build.
const isWhole = asked.every((word) => word.startsWith("--") && !word.startsWith("--changed"));
const env: Record<string, string> = {};
for (const kept of [PARTS, CHILDREN]) {
  const folder = isWhole ? await kept.built().catch(tellBuild) : kept.fresh();
  if (folder !== null) env[kept.variable] = folder;
}
const built = isWhole ? await executable().catch(tellBuild) : freshExecutable();
if (built !== null) env[BUILT] = built;
// Whoever has named a place for temporary files keeps it.
const memory = process.env.TMPDIR ? null : memoryFolder();
if (memory !== null) env.TMPDIR = memory;
// One more than there are cores: some file always waits, for a browser or another program. The files of one process share
// what they import: loading the whole server anew takes 0.6 s of the processor for each of them.
const order = [`--parallel=${availableParallelism() + 1}`, "--no-isolate", `--timings=${TIMINGS}`];
const first = await runBunTest(root, [...order, ...asked], env);
const told = [...first.told];
let { passed, failed } = first;
const flaky: string[] = [];
if (first.failing.length > 0 && first.failing.length <= MOST_FLAKY)
  for (const file of first.failing) {
    console.error(`\nOnce more, alone: ${file}\n`);
    const alone = await runBunTest(root, [join(root, file)], env);
    if (alone.failed > 0) {
      told.push(...alone.told);
      continue;
    }
    flaky.push(file);
    console.error(`\nflaky: ${file}\nIt failed beside the others:\n${first.outputOf(file)}\n`);
    console.error(`It passed alone:\n${alone.outputOf(file)}\n`);
  }
if (memory !== null) removeMemoryFolder(memory);
const broken = rememberFlaky(
  recordPath(),
  flaky.map((name) => ({ name, text: readFileSync(join(root, name), "utf8") })),
);
for (const file of broken) told.push(`${file}: flaky in three runs on record, so it counts as failed.`);
if (flaky.length > 0 && flaky.length === first.failing.length && broken.length === 0) {
  passed += failed;
  failed = 0;
}
if (first.failing.length > MOST_FLAKY)
  console.error(`\n${first.failing.length} files failed, too many for chance: none was run once more.`);
if (flaky.length > 0) console.error(`\nflaky: ${flaky.length} of ${first.failing.length} failing files.`);
if (failed > 0 && told.length > 0) console.error(`\nWhat failed, once more:\n\n${told.join("\n\n")}\n`);
if (passed === 0) console.error("No test passed: nothing was run, or nothing could be.");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Without a build the tests begin at the sources, and those of the executable itself fail. */
function tellBuild(error: unknown): null {
  console.error("What the tests start could not be built:", error);
  return null;
}
