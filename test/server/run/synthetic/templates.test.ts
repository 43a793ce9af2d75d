import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { runProgram, scratchFolder } from "../../../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
afterAll(scratch.remove);

describe("synthetic init", () => {
  test("writes what was asked for, and over nothing", async () => {
    const out = scratch.at("out");
    const made = await runProgram(["synthetic", "init", "--db", "postgres,redis", "--out", out]);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const names = [...new Bun.Glob("*").scanSync(out)].sort();
    expect(names).toEqual([
      "README.md",
      "analytics.js",
      "middleware.mjs",
      "object-store.json",
      "postgres.sql",
      "redis.lua",
    ]);
    expect(await Bun.file(`${out}/README.md`).text()).toContain("synthetic_cleanup(7)");
    const lifecycle = (await Bun.file(`${out}/object-store.json`).json()) as { Rules: object[] };
    expect(lifecycle.Rules).toMatchObject([{ Filter: { Prefix: "synthetic/" }, Expiration: { Days: 7 } }]);
    const again = await runProgram(["synthetic", "init", "--out", out]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")]);
    const wrong = await runProgram(["synthetic", "init", "--db", "oracle", "--out", out]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("one of postgres, mysql")]);
  });
});
