import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../helpers/program.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-scenarios-"));
  mkdirSync(join(folder, "parts"));
  writeFileSync(
    join(folder, "good.scenario.md"),
    '---\nslug: good\ntitle: Good\n---\n1. use "part"\n2. click button "Pay"\n',
  );
  writeFileSync(
    join(folder, "parts", "part.scenario.md"),
    '---\nslug: part\ntitle: Part\n---\n1. go to "/"\n',
  );
  writeFileSync(join(folder, "bad.scenario.md"), '---\nslug: bad\ntitle: Bad\n---\n1. clik button "Pay"\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("scenario files are checked with what they use; a problem is told with file, line and column, and ends with 1", async () => {
  const good = await runProgram(["scenarios", "check", join(folder, "good.scenario.md")]);
  expect(good.stdout).toContain("good, 2 steps");
  expect(good.code).toBe(0);
  const bad = await runProgram([
    "scenarios",
    "check",
    join(folder, "bad.scenario.md"),
    join(folder, "good.scenario.md"),
  ]);
  expect(bad.stderr).toContain('bad.scenario.md:5:4: clik is no verb; did you mean "click"?');
  expect(bad.stdout).toContain("good, 2 steps");
  expect(bad.code).toBe(1);
  const json = await runProgram(["scenarios", "check", "--json", join(folder, "bad.scenario.md")]);
  expect(JSON.parse(json.stdout)).toMatchObject({ scenario: null, problems: [{ line: 5, column: 4 }] });
  expect((await runProgram(["scenarios", "check", join(folder, "none.scenario.md")])).code).toBe(1);
});

test("the frontmatter's JSON Schema is printed for editors", async () => {
  const { code, stdout } = await runProgram(["scenarios", "schema"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ required: ["slug", "title"], additionalProperties: false });
});
