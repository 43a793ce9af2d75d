import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { dependencies, devDependencies } from "../../../package.json";
import { gatherNotices } from "../../../server/notices/gather.ts";
import { isPermissive, type Notice, problemsOf } from "../../../server/notices/model.ts";
import { runProgram } from "../../helpers/program.ts";

setDefaultTimeout(120_000);

let notices: Notice[];
beforeAll(async () => {
  notices = await gatherNotices();
});

test("all that is in the executable may be passed on, and has its terms in full", () => {
  expect(notices.flatMap(problemsOf)).toEqual([]);
  for (const { name, version, text, url } of notices) {
    expect([name, version]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(text.length).toBeGreaterThan(100);
    if (url !== null) expect(url).toMatch(/^https?:\/\/[\w.-]+\/\S+$/);
  }
});

test("every dependency is named, with what is within it, Playwright's viewer and the runtime; tools of the tests are not", () => {
  const names = notices.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(names).toEqual(
    expect.arrayContaining([
      "bun",
      "rrweb-snapshot",
      "postcss",
      "streamsearch",
      "codemirror",
      "Codicons",
      "zod",
      "ajv",
    ]),
  );
  // The product's own libraries bring these along; the tests use them too.
  const both = ["ajv", "oauth4webapi"];
  const tools = Object.keys(devDependencies).filter((name) => names.includes(name) && !both.includes(name));
  expect(tools).toEqual([]);
  expect(new Set(notices.map(({ name, version }) => `${name} ${version}`)).size).toBe(notices.length);
  const playwright = notices.find(({ name }) => name === "playwright-core")!;
  // Of the packages that its bundles hold, by their own lists.
  expect(playwright.text).toContain("- @modelcontextprotocol/sdk@");
  expect(notices.find(({ name }) => name === "bun")!.text).toContain("statically links JavaScriptCore");
});

test("what has no terms, or terms that do not permit it, is refused", () => {
  const good: Notice = {
    name: "a",
    version: "1.0.0",
    license: "MIT",
    url: null,
    text: "Permission is hereby granted",
  };
  expect(problemsOf(good)).toEqual([]);
  expect(problemsOf({ ...good, text: " " })).toEqual(["a has no licence text."]);
  for (const license of [
    "",
    "GPL-3.0-only",
    "SSPL-1.0",
    "UNLICENSED",
    "SEE LICENSE IN x",
    "MIT AND GPL-2.0-only",
  ])
    expect(problemsOf({ ...good, license })).toHaveLength(1);
  expect(problemsOf({ ...good, text: "GNU GENERAL PUBLIC LICENSE" })).toHaveLength(1);
  for (const license of ["(MIT OR GPL-3.0-only)", "Apache-2.0 AND MIT", "BSD-3-Clause", "MIT-0"])
    expect([license, isPermissive(license)]).toEqual([license, true]);
});

test("the program prints them, for people and for programs", async () => {
  const { code, stdout } = await runProgram(["licenses"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^NAME +VERSION +LICENCE +FROM\n/);
  expect(stdout).toContain("\nelysia ");
  expect(stdout).toContain("Permission is hereby granted");
  const json = await runProgram(["licenses", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual(notices);
});
