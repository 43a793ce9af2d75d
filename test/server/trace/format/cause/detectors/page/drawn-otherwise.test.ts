import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

/** A part of a page that the server renders, whose text no recorder kept. */
const drawn = (path: string, ts = 3_050, more: object = {}) =>
  exchange(path, { ts, media_type: "text/x-component", ...more });
const books = (...all: [title: string, price: number][]) =>
  `<h1>Books</h1><ul aria-label="Books">${all.map(([title, price]) => `<li><h2>${title}</h2><p>€${price}</p></li>`).join("")}</ul>`;
const EMMA: [string, number] = ["Emma", 12];
const DUNE: [string, number] = ["Dune", 9];
const BOTH = books(EMMA, DUNE);

const pick = click("Select option getByLabel('Shelf')", {
  name: "page.selectOption",
  ts: 3_000,
  step_id: "pick",
});
const met = (html: string) =>
  page(html, { step_id: "pick", phase: "action", ts: 3_005, url: `${SITE}/books` });
const look = {
  title: "Expect \"toHaveCount\" getByRole('listitem')",
  name: "toHaveCount",
  message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByRole('listitem')",
  expected: "1",
  received: "2",
};
const shown = (html: string, ts = 6_990, path = "/books") =>
  page(html, { ts, phase: "after", url: `${SITE}${path}` });
type Events = ReturnType<typeof exchange>;
const failed = (html: string, request: Events, more: Record<string, unknown> = look, before = BOTH) =>
  run(met(before), pick, ...request, failing(more), shown(html));
const pass = (html: string, request: Events, more: Record<string, unknown> = look, before = BOTH) =>
  run(met(before), pick, ...request, passing({ ...more, duration_ms: 20 }), shown(html, 5_015));
const CAME = "as the page shows";

test("a list that a server rendered as it stood before is told with what was asked for and ignored", () => {
  const earlier = drawn("/books?_rsc=9x", 2_000);
  const asked = [...earlier, ...drawn("/books?shelf=b&_rsc=1a2")];
  const usual = pass(books(EMMA), [...earlier, ...drawn("/books?shelf=b&_rsc=7f3")]);
  expect(first(failed(BOTH, asked), usual, usual)).toBe(
    "page_changed: GET /books?shelf=b came as before “Select option getByLabel('Shelf')”, as the page shows: it lists 2 things where the last pass lists 1: also “Dune”: “b” for “shelf” was ignored",
  );
});

test("a list that lacks things, has others, or is in another order is told", () => {
  const asked = drawn("/books?sort=price");
  const said = (now: string, before: string) =>
    first(failed(now, asked), pass(before, asked), pass(before, asked))?.split("as the page shows: ")[1];
  expect(said(books(), BOTH)).toBe("it lists nothing where the last pass lists 2: “Emma”, “Dune”");
  expect(said(books(DUNE), BOTH)).toBe("it lists only 1 where the last pass lists 2: “Emma” is not there");
  expect(said(books(DUNE, EMMA), BOTH)).toBe(
    "it lists the same 2 things in another order, “Dune” first where the last pass has “Emma”",
  );
  expect(said(books(EMMA, EMMA), books(EMMA))).toBe(
    "it lists 2 things where the last pass lists 1: “Emma” twice",
  );
  const [four, two] = [books(EMMA, DUNE, EMMA, DUNE, DUNE), books(EMMA, DUNE, DUNE)];
  expect(said(four, two)).toBe("it lists 5 things where the last pass lists 3: “Emma” and others twice");
  const many = (...prices: number[]) =>
    books(...prices.map((price): [string, number] => [`No. ${"abcdefghijkl"[price % 12]}`, price]));
  expect(said(many(1100, 120, 35, 9), many(9, 35, 120, 1100))).toEndWith("the other way round");
  expect(said(many(1100, 120, 35, 9), many(2, 5, 9, 35))).toContain("it lists");
  expect(said(many(1100, 120, 350, 9), many(9, 120, 350, 1100))).toEndWith(
    ": 1100 comes before 120, as texts are sorted and not numbers",
  );
  expect(said(many(150, 181, 200, 243), many(9, 35, 90, 120))).toEndWith(
    ": those that follow in that order (150 and on, after 120), so that the first ones are skipped",
  );
});

test("what is not found since upper and lower case are told apart is told with what was asked for", () => {
  const asked = drawn("/books?q=emma");
  expect(first(failed(books(), asked), pass(books(EMMA), asked, look, books()))).toEndWith(
    "it lists nothing where the last pass lists 1: “Emma”, which have “emma” in other upper and lower case than “q=emma” asks for",
  );
  const table = (...all: string[]) =>
    `<table><tr><th>Title</th></tr>${all.map((title) => `<tr><td>${title}</td></tr>`).join("")}</table>`;
  const rows = {
    ...look,
    title: "Expect \"toHaveCount\" getByRole('cell')",
    message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByRole('cell')",
    expected: "1",
    received: "0",
  };
  expect(first(failed(table(), asked, rows), pass(table("Emma"), asked, rows, table()))).toEndWith(
    "than “q=emma” asks for",
  );
});

const status = {
  title: "Expect \"toHaveText\" getByRole('status')",
  message:
    "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('status')\nError: element(s) not found",
  expected: '"You are in"',
  received: undefined,
};
const course = (inside: string) => `<main><h1>Course</h1><section><h2>Places</h2>${inside}</section></main>`;
const join = click("Click getByRole('button', { name: 'Join' })", {
  name: "page.click",
  ts: 3_000,
  step_id: "pick",
});
const visit = (html: string, request: Events, ending: Events[number], before: string, ts: number) =>
  run(met(before), join, ...request, ending, shown(html, ts));
const OPEN = course("<button>Join</button>");
const JOINED = course("<p role=status>You are in</p>");

test("a part of a page that a server rendered with something else in it is told, and what was written and is not in it", () => {
  const post = exchange("/api/places", {
    ts: 3_010,
    method: "POST",
    status: 201,
    request: { body: '{"course":1}' },
  });
  const asked = drawn("/books");
  const lacking = (...request: Events) => visit(OPEN, request, failing(status), OPEN, 6_990);
  const usual = (...request: Events) =>
    visit(JOINED, request, passing({ ...status, duration_ms: 20 }), OPEN, 5_015);
  expect(first(lacking(...post, ...asked), usual(...post, ...asked))).toBe(
    "page_changed: GET /books came as before POST /api/places, which was answered with 201, as the page shows: the section “Places” has a button “Join” where the last pass has a status “You are in”: what was written is not stored, or not yet",
  );
  const moved = visit(course("<p>Places have moved.</p>"), asked, failing(status), OPEN, 6_990);
  expect(first(moved, usual(...asked))).toEndWith(
    "the section “Places” has the text “Places have moved.” where the last pass has a status “You are in”",
  );
});

test("a text that a server rendered otherwise is told with what it is of the usual one", () => {
  const done = {
    title: "Expect \"toHaveText\" getByTestId('done')",
    message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('done')",
    expected: '"25%"',
    received: '"0.25%"',
  };
  const asked = drawn("/books");
  const bar = (text: string) => `<main><span data-testid=done>${text}</span></main>`;
  expect(first(failed(bar("0.25%"), asked, done), pass(bar("25%"), asked, done))).toBe(
    "page_changed: GET /books came otherwise than in the last pass, as the page shows: getByTestId('done') has “0.25%” where the last pass has “25%”, a hundredth of that",
  );
});

test("nothing is told of a page's server where something else may have drawn it", () => {
  const asked = drawn("/books?shelf=b");
  const usual = pass(books(EMMA), asked);
  const said = (...given: Parameters<typeof told>) => told(...given).join("\n");
  expect(said(failed(BOTH, asked), usual)).toContain(CAME);
  // What was asked for is not what the passes asked for, or was not answered, or there was another one behind it.
  expect(said(failed(BOTH, drawn("/books?shelf=c")), usual)).not.toContain(CAME);
  expect(said(failed(BOTH, drawn("/books?shelf=b", 3_050, { status: 500 })), usual)).not.toContain(CAME);
  expect(
    said(failed(BOTH, drawn("/shelves?shelf=b")), pass(books(EMMA), drawn("/shelves?shelf=b"))),
  ).not.toContain(CAME);
  const waiting = exchange("/api/stock", { ts: 3_100 }).slice(0, 1);
  expect(said(failed(BOTH, [...asked, ...waiting]), usual)).not.toContain(CAME);
  // Its text is known, and is the same.
  const same = drawn("/books?shelf=b", 3_050, { body: '1:["Emma"]' });
  expect(said(failed(BOTH, same), pass(books(EMMA), same))).not.toContain(CAME);
  const html = drawn("/books?shelf=b", 3_050, { media_type: "text/html", body: "<h1>Books</h1>" });
  expect(said(failed(BOTH, html), pass(books(EMMA), html))).not.toContain(CAME);
  // Data that scripts read have it.
  const data = exchange("/api/books", { ts: 3_060, media_type: "application/json", body: '["Emma","Dune"]' });
  expect(said(failed(BOTH, [...asked, ...data]), pass(books(EMMA), [...asked, ...data]))).not.toContain(CAME);
  // Its script is another one, or threw an error.
  const script = (size: number) => exchange("/app.js", { ts: 900, resource_type: "script", body_size: size });
  expect(
    said(failed(BOTH, [...script(9), ...asked]), pass(books(EMMA), [...script(8), ...asked])),
  ).not.toContain(CAME);
  const thrown = { kind: "console.error", source: "page", ts: 3_200, text: "TypeError: x is not a function" };
  expect(said(failed(BOTH, [...asked, thrown]), usual)).not.toContain(CAME);
  // The passes show it in one order or another.
  expect(said(failed(BOTH, asked), usual, pass(books(DUNE), asked))).not.toContain(CAME);
});

test("what the part would have asked for, and what stands elsewhere, comes after a part that was rendered otherwise", () => {
  const asked = drawn("/books");
  const read = exchange("/api/places", { ts: 3_100, media_type: "application/json", body: '{"left":4}' });
  const [gone, there] = [course("<p>Places have moved.</p>"), course("<p role=status>You are in</p>")];
  const at = (html: string, ending: Events[number], ts: number, ...request: Events) =>
    run(met(OPEN), join, ...asked, ...request, ending, shown(html, ts));
  const lacking = at(gone, failing(status), 6_990);
  const usual = at(there, passing({ ...status, duration_ms: 20 }), 5_015, ...read);
  const [one, ...others] = told(lacking, usual, usual);
  expect(one).toContain("has the text “Places have moved.” where the last pass has a status “You are in”");
  expect(others.join("\n")).toContain("request_unsent: GET /api/places was never sent");
});
