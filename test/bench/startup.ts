import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executable } from "../helpers/executable.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

const FULL = { runs: 15, readyRuns: 5, idleMs: 3000 };
const SMALL = { runs: 3, readyRuns: 1, idleMs: 300 };
const MIB = 2 ** 20;

/** From the start of the executable to its first 200 on /health, against the least that a compiled Bun server can be. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const { runs, readyRuns, idleMs } = isSmall ? SMALL : FULL;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const ours = await executable();
    const bare = await compileBare(folder);
    const data = join(folder, "data");
    const start = (port: number) => [ours, "serve", "--no-open", "--port", String(port), "--data", data];
    // The first start makes the store; what is measured is every later one.
    await startOnce(start);
    const times = { ours: [] as number[], bare: [] as number[] };
    for (let run = 0; run < runs; run++) {
      times.bare.push((await startOnce((port) => [bare, String(port)])).ms);
      times.ours.push((await startOnce(start)).ms);
    }
    const [mine, theirs] = [median(times.ours), median(times.bare)];
    const ready: number[] = [];
    for (let run = 0; run < readyRuns; run++) ready.push((await startOnce(start, { path: "/readyz" })).ms);
    const idle = await startOnce(start, { idleMs });
    return [
      {
        name: "start to first 200 on /health, against a bare compiled server",
        ratio: mine / theirs,
        target: "< 2",
        ok: mine / theirs < 2,
        detail: `${mine.toFixed(1)} ms against ${theirs.toFixed(1)} ms, medians of ${runs}; ${median(ready).toFixed(0)} ms to /readyz`,
      },
      {
        name: "idle memory, against 150 MiB",
        ratio: idle.rss / (150 * MIB),
        target: "< 1",
        ok: idle.rss < 150 * MIB,
        detail: `${(idle.rss / MIB).toFixed(0)} MiB resident after ${idleMs / 1000} s`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compileBare(folder: string): Promise<string> {
  const source = join(folder, "bare.ts");
  const outfile = join(folder, "bare");
  writeFileSync(
    source,
    `Bun.serve({ hostname: "127.0.0.1", port: Number(process.argv[2]), routes: { "/health": () => new Response("ok") }, fetch: () => new Response("", { status: 404 }) });`,
  );
  await Bun.build({
    entrypoints: [source],
    minify: true,
    bytecode: true,
    format: "esm",
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  return outfile;
}

async function startOnce(
  command: (port: number) => string[],
  { path = "/health", idleMs = 0 } = {},
): Promise<{ ms: number; rss: number }> {
  const port = await freePort();
  const started = Bun.nanoseconds();
  const child = Bun.spawn(command(port), { stdio: ["ignore", "ignore", "ignore"] });
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      if (answer?.ok) break;
      if (child.exitCode !== null) throw new Error(`${command(port)[0]} ended with ${child.exitCode}.`);
      await Bun.sleep(0.5);
    }
    const ms = (Bun.nanoseconds() - started) / 1e6;
    await Bun.sleep(idleMs);
    return { ms, rss: await residentBytes(child.pid) };
  } finally {
    child.kill();
    await child.exited;
  }
}

async function residentBytes(pid: number): Promise<number> {
  const out = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString();
  return Number(out.trim()) * 1024;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address() as { port: number };
      probe.close(() => resolve(address.port));
    });
  });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
