import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../helpers/program.ts";

setDefaultTimeout(120_000);

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

test("regions of a schedule are those of the plan and of the settings in the data folder that is named", async () => {
  const file = join(folder, "scheduled.scenario.md");
  writeFileSync(
    file,
    '---\nslug: scheduled\ntitle: Scheduled\nschedule: { cron: "*/5 * * * *", regions: [lab] }\n---\n1. go to "/"\n',
  );
  const data = join(folder, "data");
  mkdirSync(data);
  writeFileSync(join(data, "settings.json"), '{ "regions": { "lab": {} } }');
  const check = (...options: string[]) => runProgram(["scenarios", "check", file, ...options]);
  expect((await check("--data", data)).code).toBe(0);
  const elsewhere = await check("--data", join(folder, "no-data"));
  expect(elsewhere.stderr).toContain("lab");
  expect(elsewhere.code).toBe(1);
});

test("the frontmatter's JSON Schema is printed for editors", async () => {
  const { code, stdout } = await runProgram(["scenarios", "schema"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ required: ["slug", "title"], additionalProperties: false });
});

const written = (slug: string, body: string) => `---\nslug: ${slug}\ntitle: T\n---\n${body}\n`;

test("whatever a file holds, check says where it is wrong and what was expected; --json says the same to programs", async () => {
  const at = mkdtempSync(join(folder, "wrong-"));
  const bomb = Array.from(
    { length: 11 },
    (_, level) =>
      `  - &a${level} [${
        level === 0
          ? "l"
          : Array(10)
              .fill(`*a${level - 1}`)
              .join(",")
      }]`,
  );
  const cases: [name: string, text: string | Uint8Array, said: string | RegExp][] = [
    ["empty", "", "1:1: a scenario begins with its frontmatter"],
    ["large", `${written("large", '1. go to "/"')}${"x".repeat(1024 * 1024)}`, /1:1: the file has \d+ bytes/],
    [
      "latin",
      Buffer.from(written("latin", 'Caf\xe9\n1. go to "/"'), "latin1"),
      "5:4: what stands here is not",
    ],
    ["utf16", Buffer.from(`\ufeff${written("utf16", "1.")}`, "utf16le"), "1:1: the file is UTF-16"],
    ["nul", written("nul", '1. go to "/\0"'), "5:12: the control character U+0000"],
    ["escape", written("escape", "1. \x1b[2J"), "5:4: the control character U+001B"],
    [
      "crlf",
      written("crlf", "1. clik x").replaceAll("\n", "\r\n"),
      '5:4: clik is no verb; did you mean "click"?',
    ],
    ["list", "---\n- a\n---\n", "2:1: frontmatter: a block of keys and values"],
    ["open", "---\nslug: a\n", "1:1: the frontmatter that begins here is not closed"],
    ["alias", "---\nslug: a\ntitle: *b\n---\n", '3:8: "*b" stands for what "&b" names before it'],
    ["bomb", `---\nslug: a\ntitle: b\ncovers:\n${bomb.join("\n")}\n---\n`, "aliases stand for too much here"],
    ["deep", `---\nslug: a\ncovers: ${"[".repeat(15_000)}\n---\n`, "the frontmatter is nested too deeply"],
    ["long", `---\n${"#".repeat(40_000)}\n---\n`, "2:1: the frontmatter has 40000 characters; at most 32768"],
    ["two", "---\nslug: a\n...\nx: 1\n---\n", "4:1: the frontmatter is one document of YAML"],
    ["tab", "---\nslug: a\n\ttitle: b\n---\n", "3:1: Tabs are not allowed as indentation"],
    [
      "types",
      "---\nslug: a\ntitle: b\ncovers: [1]\n---\n",
      '4:10: covers.0: a glob such as "src/checkout/**"',
    ],
    [
      "keys",
      "---\nslug: a\ntitle: b\nbase-url: x\n---\n",
      '4:1: "base-url" is no key here; did you mean "base_url"?',
    ],
    ["host", '---\nslug: a\ntitle: b\nbase_url: "http://"\n---\n', "4:11: base_url: an address such as"],
    ["never", "---\nslug: a\ntitle: b\ntimeout: 0s\n---\n", "4:10: timeout: more than no time"],
    ["fence", written("fence", '```\n1. go to "/"'), "5:1: the code block that begins here is not closed"],
    ["comment", written("comment", '1. go to "/"\n<!--\n2. go to "/"'), "6:1: the comment that begins here"],
    ["word", written("word", `1. ${"x".repeat(500_000)}`), /5:4: x{80}… is no verb/],
    ["steps", written("steps", '1. go to "/"\n'.repeat(2001)), "2005:4: there are more than 2000 steps"],
    ["wrong", written("wrong", "1. gooo\n".repeat(10_000)), /104:4: .*and more problems/],
    ["missing", written("missing", '1. use "nope"'), '5:8: there is no scenario "nope" in this folder'],
    ["itself", written("itself", '1. use "itself"'), '5:8: "itself" would use itself: itself → itself'],
  ];
  for (const [name, text] of cases) {
    mkdirSync(join(at, name));
    writeFileSync(join(at, name, `${name}.scenario.md`), text);
  }
  mkdirSync(join(at, "folder.scenario.md"));
  const files = [
    ...cases.map(([name]) => join(at, name, `${name}.scenario.md`)),
    join(at, "folder.scenario.md"),
    join(at, "none.scenario.md"),
  ];
  const said = [...cases.map(([, , said]) => said), "1:1: this is a folder", "1:1: there is no such file"];
  const { code, stdout, stderr } = await runProgram(["scenarios", "check", "--json", ...files]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  const results = JSON.parse(stdout) as { file: string; problems: Record<string, string>[] }[];
  expect(results.map(({ file }) => file)).toEqual(files);
  for (const [index, { file, problems }] of results.entries()) {
    const last = problems.at(-1)!;
    expect(last.file).toBe(file);
    const line = `${last.line}:${last.column}: ${last.message}`;
    expect(line).toMatch(said[index]!);
    expect(line.length).toBeLessThan(600);
  }
  const [folderFile] = files.slice(-2);
  const other = join(at, "good.scenario.md");
  writeFileSync(other, written("other", '1. go to "/"'));
  const plain = await runProgram(["scenarios", "check", folderFile!, other]);
  expect(plain.stderr).toBe(`${folderFile}:1:1: this is a folder; a scenario file was expected\n`);
  expect(plain.stdout).toContain("other, 1 step");
  expect(plain.code).toBe(1);
  expect((await runProgram(["scenarios", "check"])).code).toBe(2);
});

test("files that use others twice each end early, as their steps would double with every level", async () => {
  const at = mkdtempSync(join(folder, "doubling-"));
  for (let level = 0; level < 30; level++) {
    const next = level < 29 ? `1. use "level-${level + 1}"\n`.repeat(2) : "Nothing to do.";
    writeFileSync(join(at, `${level}.scenario.md`), written(`level-${level}`, next));
  }
  const { code, stderr } = await runProgram(["scenarios", "check", join(at, "0.scenario.md")]);
  expect(stderr).toContain("scenarios are used more than 2000 times here");
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(1);
});

test("a password that stands in a file is warned of where it stands, and keeps nothing from running", async () => {
  const file = join(folder, "password.scenario.md");
  const step = (value: string) => `1. go to "http://x/"\n2. fill field "Password" with "${value}"`;
  writeFileSync(file, written("password", step("hunter2")));
  const { code, stdout, stderr } = await runProgram(["scenarios", "check", file]);
  expect(stderr).toStartWith(`${file}:6:31: warning: a value that nobody is to know stands here`);
  expect(stderr).not.toContain("hunter2");
  expect(stdout).toContain("password, 2 steps");
  expect(code).toBe(0);
  const json = await runProgram(["scenarios", "check", "--json", file]);
  expect(JSON.parse(json.stdout)).toMatchObject({ problems: [], warnings: [{ line: 6, column: 31 }] });
  writeFileSync(file, written("password", step("${secrets.PASSWORD}")));
  expect((await runProgram(["scenarios", "check", file])).stderr).toBe("");
});

test("a slug that two files share is told where it is used, and neither is taken for it", async () => {
  const at = mkdtempSync(join(folder, "shared-"));
  const file = join(at, "main.scenario.md");
  writeFileSync(file, written("main", '1. go to "/"\n2. use "part"\n3. use "own"'));
  writeFileSync(join(at, "own.scenario.md"), written("own", '1. go to "/own"'));
  writeFileSync(join(at, "one.scenario.md"), written("part", '1. go to "/one"'));
  writeFileSync(join(at, "two.scenario.md"), written("part", '1. go to "/two"'));
  const { code, stdout, stderr } = await runProgram(["scenarios", "check", file]);
  const files = ["one", "two"].map((name) => join(at, `${name}.scenario.md`)).join(" and ");
  expect(stderr).toBe(`${file}:6:8: "part" is the slug of ${files}: one of its own was expected for each\n`);
  expect([code, stdout]).toEqual([1, ""]);
  rmSync(join(at, "two.scenario.md"));
  // The file stands in the folder that is looked through, too.
  const other = await runProgram(["scenarios", "check", `${at}/./main.scenario.md`]);
  expect(other.stdout).toContain("main, 3 steps");
  const json = await runProgram(["scenarios", "check", "--json", file]);
  expect(JSON.parse(json.stdout)).toMatchObject({ problems: [], scenario: { slug: "main" } });
});

test("what sync cannot do it tells programs as JSON on standard output, whoever found it", async () => {
  const at = mkdtempSync(join(folder, "failing-"));
  const sync = (...args: string[]) =>
    runProgram(["scenarios", "sync", ...args, "--json", "--data", join(at, ".data")]);
  const told = async (outcome: ReturnType<typeof sync>) => {
    const { code, stdout, stderr } = await outcome;
    const { error, message } = JSON.parse(stdout) as { error: string; message: string };
    expect(stderr).toContain(message);
    return { code, error, message };
  };
  expect(await told(sync(join(at, "none")))).toEqual({
    code: 1,
    error: "invalid_request",
    message: `There is no folder ${join(at, "none")}.`,
  });
  writeFileSync(join(at, "wrong.scenario.md"), written("wrong", "1. clik x"));
  expect(await told(sync(at))).toEqual({
    code: 1,
    error: "validation_failed",
    message: 'wrong.scenario.md:5:4: clik is no verb; did you mean "click"?',
  });
  expect(await told(sync(at, "--slowly"))).toMatchObject({
    code: 2,
    error: "invalid_request",
    message: expect.stringContaining("unknown option '--slowly'"),
  });
});

test("a folder is taken in whole or not at all; links are named, and not followed", async () => {
  const at = mkdtempSync(join(folder, "sync-"));
  const data = join(at, ".data");
  const sync = (...more: string[]) => runProgram(["scenarios", "sync", at, "--data", data, ...more]);
  writeFileSync(
    join(at, "one.scenario.md"),
    `\ufeff${written("one", '1. go to "/"').replaceAll("\n", "\r\n")}`,
  );
  symlinkSync(join(folder, "good.scenario.md"), join(at, "out.scenario.md"));
  symlinkSync("nowhere", join(at, "dangling.scenario.md"));
  const first = await sync("--json");
  expect(JSON.parse(first.stdout)).toEqual({ created: ["one"], updated: [], unchanged: [], missing: [] });
  for (const name of ["out", "dangling"])
    expect(first.stderr).toContain(`${join(at, name)}.scenario.md is a link, and is left out`);
  writeFileSync(join(at, "two.scenario.md"), written("two", '1. go to "/"'));
  writeFileSync(join(at, "wrong.scenario.md"), "\xff\xfe");
  writeFileSync(join(at, "latin.scenario.md"), Buffer.from("\xe9", "latin1"));
  const unreadable = await sync("--json");
  expect(unreadable.stderr).toContain("latin.scenario.md:1:1: what stands here is not UTF-8");
  expect(unreadable.code).toBe(1);
  expect(JSON.parse(unreadable.stdout)).toEqual({
    error: "validation_failed",
    message: expect.stringContaining("latin.scenario.md:1:1: what stands here is not UTF-8"),
  });
  rmSync(join(at, "latin.scenario.md"));
  writeFileSync(join(at, "wrong.scenario.md"), written("one", '1. go to "/"'));
  const doubled = await sync();
  expect(doubled.stderr).toContain(
    'wrong.scenario.md:1:1: the slug "one" is that of one.scenario.md already',
  );
  const checked = await runProgram([
    "scenarios",
    "check",
    join(at, "one.scenario.md"),
    join(at, "wrong.scenario.md"),
  ]);
  expect(checked.stderr).toContain('wrong.scenario.md:1:1: the slug "one" is that of');
  expect([doubled.code, checked.code]).toEqual([1, 1]);
  rmSync(join(at, "wrong.scenario.md"));
  expect(JSON.parse((await sync("--json")).stdout)).toMatchObject({ created: ["two"], unchanged: ["one"] });
  expect((await runProgram(["scenarios", "sync", join(at, "none"), "--data", data])).code).toBe(1);
});

test("a first scenario is written from an address, passes its own check, and is never written over", async () => {
  const out = join(folder, "first");
  const write = (url: string) => runProgram(["scenarios", "new", url, "--text", 'Your "cart"', "--out", out]);
  const written = await write("https://shop.example/cart");
  expect([written.code, written.stderr]).toEqual([0, ""]);
  const file = join(out, "shop-example-cart.scenario.md");
  expect(written.stdout).toContain(file);
  const checked = await runProgram(["scenarios", "check", file]);
  expect(checked.stdout).toContain("shop-example-cart, 2 steps");
  const again = await write("https://shop.example/cart");
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")]);
  const wrong = await write("shop.example");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("https://shop.example/cart")]);
});
