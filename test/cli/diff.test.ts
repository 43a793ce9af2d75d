import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { runProgram, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const data = scratch.at("data");
const fixture = (name: string) =>
  join(import.meta.dir, "..", "..", "fixtures", "playwright", name, "trace.zip");
const run = (...args: string[]) => runProgram([...args, "--data", data]);

async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr, code } = await run(...args, "--json");
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

let passed: { trace_id: string; short_id: string };
let failed: { trace_id: string; short_id: string };
beforeAll(async () => {
  passed = await json("ingest", fixture("v10-runner-passing"), "--scenario", "checkout");
  failed = await json("ingest", fixture("v10-runner-failing"), "--scenario", "checkout");
});
afterAll(() => scratch.remove());

test("two traces by their short ids: JSON is the answer of the API", async () => {
  const answer = await json<{ a: string; b: string; dimension: string; items: { key: string }[] }>(
    ...["traces", "diff", passed.short_id, failed.trace_id, "--dimension", "network"],
  );
  expect(answer).toMatchObject({ a: passed.trace_id, b: failed.trace_id, dimension: "network" });
  expect(answer.items.map(({ key }) => key)).toContain("POST /api/checkout");
});

test("a failed trace alone is compared with the last pass before it, told from where it begins", async () => {
  const { stdout, stderr, code } = await run("traces", "diff", failed.short_id);
  expect(code).toBe(0);
  expect(stderr).toContain(passed.short_id);
  expect(stdout).toStartWith("First divergence\n");
  expect(stdout).toMatch(/^network +0 added, 2 removed, 3 changed, \d+ same$/m);
});

test("one dimension lists what differs, with the values of both", async () => {
  const { stdout } = await run("traces", "diff", passed.short_id, failed.short_id, "--dimension", "network");
  expect(stdout).toContain("~ POST /api/checkout now failing");
  expect(stdout).toContain("    status: 200 → 500");
});

test("a trace that nothing passed before, and a dimension that is none, are told in a sentence", async () => {
  const alone = await run("traces", "diff", passed.short_id);
  expect(alone.code).toBe(1);
  expect(alone.stderr).toContain("passed before this one");
  expect((await run("traces", "diff", passed.short_id, failed.short_id, "--dimension", "pixels")).code).toBe(
    2,
  );
});
