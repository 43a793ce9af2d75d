import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BENCHES, type BenchResult, complaintsAbout, obstacle } from "./bench.ts";

const BENCH = { about: "doors", needs: [], figures: ["opening ", "closing "] };
const figure = (name: string, more: Partial<BenchResult> = {}): BenchResult => ({
  name,
  ratio: 1.2,
  target: "≤ 1",
  ok: false,
  detail: "12 ms against 10 ms",
  ...more,
});

describe("whether a bench can run here", () => {
  test("nothing keeps one that needs what is there", () => {
    expect(obstacle({ about: "", needs: ["sh"], system: process.platform, figures: [] })).toBeNull();
  });

  test("a program that is missing, or another system, is told", () => {
    expect(obstacle({ about: "", needs: ["sh", "no-such-program"], figures: [] })).toBe(
      "there is no no-such-program here",
    );
    expect(obstacle({ about: "", needs: [], system: "aix", figures: [] })).toBe("it measures on aix alone");
  });
});

describe("whether a bench measures", () => {
  test("every bench that has a name has a file", () => {
    for (const name of Object.keys(BENCHES))
      expect(existsSync(join(import.meta.dir, `${name}.ts`))).toBe(true);
  });

  test("figures of all the names that it should have pass, whether or not they meet their targets", () => {
    expect(complaintsAbout(BENCH, [figure("opening a"), figure("opening b"), figure("closing a")])).toEqual(
      [],
    );
  });

  test("a figure that is missing, of another name, or there twice is told", () => {
    const results = [figure("opening a"), figure("opening a"), figure("moving a")];
    expect(complaintsAbout(BENCH, results)).toEqual([
      'no figure begins with "closing "',
      '"opening a" is there twice',
      '"moving a" is a figure that nobody expects',
    ]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0])("a ratio of %p is told", (ratio) => {
    const results = [figure("opening a", { ratio }), figure("closing a")];
    expect(complaintsAbout(BENCH, results)).toEqual([`"opening a" is ${ratio}`]);
  });

  test("none of the cases is a share like any other", () => {
    const results = [figure("opening a", { ratio: 0, isShare: true }), figure("closing a")];
    expect(complaintsAbout(BENCH, results)).toEqual([]);
  });
});
