/**
 * Runs every bench at a small size, two at a time, each in a process of its own, and says which do not measure. What they
 * measure is not judged here: `bun run bench` does that, on a machine that does nothing else.
 */
import { join } from "node:path";
import { BENCHES, type Bench, obstacle } from "../test/bench/bench.ts";
import { executable } from "../test/helpers/executable.ts";
import { BUILT } from "../test/helpers/program.ts";

const LANES = 2;
/** No bench takes a tenth of it. */
const TIMEOUT_MS = 300_000;

const root = join(import.meta.dir, "..");
const env = { ...process.env, [BUILT]: await executable() };
/** Those that take longest are the last ones: they begin first, so that none is alone at the end. */
const queue: [name: string, bench: Bench][] = Object.entries(BENCHES).reverse();
const failed: string[] = [];

async function lane(): Promise<void> {
  for (let one = queue.shift(); one; one = queue.shift()) {
    const [name, bench] = one;
    const why = obstacle(bench);
    if (why !== null) {
      console.log(`${name}: not run, ${why}`);
      continue;
    }
    const started = performance.now();
    const child = Bun.spawn([process.execPath, "test/bench/run.ts", name, "--small"], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${name}: ${code === 0 ? "measures" : "does not measure"} (${seconds} s)`);
    if (code === 0) continue;
    failed.push(name);
    console.log(`${out}${err}`.trimEnd());
  }
}

await Promise.all(Array.from({ length: LANES }, lane));
process.exitCode = failed.length === 0 ? 0 : 1;
