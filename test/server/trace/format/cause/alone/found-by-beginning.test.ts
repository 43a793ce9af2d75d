import { expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { around, fill, json, textOf, told } from "./scene.ts";

const html = (...names: string[]) =>
  `<p data-testid="count">${names.length} places</p><ul>${names.map((name) => `<li><h3>${name}</h3></li>`).join("")}</ul>`;
const ALL = ["Harbour Gate", "Old Mill", "Market Hall"];
const cause = (text: string, ...after: string[]) =>
  told(
    run(
      ...around(fill("Search", text, 4_100), html(...ALL), html(...after)),
      textOf("count", "2 places", `${after.length} places`),
    ),
  ).join("\n");

test("a search that leaves out what has the word further on is told by both", () => {
  expect(cause("ha", "Harbour Gate")).toContain(
    "“Market Hall” is not among what was found after “Fill \"ha\" getByLabel('Search')”: all of that begins with the word (“Harbour Gate”), and “Market Hall” has it further on",
  );
});

test("it is told of an answer too, by what the test wants", () => {
  const events = [
    click("Type \"harb\" getByLabel('Merchant')", { name: "page.type", ts: 4_100, params: { text: "harb" } }),
    ...json("/api/merchants?q=harb", [{ name: "Harbor Grill" }], { ts: 4_200 }),
    page('<div role="option">Harbor Grill</div>'),
  ];
  const wants = (...all: string[]) =>
    told(
      run(
        ...events,
        failing({
          title: "Expect \"toHaveText\" getByRole('option')",
          expected: JSON.stringify(all),
          received: '["Harbor Grill"]',
        }),
      ),
    ).join("\n");
  expect(wants("Blue Harbor Inn", "Harbor Grill")).toContain(
    "by GET /api/merchants?q=harb: all of that begins",
  );
  expect(wants("Harbor Grill", "Harbor Inn")).not.toContain("further on");
});

test("a search that finds words within, or leaves nothing of the kind out, is not told", () => {
  for (const said of [
    cause("ha", "Market Hall"),
    cause("ha", "Harbour Gate", "Market Hall"),
    cause("old", "Old Mill"),
  ])
    expect(said).not.toContain("further on");
});
