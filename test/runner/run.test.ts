import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tellFailures } from "./failure-report.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs test files of these contents as `npm test` does; answers the exit code and all that was printed, in its order. */
async function run(files: Record<string, string>) {
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, `import { expect, test } from "bun:test";\n${content}`);
    return path;
  });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "..", "run.ts"), ...paths], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TRACEDECK_TEST_RECORD: join(folder, "record.json") },
  });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, errors };
}

test("what failed is told once more after everything else, and the figures close", async () => {
  const { code, out, errors } = await run({
    "first.test.ts": `test("holds", () => expect(1).toBe(1));
      test("does not hold", () => { console.log("noise"); expect("<seen>").toBe("wanted"); });
      test("takes too long", () => Bun.sleep(30_000), 20);`,
    "second.test.ts": `import { nothing } from "./absent.ts"; test("never runs", () => nothing());`,
  });
  expect(code).toBe(1);
  expect(out).toEndWith("\n1 passed, 3 failed\n");
  const again = errors.slice(errors.indexOf("What failed, once more:"));
  expect(again).toMatch(/first\.test\.ts: does not hold\n(.*\n)*> 3 \| {7}test\("does not hold"/);
  expect(again).toContain('Expected: "wanted"\nReceived: "<seen>"');
  expect(again).toMatch(/first\.test\.ts: takes too long\nTimeoutError\n/);
  expect(again).toContain("error: Cannot find module './absent.ts'");
  expect(again).not.toContain("\nnoise\n");
});

test("a run without a failure repeats nothing", async () => {
  const { code, out, errors } = await run({ "fine.test.ts": `test("holds", () => expect(1).toBe(1));` });
  expect(code).toBe(0);
  expect(out).toEndWith("1 passed, 0 failed\n");
  expect(errors).not.toContain("once more");
});

test("of a hundred failures the first are told in full and the others named; their lines are bounded", () => {
  const message = `Error: no &lt;way&gt; ${"x".repeat(10_000)}&#10;${"- line&#10;".repeat(1_000)}`;
  const cases = Array.from(
    { length: 100 },
    (_, index) =>
      `<testcase name="the ${index}th" classname="all" time="1" file="test/many.test.ts" line="1" assertions="1">
        <failure type="Error" message="no">${message}</failure></testcase>
      <testcase name="fine ${index}" classname="" time="1" file="test/many.test.ts" line="2" assertions="1" />`,
  );
  const told = tellFailures(cases.join("\n"), () => "");
  expect(told).toHaveLength(100);
  expect(told[0]).toStartWith("test/many.test.ts: all > the 0th\nError: no <way> xxx");
  expect(told[99]).toBe("test/many.test.ts: all > the 99th");
  expect(told.join("\n").length).toBeLessThan(20_000);
});

/** A file that fails the first time that it runs, and passes from then on. */
const failsOnce = (name: string) =>
  `import { existsSync, writeFileSync } from "node:fs";
   const mark = ${JSON.stringify(join("FOLDER", "mark"))} + ${JSON.stringify(name)};
   test("holds at the second try", () => {
     const isFirst = !existsSync(mark);
     writeFileSync(mark, "");
     console.error(isFirst ? "met the first time" : "met the second time");
     expect(isFirst).toBe(false);
   });`.replace("FOLDER", folder);

test("a file that fails beside the others and passes alone is flaky: told with both outputs, and no failure", async () => {
  const { code, out, errors } = await run({
    "once.test.ts": failsOnce("once"),
    "holds.test.ts": `test("holds", () => expect(1).toBe(1));`,
  });
  expect(code).toBe(0);
  expect(out).toEndWith("\n2 passed, 0 failed\n");
  const told = errors.slice(errors.search(/^flaky: \S*once\.test\.ts$/m));
  expect(told).toContain("met the first time");
  expect(told).toContain("met the second time");
  expect(told).toContain("flaky: 1 of 1 failing files.");
});

test("more than three failing files have a common cause: none is run once more", async () => {
  const files = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [`four-${name}.test.ts`, failsOnce(name)]),
  );
  const { code, out, errors } = await run(files);
  expect(code).toBe(1);
  expect(out).toEndWith("\n0 passed, 4 failed\n");
  expect(errors).toContain("4 files failed, too many for chance");
});

test("a file that is flaky for the third time on record has failed, until it is changed", async () => {
  const again = (name: string, files: Record<string, string>) => {
    rmSync(join(folder, `mark${name}`), { force: true });
    return run(files);
  };
  const file = { "thrice.test.ts": failsOnce("thrice") };
  expect((await again("thrice", file)).code).toBe(0);
  expect((await again("thrice", file)).code).toBe(0);
  const third = await again("thrice", file);
  expect(third.code).toBe(1);
  expect(third.out).toEndWith("\n0 passed, 1 failed\n");
  expect(third.errors).toMatch(/thrice\.test\.ts: flaky in three runs on record/);
  const mended = { "thrice.test.ts": `${failsOnce("thrice")} // mended` };
  expect((await again("thrice", mended)).code).toBe(0);
});

test("a run that dies without a failing test to its name has failed", async () => {
  const { code, out } = await run({ "dies.test.ts": `test("dies", () => process.exit(0));` });
  expect(code).toBe(1);
  expect(out).toEndWith("\n0 passed, 1 failed\n");
});
