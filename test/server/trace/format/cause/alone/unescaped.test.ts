import { describe, expect, test } from "bun:test";
import { failing, page, run } from "../run.ts";
import { fill, json, told } from "./scene.ts";

const counting = failing({ expected: '"1 article"', received: '"2 articles"' });
const list = (query: string, ts: number) => json(`/api/articles${query}`, { items: [], total: 2 }, { ts });
const asked = (text: string, query: string) =>
  told(
    run(...list("", 3_000), fill("Search", text, 4_000), ...list(query, 4_200), page("<p>2</p>"), counting),
  );

describe("a text that stands in an address as it was typed", () => {
  const cut = "the text stands in the address as it is";

  test("is told with what one of its signs made of it", () => {
    expect(asked("nut & bolt", "?search=nut%20&%20bolt&page=1")[0]).toBe(
      `page_changed: GET /api/articles was sent with “nut” for “search”, though the test had typed “nut & bolt”: ${cut}, where “&” ends a value (it was not encoded)`,
    );
    expect(asked("c++", "?q=c++")[0]).toContain(`${cut}, where “+” says a space`);
    expect(asked("row#7", "?q=row")[0]).toContain(`${cut}, where “#” ends a value`);
  });

  test("is not told of one that was encoded, in whatever way, nor of another text", () => {
    for (const [text, query] of [
      ["nut & bolt", "?search=nut%20%26%20bolt&page=1"],
      ["nut & bolt", "?search=nut+%26+bolt"],
      ["c++", "?q=c%2B%2B"],
      ["nut & bolt", "?search=nut&page=1"],
      ["nut & bolt", "?search=wood"],
    ] as const)
      expect(asked(text, query).join("\n")).not.toContain(cut);
  });
});

test("what a page asks for by its clock is no search that lacks what was typed", () => {
  const cause = (...times: number[]) =>
    told(
      run(
        ...times.slice(0, 2).flatMap((ts) => json("/api/notices", [{ id: 2 }], { ts })),
        fill("Search", "bolt", 4_000),
        ...times.slice(2).flatMap((ts) => json("/api/notices", [{ id: 2 }], { ts })),
        page("<p>2</p>"),
        counting,
      ),
    ).join("\n");
  expect(cause(2_000, 3_500, 5_000, 6_500)).not.toContain("was sent without “bolt”");
  expect(cause(1_000, 1_100, 4_300)).toContain("GET /api/notices was sent without “bolt”");
});
