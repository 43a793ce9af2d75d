import { expect, test } from "bun:test";
import { click, page, run, SITE } from "../run.ts";
import { textOf, told } from "./scene.ts";

const sort = click("Select option getByLabel('Sort by')", {
  name: "page.selectOption",
  ts: 4_100,
  step_id: "sort",
  params: { selector: 'internal:label="Sort by"i' },
});
const html = (...names: string[]) =>
  `<p data-testid="count">${names.length} shows</p><ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`;
const cause = (from: string, to: string, before: string, after: string) =>
  told(
    run(
      page(before, { ts: 4_000, step_id: "sort", phase: "action", url: `${SITE}${from}` }),
      sort,
      page(after, { url: `${SITE}${to}` }),
      textOf("count", "2 shows", "4 shows"),
    ),
  ).join("\n");
const few = html("Ice and Iron", "Harbour Maps");
const all = html("Loom", "Ice and Iron", "Night Gardens", "Harbour Maps");

test("an order that led to an address without the filter of before is told with the things that came besides", () => {
  expect(cause("/shows?category=History", "/shows?sort=price", few, all)).toContain(
    "led from “shop.example/shows?category=History” to “shop.example/shows?sort=price”: “category=History” was dropped, and the page lists 4 things, “Loom” among them",
  );
});

test("a filter that stays, one that was taken back itself, and a list with no other things are not told", () => {
  for (const said of [
    cause("/shows?category=History", "/shows?category=History&sort=price", few, all),
    cause("/shows?category=History", "/shows", few, all),
    cause("/shows?category=History", "/shows?sort=price", all, few),
    cause("/shows?page=2", "/shows?sort=price", few, all),
  ])
    expect(said).not.toContain("was dropped");
});
