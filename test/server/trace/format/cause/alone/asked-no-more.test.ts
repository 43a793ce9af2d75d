import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { around, json, missed, told } from "./scene.ts";

const all = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");
const counting = failing({
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByTestId('job')",
  message: "expect(locator).toHaveCount(expected) failed",
  expected: "3",
  received: "10",
});
const pick = (field: string, value: string, ts: number) =>
  click(`Select option getByLabel('${field}')`, {
    name: "page.selectOption",
    ts,
    params: { selector: `internal:label="${field}"i`, options: [{ valueOrLabel: value }] },
  });

test("a filter that the next question lacks is told where it still stands in its field", () => {
  const cause = (query: string, html: string) =>
    all(
      ...json("/api/jobs?q=excel", [], { ts: 3_000 }),
      pick("Level", "basic", 4_000),
      ...json(`/api/jobs?${query}`, [], { ts: 4_100 }),
      page(html),
      counting,
    );
  const field = '<label>Search <input value="excel"></label>';
  expect(cause("level=basic", field)).toContain(
    "was asked with “level=basic” and without “q=excel”, which the question before it had and which still stands in “Search”",
  );
  const named = cause("level=basic&access_token=t-1.hush.of.this.one.person.alone", field);
  expect(named).toContain("was asked with “level=basic” and without “q=excel”");
  expect(named).not.toContain("hush");
  for (const silent of [
    cause("q=excel&level=basic", field),
    cause("level=basic", '<label>Search <input value=""></label>'),
    cause("level=basic", '<input type="hidden" name="q" value="excel">'),
  ])
    expect(silent).not.toContain("that filter was dropped");
});

describe("a choice that nothing was asked for with", () => {
  test("is told with the last question, by the name of its field", () => {
    const cause = (...since: ReturnType<typeof exchange>) =>
      all(
        ...json("/api/jobs?level=all&page=1", [], { ts: 3_000 }),
        pick("Level", "basic", 4_000),
        ...since,
        page("<p>Jobs</p>"),
        counting,
      );
    expect(cause()).toContain(
      "the last one, GET /api/jobs?level=all&page=1, was asked with “all” for “level”, and “basic” was never asked for",
    );
    expect(cause(...json("/api/jobs?level=basic&page=1", [], { ts: 4_100 }))).not.toContain(
      "never asked for",
    );
    expect(
      all(
        ...json("/api/jobs?page=1", [], { ts: 3_000 }),
        pick("Level", "basic", 4_000),
        page("<p>Jobs</p>"),
        counting,
      ),
    ).not.toContain("never asked for");
  });

  test("is told of a month that the page is headed with", () => {
    const cause = (asked: string, ...since: ReturnType<typeof exchange>) =>
      all(
        ...json(`/api/live?month=${asked}`, [], { ts: 3_000 }),
        click("Click Next month", { ts: 4_000, name: "page.click" }),
        ...since,
        page("<h2>December 2026</h2>"),
        counting,
      );
    expect(cause("2026-11")).toContain(
      "was asked with “2026-11” for “month”, and “December 2026” was never asked for",
    );
    for (const silent of [
      cause("2026-12"),
      cause("2026-11", ...json("/api/calendar?from=1", [], { ts: 4_100 })),
    ])
      expect(silent).not.toContain("never asked for");
  });
});

test("what a part was added to and what was not read again since is told, unless the page went elsewhere", () => {
  const send = click("Click Send", { ts: 4_000, name: "page.click", page: "p1" });
  const added = (url: string, method = "POST") => json(url, { id: 2 }, { method, ts: 4_100, status: 201 });
  const one = failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByRole('article')",
    message: "expect(locator).toHaveCount(expected) failed",
    expected: "2",
    received: "1",
  });
  const cause = (...events: ReturnType<typeof exchange>) =>
    all(...json("/api/jobs/7", { id: 7 }, { ts: 3_000 }), send, ...events, page("<article>A</article>"), one);
  expect(cause(...added("/api/jobs/7/replies"))).toContain(
    "GET /api/jobs/7 was not asked for again after POST /api/jobs/7/replies, answered with 201: nothing was reloaded",
  );
  for (const silent of [
    cause(...added("/api/jobs/7/replies"), ...json("/api/jobs/7", { id: 7 }, { ts: 4_300 })),
    cause(...added("/api/jobs/7", "PATCH")),
    cause(...added("/api/notes")),
  ])
    expect(silent).not.toContain("nothing was reloaded");
});

test("a search that found nothing is told by its letters where the page had shown the word otherwise written", () => {
  const search = click("Fill \"excel\" getByLabel('Search')", {
    name: "page.fill",
    step_id: "fill",
    ts: 4_010,
    params: { selector: 'internal:label="Search"i', value: "excel" },
  });
  const cause = (before: string, after: string, more = "", ...earlier: ReturnType<typeof json>) =>
    all(
      ...earlier,
      ...around(search, `<label>Search <input></label><h2>${before}</h2>`, `<p>${after}</p>`),
      ...json(`/api/courses?q=excel${more}`, [], { ts: 4_100 }),
      failing({ expected: '"3 courses"', received: '"0 courses"' }),
    );
  expect(cause("Excel for all", "0 courses")).toContain(
    "found nothing for “excel”, though the page had shown “Excel for all” before: the search tells capital letters from small ones",
  );
  for (const silent of [
    cause("All about excel", "0 courses"),
    cause("Excel for all", "Excel for all"),
    cause("SQL", "0 courses"),
    // What is asked for besides may be why there is none.
    cause("Excel for all", "0 courses", "&sort=date&kind=office"),
  ])
    expect(silent).not.toContain("capital letters");
  const sent = (more: object) =>
    all(
      ...around(search, "<label>Search <input></label><h2>Excel for all</h2>", "<p>0 courses</p>"),
      ...json("/api/search", [], { ts: 4_100, method: "POST", request: { body: JSON.stringify(more) } }),
      failing({ expected: '"3 courses"', received: '"0 courses"' }),
    );
  expect(sent({ filter: { text: "excel", kind: null } })).toContain("capital letters");
  expect(sent({ filter: { text: "excel", kind: "office" } })).not.toContain("capital letters");
  const office = json("/api/courses?q=&kind=office", [{ title: "Excel for all" }], { ts: 3_000 });
  expect(cause("Excel for all", "0 courses", "&_rsc=fxynq0rh")).toContain("capital letters");
  expect(cause("Excel for all", "0 courses", "&sort=date&kind=office", ...office)).toContain(
    "capital letters",
  );
});

test("a value that was read once while the answer was under way is told as read too soon", () => {
  const cause = (read: number) =>
    all(
      click("Click Customers", { ts: 4_000, duration_ms: 20, name: "page.click" }),
      click("Query count getByRole('row')", { ts: read, duration_ms: 20, name: "page.count" }),
      ...json("/api/customers", [], { ts: 4_050 }),
      failing({
        ts: 4_130,
        duration_ms: 3,
        name: "toBe",
        title: 'Expect "toBe"',
        expected: "9",
        received: "1",
      }),
    );
  expect(cause(4_055)).toContain("The test read “Query count getByRole('row')” once and did not wait");
  expect(cause(4_070)).not.toContain("did not wait");
});

test("a route that no request met is told with the address that is almost its own", () => {
  const cause = (glob: string, url: string) =>
    all(
      click("Route requests", {
        ts: 1_000,
        name: "page.setNetworkInterceptionPatterns",
        params: { patterns: [{ glob }] },
      }),
      click("Click Reports", { ts: 4_000 }),
      ...json(url, { open: 16 }, { ts: 4_100 }),
      failing({ expected: '"48210"', received: '"16"' }),
    );
  expect(cause("**/api/report/summary", "/api/reports/summary")).toContain(
    "The test's own route for “**/api/report/summary” was never used: no request matches it, the page asked GET /api/reports/summary",
  );
  for (const silent of [
    cause("**/api/report/summary", "/api/report/summary"),
    cause("**/api/users/summary", "/api/reports/summary"),
    cause("**/*.png", "/api/reports/summary"),
  ])
    expect(silent).not.toContain("was never used");
});

test("a form that its only button sends not is told by the button's type", () => {
  const create = click("Click getByRole('button', { name: 'Create' })", {
    name: "page.click",
    step_id: "create",
    ts: 4_010,
    params: { selector: 'internal:role=button[name="Create"i]' },
  });
  const fill = click("Fill \"A\" getByLabel('Title')", {
    name: "page.fill",
    ts: 3_000,
    params: { selector: 'internal:label="Title"i', value: "A" },
  });
  const form = (type: string, more = "") =>
    `<form><label>Title <input __playwright_value_="A"></label><button type="${type}" __playwright_target__="">Create</button></form>${more}`;
  const cause = (type: string, ...since: ReturnType<typeof exchange>) =>
    all(
      fill,
      ...around(create, form(type, "<ul><li>Low</li></ul>"), form(type)),
      ...since,
      missed("getByText('Created')"),
    );
  expect(cause("button")).toContain("sent nothing: the button is of type “button”, which submits no form");
  for (const silent of [
    cause("submit"),
    cause("button", ...exchange("/api/jobs", { method: "POST", ts: 4_100 })),
  ])
    expect(silent).not.toContain("sent nothing");
});

test("a search after which the page lists what it had listed before is told as ignored", () => {
  const search = click("Fill \"excel\" getByLabel('Search')", {
    name: "page.fill",
    step_id: "fill",
    ts: 4_010,
    params: { selector: 'internal:label="Search"i', value: "excel" },
  });
  const shown = (...items: string[]) =>
    `<label>Search <input></label><ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
  const cause = (before: string, after: string, url = "/api/courses?query=excel") =>
    all(
      ...around(search, before, after),
      ...json(url, [], { ts: 4_100 }),
      failing({ expected: '"1 courses"', received: '"3 courses"' }),
    );
  const courses = shown("Excel", "SQL", "Law");
  expect(cause(courses, courses)).toContain(
    "asked for “excel” for “query”, and the page lists the same things as before, of which others have nothing of it (“SQL”)",
  );
  for (const silent of [
    cause(courses, shown("Excel")),
    cause(shown("Python", "SQL", "Law"), shown("Python", "SQL", "Law")),
    cause(courses, courses, "/api/courses?page=1"),
  ])
    expect(silent).not.toContain("the search was ignored");
});

test("a list without items that has a part of the page for itself is not why a button is missing", () => {
  const cause = (url: string, html: string) =>
    told(
      run(
        click("Click Speaking", { ts: 4_000 }),
        ...json(url, { items: [] }, { ts: 4_100 }),
        page(html, { url: "http://shop.example/courses/speaking" }),
        missed("getByRole('button', { name: 'Enrol now' })"),
      ),
    )[0]!;
  const comments = "<button>Join</button><h2>Comments (0)</h2>";
  expect(cause("/api/comments/speaking", comments)).toStartWith("element_missing:");
  expect(cause("/api/comments/speaking", "<button>Join</button>")).toContain("answered with an empty list");
});

test("what leads through the site is none of the things that an answer lists", () => {
  const cause = (around: string) =>
    all(
      click("Click Home", { ts: 4_000 }),
      ...json("/api/tickets", [{ name: "Tickets" }, { name: "Invoices" }], { ts: 4_100 }),
      page(`<${around}><a href="/t">Tickets</a><a href="/i">Invoices</a></${around}>`),
      missed("getByRole('link', { name: 'Team settings' })"),
    );
  expect(cause("nav")).not.toContain("none of which has “Team settings”");
  expect(cause("main")).toContain("none of which has “Team settings”");
});
