import { expect, test } from "bun:test";
import { click, exchange, run } from "../run.ts";
import { around, document, fill, json, post, textOf, told } from "./scene.ts";

const ALL = ["Harbour Gate", "Old Mill", "Linden Square", "Market Hall"];
const html = (names: string[], figure = 3) =>
  `<p data-testid="count">${names.length} places</p><ul>${names.map((name) => `<li>${name}, ${figure} free</li>`).join("")}</ul>`;
const places = (url: string, ts: number, names = ALL) =>
  json(
    url,
    names.map((name) => ({ name })),
    { ts },
  );
const search = fill("Search places", "mill", 4_100);
const select = click("Select option getByLabel('District')", {
  name: "page.selectOption",
  ts: 4_100,
  params: { selector: 'internal:label="District"i', options: [{ valueOrLabel: "South" }] },
});
const next = click("Click getByRole('button', { name: 'Next' })", { name: "page.click", ts: 4_100 });
const count = textOf("count", "1 places", "4 places");
const cause = (action: ReturnType<typeof click>, after: string, ...more: Parameters<typeof run>) =>
  told(run(...places("/api/places", 2_000), ...around(action, html(ALL), after), ...more, count)).join("\n");

test("a list that has the same things after a search or a filter, for which nothing was asked, leads", () => {
  expect(cause(search, html(ALL))).toContain(
    "request_unsent: The page lists the same 4 things after “Fill \"mill\" getByLabel('Search places')” as before, and no request was sent: the list was not filtered, or not yet",
  );
  // What goes on in each of them meanwhile is no other list.
  expect(cause(select, html(ALL, 9))).toStartWith("request_unsent: The page lists the same 4 things");
});

test("it is told with the question that was asked in vain, by its name or without the word", () => {
  expect(cause(search, html(ALL), ...places("/api/places?query=mill", 4_300))).toContain(
    "and the page lists the same 4 things as before: the search had no effect, or goes by another name than “query”",
  );
  expect(cause(search, html(ALL), ...places("/api/places?q=", 4_300))).toContain(
    " without “mill”, and the page",
  );
  expect(cause(next, html(ALL), ...places("/api/places?page=1", 4_300))).toContain(
    "it is the same page again",
  );
});

test("another list, things that all match, a write, and what the page asks for besides are not told", () => {
  const opened = document("/places", "<ul></ul>", { ts: 1_000 });
  const [asked, came] = exchange("/app.js", { ts: 1_100, resource_type: "script" });
  const late = [asked!, { ...came!, ts: 5_900 }];
  for (const said of [
    cause(search, html(ALL.slice(1))),
    cause(fill("Search places", "free", 4_100), html(ALL)),
    cause(fill("Name", "mill", 4_100), html(ALL)),
    cause(select, html(ALL), ...post("/api/settings", 200, {})),
    cause(select, html(ALL), ...json("/api/summary", { count: 4 }, { ts: 4_200 })),
    cause(next, html(ALL)),
    told(run(...opened, ...late, ...around(select, html(ALL), html(ALL)), count)).join(),
  ])
    expect(said).not.toContain("the same 4 things");
});
