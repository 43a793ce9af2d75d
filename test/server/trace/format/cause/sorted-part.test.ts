import { expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "./run.ts";

const TITLES: Record<number, string> = {
  12: "Moscow",
  10: "Beloved",
  9: "Whale",
  7: "Oceans",
  6: "Fisher",
  5: "Station",
  4: "Nemo",
  1: "Storm",
};
const table = (copies: readonly number[], query = "sort=copies&dir=desc") =>
  exchange(`/catalogue?${query}`, {
    ts: 4_000,
    resource_type: "document",
    media_type: "text/html",
    body: `<h1>Catalogue</h1><table><tr><th>Title</th><th>Copies</th></tr>${copies
      .map((number) => `<tr><td>${TITLES[number]}</td><td>${number}</td></tr>`)
      .join("")}</table>`,
  });
const check = { expected: '"Moscow"', received: '"Whale9"' };
const usual = run(...table([12, 10, 9, 7]), passing(check));
const toldOf = (copies: readonly number[], pass = usual) =>
  told(run(...table(copies), failing(check)), pass, pass);

test("the first rows of a table that is sorted as texts are, are told by what stands first in passes", () => {
  expect(toldOf([9, 7, 6, 5])[0]).toBe(
    "answer_changed: GET /catalogue?sort=copies&dir=desc answered a list that is sorted by “Copies” as texts are, not as numbers: it begins with 9 where the last pass has 12",
  );
});

test("rows are not sorted as texts where others are lacking as well, or only the page is another one", () => {
  const silent = (titles: string[]) => expect(titles.join("\n")).not.toContain("as texts are");
  // The next part of the list, and a list of other things.
  silent(toldOf([6, 5, 4, 1]));
  silent(toldOf([9, 6, 5, 4]));
  silent(toldOf([9, 5, 7, 6]));
  // So it stands in the passes too.
  silent(toldOf([9, 7, 6, 5], run(...table([9, 7, 6, 5]), passing(check))));
  // Sorted by something else there.
  silent(toldOf([9, 7, 6, 5], run(...table([10, 12, 7, 9]), passing(check))));
  silent(toldOf([9, 7, 6, 5], run(...table([12, 10, 9, 7], "sort=title"), passing(check))));
});
