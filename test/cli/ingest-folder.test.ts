import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { filesToIngest } from "../../server/cli/ingest-files.ts";
import { playwrightZip } from "../helpers/bundles.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const results = scratch.at("test-results");
const LONG = `a-very-${"long-".repeat(20)}name-chromium`;

beforeAll(() => {
  for (const name of [
    "shop-pays-chromium",
    "shop-pays-chromium-retry1",
    "shop-pays-chromium-retry2",
    "shop-Ünïque Größe",
    LONG,
    "only-the-retry-retry1",
  ])
    put(name, "trace.zip");
  put("shop-pays-chromium", "trace-1.zip");
  put("shop-pays-chromium", "video.zip");
});
afterAll(() => scratch.remove());

function put(folder: string, name: string) {
  const path = scratch.at("test-results", folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, playwrightZip());
}

let made = 0;
const newRun = () => `run-${++made}`;

test("of a folder every trace is meant, the attempts of a test as one run in their order", async () => {
  made = 0;
  const files = await filesToIngest([results], {}, newRun);
  const told = files.map(({ path, ...rest }) => ({ path: path.slice(results.length + 1), ...rest }));
  const pays = { scenario: "shop-pays-chromium", run: "run-2" };
  expect(told).toEqual([
    {
      path: `${LONG}/trace.zip`,
      scenario: expect.stringMatching(/^a-very-long-[a-z-]{43}-[0-9a-f]{8}$/),
      run: undefined,
      attempt: undefined,
    },
    { path: "only-the-retry-retry1/trace.zip", scenario: "only-the-retry", run: "run-1", attempt: 2 },
    { path: "shop-pays-chromium/trace-1.zip", ...pays, attempt: undefined },
    { path: "shop-pays-chromium/trace.zip", ...pays, attempt: 1 },
    { path: "shop-pays-chromium-retry1/trace.zip", ...pays, attempt: 2 },
    { path: "shop-pays-chromium-retry2/trace.zip", ...pays, attempt: 3 },
    {
      path: "shop-Ünïque Größe/trace.zip",
      scenario: "shop-unique-gro-e",
      run: undefined,
      attempt: undefined,
    },
  ]);
});

test("what is said of a run, an attempt or a scenario counts more than the folder's name", async () => {
  const retry = scratch.at("test-results", "shop-pays-chromium-retry1", "trace.zip");
  const meant = { scenario: "pays", run: "ci-7", attempt: 5 };
  expect(await filesToIngest([retry], meant, newRun)).toEqual([{ path: retry, ...meant }]);
  const [one] = await filesToIngest([retry], { scenario: "pays", run: "ci-7" }, newRun);
  expect(one).toMatchObject({ run: "ci-7", attempt: 2 });
  // Two tests in one row would have two second attempts.
  const row = await filesToIngest([results], { scenario: "all", run: "ci-7" }, newRun);
  expect(new Set(row.map(({ attempt }) => attempt))).toEqual(new Set([undefined]));
});

test("the command takes a folder, and the attempts are found as such", async () => {
  const data = ["--data", scratch.at("data")];
  const { code, stdout } = await runProgram(["ingest", results, "--json", ...data]);
  expect(code).toBe(0);
  const taken = JSON.parse(stdout) as { trace_id: string }[];
  expect(taken).toHaveLength(7);
  const shown = [4, 5].map(async (at) => {
    const show = await runProgram(["traces", "show", taken[at]!.trace_id, "--json", ...data]);
    return JSON.parse(show.stdout) as { scenario_slug: string; run_id: string; attempt: number };
  });
  const [second, third] = await Promise.all(shown);
  expect(second).toMatchObject({ scenario_slug: "shop-pays-chromium", attempt: 2 });
  expect(third).toMatchObject({ run_id: second!.run_id, attempt: 3 });
});
