import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { around, document, first, json, missed, told } from "./scene.ts";

const rows = (...names: string[]) =>
  `<ul>${names.map((name) => `<li class="mail">${name}</li>`).join("")}</ul>`;
const mails = (...names: string[]) =>
  json("/api/mails", { items: names.map((subject, id) => ({ id, subject })) });
const wanted = "locator('.mail').filter({ hasText: 'A transfer' })";

test("an answer whose things the page shows is told where one of them is looked for in vain", () => {
  expect(
    first(
      run(
        ...mails("Spring is here", "Where is it?"),
        missed(wanted),
        page(rows("Spring is here", "Where is it?")),
      ),
    ),
  ).toBe(
    "answer_changed: GET /api/mails answered with 2 items for “items”, none of which has “A transfer”, which the test looks for; the page shows what else it has",
  );
  const role = "getByRole('link', { name: 'Notes' })";
  expect(
    first(run(...mails("Drafts", "Ideas"), missed(role), page("<a href=1>Drafts</a><a href=2>Ideas</a>"))),
  ).toContain("none of which has “Notes”");
});

test("a page that the server rendered without the thing is told as well", () => {
  const html = `<html><body>${rows("Dune", "Emma")}</body></html>`;
  expect(
    first(
      run(
        ...document("/books", html),
        missed("locator('.mail').filter({ hasText: 'Persuasion' })"),
        page(html),
      ),
    ),
  ).toBe(
    "answer_changed: GET /books came without “Persuasion”, which the test looks for; the page shows what else it has",
  );
});

test("a button that is no thing of a list is not looked for in one", () => {
  const target = "getByRole('button', { name: 'New ticket' })";
  const shown = page(
    `${rows("Spring is here")}<button>Spring is here</button><button>Add a request</button>`,
  );
  expect(told(run(...mails("Spring is here"), missed(target), shown)).join()).not.toContain("none of which");
});

test("an answer that has the thing is told where the page does not show it", () => {
  const target = "getByRole('row', { name: 'Printer' })";
  const table = page("<table><tr><td>Ada</td></tr></table>");
  const tickets = json("/api/tickets", [{ subject: "Printer", who: "Ada" }]);
  expect(first(run(...tickets, missed(target), table))).toBe(
    "answer_changed: GET /api/tickets answered with “Printer” for “0.subject”, but the page does not show it: the page looks for it elsewhere, leaves it out, or had not drawn it yet",
  );
  const shown = page("<table><tr><td>Ada</td></tr></table><p>Printer</p>");
  expect(told(run(...tickets, missed(target), shown)).join()).not.toContain("does not show it");
});

test("of elements that are found by a text in them none is called another name of the one that is missing", () => {
  const others = page(rows("Spring is here", "Where is it?"));
  const cause = told(run(missed(wanted), others));
  expect(cause[0]).toBe(
    "element_missing: locator('.mail') with the text “A transfer” was not found: the page has 2 such elements, none with that text (“Spring is here”, “Where is it?”)",
  );
  expect(cause.join()).not.toContain("in its place");
  expect(
    first(run(missed("locator('.mail').filter({ hasText: 'Your order 42' })"), page(rows("Your order 24")))),
  ).toBe(
    "element_renamed: locator('.mail') with the text “Your order 42” was not found; the page has one with “Your order 24” instead",
  );
});

test("what the page sent and a later answer lacks was not kept", () => {
  const save = (more: object = {}) =>
    exchange("/api/notes/7", {
      ts: 4_200,
      method: "PUT",
      status: 204,
      request: { body: JSON.stringify({ title: "Holiday plan" }) },
      ...more,
    });
  const later = json("/api/notes", [{ title: "Taxes" }], { ts: 4_600 });
  const look = failing({ expected: '"Holiday plan"', received: '"Taxes"' });
  expect(first(run(...save(), ...later, look))).toBe(
    "answer_changed: GET /api/notes answered without “Holiday plan”, though PUT /api/notes/7 (answered with 204) had sent “Holiday plan”: it was not kept, or the answer is an older one",
  );
  expect(told(run(...save({ status: 500 }), ...later, look)).join()).not.toContain("not kept");
  const kept = json("/api/notes", [{ title: "Holiday plan" }], { ts: 4_600 });
  expect(told(run(...save(), ...kept, look)).join()).not.toContain("not kept");
  // What was not recorded may hold it.
  const unread = exchange("/api/notes", { ts: 4_600, media_type: "application/json" });
  expect(told(run(...save(), ...unread, look)).join()).not.toContain("not kept");
});

test("what was saved and never asked for again is told as such", () => {
  const save = exchange("/api/notes/7", {
    ts: 4_200,
    method: "PUT",
    request: { body: "title=Holiday+plan&tag=home" },
  });
  const cause = told(run(...save, missed("getByText('Holiday plan')"), page("<h1>Notes</h1>")));
  expect(cause[0]).toBe(
    "request_unsent: Nothing was asked for again after PUT /api/notes/7 (answered with 200) had sent “Holiday plan”: the page goes on with what it knew before",
  );
});

test("an action after which nothing changed and nothing was asked for seems to have done nothing", () => {
  const press = click("Click Log in", { ts: 4_000, step_id: "press" });
  const target = "getByLabel('Username')";
  const bar = "<h1>Packages</h1><button>Log in</button>";
  const did = (after: string, ...more: ReturnType<typeof exchange>) =>
    told(run(...around(press, bar, after).slice(0, 2), ...more, missed(target), page(after))).join("\n");
  expect(did(bar)).toStartWith(
    "page_changed: “Click Log in” seems to have done nothing: the page stayed as it was and asked for nothing",
  );
  expect(did(`${bar}<p>One moment</p>`)).not.toContain("done nothing");
  expect(did(bar, ...exchange("/api/session", { ts: 4_100 }))).not.toContain("done nothing");
  const asks = { kind: "page.dialog", type: "confirm", message: "Discard your message?", ts: 4_100 };
  expect(did(bar, asks)).not.toContain("done nothing");
  // What is picked shows by a mark alone.
  expect(did(bar.replace("<button", '<button class="is-selected"'))).not.toContain("done nothing");
});

test("what came with the last action is told where nothing of it is called like what is missing", () => {
  const open = click("Click the letter", { ts: 4_000, step_id: "open" });
  const before = "<button>Delete all emails</button>";
  const after = `${before}<h1>A letter</h1><button>Move to bin</button><button>Headers</button>`;
  const target = "getByRole('button', { name: 'Delete email' })";
  expect(first(run(...around(open, before, after).slice(0, 2), missed(target), page(after)))).toBe(
    `element_missing: ${target} was nowhere on the page; with “Click the letter” came the buttons “Move to bin”, “Headers”`,
  );
});

test("words that the test searched by and that nothing holds are told", () => {
  const fill = (value: string) =>
    click(`Fill "${value}" getByPlaceholder('Search notes')`, {
      name: "fill",
      params: { value },
      ts: 4_000,
      step_id: "fill",
    });
  const target = "getByRole('link', { name: 'Roof' })";
  const notes = json("/api/notes", [{ title: "Roof", text: "tiles" }], { ts: 3_000 });
  const searched = (value: string) =>
    told(run(...notes, fill(value), missed(target), page("<input value=x><p>No result</p>"))).join("\n");
  expect(searched("tilez")).toStartWith(
    "test_code: The test typed “tilez”, which stands in nothing that the page got or shows: no thing could be found by it",
  );
  expect(searched("tiles")).not.toContain("The test typed");
});

test("test ids that came with the last action are told where one is looked for in vain", () => {
  const signIn = click("Click Login", { ts: 4_000, step_id: "in" });
  const before = '<button data-testid="help">Help</button>';
  const after = `${before}<button data-testid="accountMenuIcon">A</button>`;
  const target = "getByTestId('greeting')";
  expect(first(run(...around(signIn, before, after).slice(0, 2), missed(target), page(after)))).toBe(
    `element_missing: ${target} was nowhere on the page; with “Click Login” came the test id “accountMenuIcon”`,
  );
});
