import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readArguments } from "./arguments.ts";
import { BENCHES, type BenchName } from "./bench.ts";
import { benchesInWords } from "./listing.ts";

const ALL = Object.keys(BENCHES) as BenchName[];

describe("what bun run bench is asked for", () => {
  test("all means every bench at its full size, printed and not written, whatever else is named", () => {
    const whole = { names: ALL, options: { only: [], isSmall: false }, isWriting: false };
    expect(readArguments(["all"])).toEqual(whole);
    expect(readArguments(["startup", "all"])).toEqual(whole);
  });

  test("nothing means no bench", () => {
    expect(readArguments([]).names).toEqual([]);
  });

  test.each([["--small"], ["--write"], ["--only=covered"]])("%s without a bench is refused", (option) => {
    expect(() => readArguments([option])).toThrow('Which bench? Name some, or say "all".');
  });

  test("benches that are named run in their own order, each once", () => {
    expect(readArguments(["ingest", "startup", "ingest"]).names).toEqual(["startup", "ingest"]);
  });

  test("--only is given as often as there are cases", () => {
    expect(readArguments(["cause", "--only", "covered", "--only", "crash", "--small"]).options).toEqual({
      only: ["covered", "crash"],
      isSmall: true,
    });
  });

  test("a bench that is not there is refused with those that are", () => {
    expect(() => readArguments(["speed"])).toThrow(
      `There is no bench "speed". There are: ${ALL.join(", ")}.`,
    );
  });

  test.each([["--small"], ["--only=covered"]])("what is measured with %s is never written", (option) => {
    expect(() => readArguments(["all", "--write", option])).toThrow("Only whole figures are written");
  });

  test("an option that is not there is refused", () => {
    expect(() => readArguments(["--tiny"])).toThrow("--tiny");
  });
});

describe("bun run bench without a name", () => {
  test("tells what there is to measure, each in a line, how it is asked for, and measures nothing", async () => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect([await child.exited, err]).toEqual([0, ""]);
    expect(out).toBe(`${benchesInWords()}\n`);
  });

  test("each line has the name of a bench and what it measures, and fits a terminal", () => {
    const lines = benchesInWords().split("\n");
    for (const [name, { about }] of Object.entries(BENCHES))
      expect(
        lines.filter((line) => line.startsWith(`  ${name} `) && line.endsWith(`  ${about}`)),
      ).toHaveLength(1);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
    expect(lines.at(-1)).toStartWith("bun run bench all ");
  });
});
