import { describe, expect, test } from "bun:test";
import { readArguments } from "./arguments.ts";
import { BENCHES, type BenchName } from "./bench.ts";

const ALL = Object.keys(BENCHES) as BenchName[];

describe("what bun run bench is asked for", () => {
  test("nothing means every bench at its full size, printed and not written", () => {
    expect(readArguments([])).toEqual({
      names: ALL,
      options: { only: [], isSmall: false },
      isWriting: false,
    });
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
    expect(() => readArguments(["--write", option])).toThrow("Only whole figures are written");
  });

  test("an option that is not there is refused", () => {
    expect(() => readArguments(["--tiny"])).toThrow("--tiny");
  });
});
