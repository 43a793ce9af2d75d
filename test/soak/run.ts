/**
 * `bun run soak [runs] [--slots 2]`: makes so many runs (500) of a short scenario in the runner processes of a real server,
 * and looks at the server after the first 50 and at the end. Ends with 1 when something grew beyond its bound.
 */
import type { heapStats } from "bun:jsc";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startShop } from "../../fixtures/app/shop.ts";
import { type RunningServer, SOURCE, startProgram } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { descendants, HAS_PROC, handlesOf, isAlive, type Observed, residentOf } from "./observe.ts";

type HeapStats = ReturnType<typeof heapStats>;

const FIRST = 50;
const MIB = 1 << 20;
const RUN_MS = 120_000;
const REST_MS = 120_000;
const UNLIMITED = { reads_per_minute: 1e6, writes_per_minute: 1e6, ingests_per_minute: 1e6 };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { slots: { type: "string", default: "2" } },
});
const runs = Number(positionals[0] ?? 500);
const slots = Number(values.slots);
if (!Number.isInteger(runs) || runs <= FIRST || !Number.isInteger(slots) || slots < 1)
  giveUp(`Usage: bun run soak [runs, more than ${FIRST}] [--slots n]`);
if (!HAS_PROC) giveUp("A soak looks into /proc, which this system has not.");

function giveUp(why: string): never {
  console.error(why);
  process.exit(2);
}

// The browser makes sockets below the temporary folder, whose paths must be short.
const scratch = mkdtempSync(join(tmpdir(), "soak-"));
const data = join(scratch, "data");
const temporary = join(scratch, "t");
const heapFile = join(scratch, "heap.json");
mkdirSync(temporary);
await Bun.write(join(data, "settings.json"), JSON.stringify({ rate_limits: UNLIMITED, browser: { slots } }));
const shop = startShop();
const server = await startProgram(data, {
  command: [process.execPath, "--preload", join(import.meta.dir, "heap-on-signal.ts"), ...SOURCE.slice(1)],
  env: { TMPDIR: temporary, SOAK_HEAP: heapFile },
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void server.stop("SIGTERM").then(() => process.exit(130)));
try {
  process.exitCode = await soak(server);
} finally {
  await server.stop("SIGKILL");
  await shop.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function soak({ pid }: RunningServer): Promise<number> {
  const started = performance.now();
  await sync();
  const statuses = new Map<string, number>();
  await make(FIRST, statuses);
  const first = await look(pid);
  await make(runs - FIRST, statuses);
  const last = await look(pid);
  const [begun, ended] = [
    await metric("runner_processes_started_total"),
    await metric("runner_processes_ended_total"),
  ];
  const below = descendants(pid);
  const code = await server.stop();
  const leftProcesses = below.filter(isAlive).length;
  const leftFiles = readdirSync(temporary);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  console.log(
    `${runs} runs in ${minutes} min, ${slots} at once: ${[...statuses].map(([status, count]) => `${count} ${status}`).join(", ")}`,
  );
  console.log(`runner processes: ${begun} started, ${ended} ended while it ran`);
  console.log(`objects that became more: ${mostGrown(first.objects, last.objects)}`);
  return report([
    grown("runner and browser processes", first.processes, last.processes, slots * 4),
    grown("file handles of the server", first.handles, last.handles, 8),
    grown("entries of the temporary folder", first.temporaries, last.temporaries, slots),
    grown("heap after collection, MiB", first.heap / MIB, last.heap / MIB, 8),
    grown("resident memory, MiB", first.resident / MIB, last.resident / MIB, 96),
    grown("processes after the server's end", 0, leftProcesses, 0),
    grown("temporary files after the server's end", 0, leftFiles.length, 0),
    grown("runs that did not pass", 0, runs - (statuses.get("passed") ?? 0), 0),
    grown("exit code of the server", 0, code ?? -1, 0),
  ]);
}

/** What there is more of, with how many more, the most first. */
function mostGrown(first: Record<string, number>, last: Record<string, number>): string {
  return Object.entries(last)
    .map(([type, count]) => ({ type, more: count - (first[type] ?? 0) }))
    .filter(({ more }) => more > runs / 10)
    .toSorted((one, other) => other.more - one.more)
    .slice(0, 12)
    .map(({ type, more }) => `${type} +${more}`)
    .join(", ");
}

interface Row {
  what: string;
  first: number;
  last: number;
  bound: number;
}

function grown(what: string, first: number, last: number, bound: number): Row {
  return { what, first, last, bound };
}

function report(rows: Row[]): number {
  const missed = rows.filter(({ first, last, bound }) => last - first > bound);
  const show = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1));
  for (const row of rows) {
    const { what, first, last, bound } = row;
    const mark = missed.includes(row) ? "GREW" : "ok  ";
    console.log(
      `${mark}  ${what.padEnd(40)} ${show(first).padStart(7)} → ${show(last).padStart(7)}   at most +${bound}`,
    );
  }
  console.log(
    missed.length === 0 ? "Nothing leaks." : `${missed.length} of ${rows.length} grew beyond their bounds.`,
  );
  return missed.length === 0 ? 0 : 1;
}

async function sync(): Promise<void> {
  const text =
    '---\nslug: soak\ntitle: Soak\n---\n1. go to "/" within 60s\n2. click testid "add-beans" within 60s\n3. expect text "Cart (1)" within 60s\n';
  await post("/v1/scenarios/sync", { files: [{ path: "soak.scenario.md", text }] });
}

/** Makes so many runs, as many at once as there are slots. */
async function make(count: number, statuses: Map<string, number>): Promise<void> {
  let left = count;
  let done = 0;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const { id } = await post<{ id: string }>("/v1/runs/manual", { scenarioId: "soak", baseUrl: shop.url });
      const { status, error } = await ended(id);
      if (status !== "passed") console.error(`run ${id}: ${status}: ${JSON.stringify(error)}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      done += 1;
      if (done % 25 === 0) console.error(`${done} of ${count} …`);
    }
  };
  await Promise.all(Array.from({ length: slots }, worker));
}

async function ended(id: string): Promise<{ status: string; error: unknown }> {
  let run = { status: "queued", error: null as unknown };
  await until(
    `run ${id} ends`,
    async () => {
      run = await read(`/v1/runs/${id}`);
      return run.status !== "queued" && run.status !== "running";
    },
    RUN_MS,
  );
  return run;
}

/** When every job of the runs is done too. */
async function look(pid: number): Promise<Observed> {
  await until("the jobs are done", async () => !(await working()), REST_MS);
  rmSync(heapFile, { force: true });
  process.kill(pid, "SIGUSR2");
  await until("the heap is told", () => Bun.file(heapFile).exists(), 30_000);
  const told = JSON.parse(readFileSync(heapFile, "utf8")) as HeapStats;
  return {
    processes: descendants(pid).length,
    handles: handlesOf(pid),
    resident: residentOf(pid),
    heap: told.heapSize,
    objects: told.objectTypeCounts,
    temporaries: readdirSync(temporary).length,
  };
}

async function working(): Promise<boolean> {
  const text = await (await server.api("/metrics")).text();
  // Files that were replaced go much later.
  return [...text.matchAll(/^tracedeck_jobs\{state="(queued|running)".*\} (\d+)$/gm)].some(
    ([line, , n]) => n !== "0" && !line.includes('kind="trace.drop_replaced"'),
  );
}

async function metric(name: string): Promise<number> {
  const text = await (await server.api("/metrics")).text();
  const found = [...text.matchAll(new RegExp(`^tracedeck_${name}(?:\\{.*\\})? (\\d+)$`, "gm"))];
  return found.reduce((sum, [, value]) => sum + Number(value), 0);
}

async function read<Answer>(path: string): Promise<Answer> {
  return (await (await server.api(path)).json()) as Answer;
}

async function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const answer = await server.api(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
