import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { executable } from "../helpers/executable.ts";
import { type Outcome, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

describe("what the executable refuses, it refuses in one sentence", () => {
  const scratch = scratchFolder();
  const data = scratch.at("data");
  let command: string[];

  beforeAll(async () => {
    command = [await executable()];
    await runProgram(["keys", "list", "--data", data], { command });
  }, 120_000);

  afterAll(scratch.remove);

  const serve = (...args: string[]) =>
    runProgram(["serve", "--no-open", "--port", "0", "--data", data, ...args], {
      command,
      cwd: scratch.path,
    });

  function expectRefusal({ code, stdout, stderr }: Outcome, words: RegExp) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }

  test("a second server on a folder, which leaves the first alone", async () => {
    const first = await startProgram(data, { command, cwd: scratch.path });
    expectRefusal(await serve(), new RegExp(`process ${first.pid}`));
    expect((await first.api("/api/v1/me")).status).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  test("a port that another program has", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    expectRefusal(await serve("--port", String(port)), new RegExp(`Port ${port} .*in use`));
    other.close();
  });

  test("a database of a newer version, which stays as it is", async () => {
    const path = join(data, "tracedeck.db");
    const setVersion = (version: number) => {
      const records = new Database(path);
      records.exec(`PRAGMA user_version = ${version}`);
      records.close();
    };
    const before = new Database(path, { readonly: true });
    const { user_version } = before.query("PRAGMA user_version").get() as { user_version: number };
    before.close();
    setVersion(999);
    expectRefusal(await serve(), /schema version 999.*newer tracedeck/);
    setVersion(user_version);
    const server = await startProgram(data, { command });
    expect(await server.stop()).toBe(0);
  });

  test.each([
    ["no JSON", "{ plan", /line 1/],
    ["another shape", "[]", /object/],
    ["a wrong type", '{\n\n "signed_url_seconds": "1 hour" }', /line 3: "signed_url_seconds"/],
    ["a wrong word", '{ "plan": "gold" }', /"plan" must be/],
    ["an unknown key", '{ "plna": "team" }', /"plna" is not a setting/],
    ["a key of prototypes", '{ "__proto__": { "plan": "free" } }', /__proto__/],
    ["an impossible number", '{ "upload_cap_bytes": 1e999 }', /upload_cap_bytes/],
    ["a number below zero", '{ "retention": { "hot_days": -1 } }', /retention\.hot_days/],
    ["a script for an address", '{ "public_url": "javascript:alert(1)" }', /public_url/],
    ["NUL", '{ "plan": "team\u0000" }', /line 1/],
  ])("settings.json with %s, which stays as it is", async (_, text, words) => {
    const path = join(data, "settings.json");
    writeFileSync(path, text);
    try {
      expectRefusal(await serve(), words);
      expect(readFileSync(path, "utf8")).toBe(text);
    } finally {
      writeFileSync(path, "{}");
    }
  });
});
