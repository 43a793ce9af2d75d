import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run } from "../run.ts";
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

test("what a served page has with entities was kept, however often these were escaped", () => {
  const dish = "Salt & pepper squid";
  const cause = (html: string) =>
    told(
      run(
        ...exchange("/menu", {
          ts: 4_200,
          method: "POST",
          status: 303,
          request: { body: JSON.stringify({ name: dish }) },
        }),
        ...exchange("/menu", {
          ts: 4_600,
          body: `<h2>${html}</h2>`,
          media_type: "text/html",
          resource_type: "document",
        }),
        failing({ expected: `"${dish}"`, received: '"Octopus"' }),
      ),
    ).join();
  const NOT_KEPT = `GET /menu answered without “${dish}”`;
  for (const html of [
    "Salt &amp; pepper squid",
    "Salt &#38; pepper squid",
    "Salt &amp;amp; pepper squid",
    "Salt &#x26; pepper squid",
  ])
    expect(cause(html), html).not.toContain(NOT_KEPT);
  expect(cause("Bread &amp; butter")).toContain(NOT_KEPT);
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
    "answer_changed: GET /api/notes answered without “Holiday plan”, though PUT /api/notes/7 (answered with 204) had sent “Holiday plan” for “title”: it was not kept, or the answer is an older one",
  );
  expect(told(run(...save({ status: 500 }), ...later, look)).join()).not.toContain("not kept");
  const kept = json("/api/notes", [{ title: "Holiday plan" }], { ts: 4_600 });
  expect(told(run(...save(), ...kept, look)).join()).not.toContain("not kept");
  const cut = json("/api/notes/7", { title: "Holida" }, { ts: 4_600 });
  expect(told(run(...save(), ...cut, look)).join()).toContain(
    "for “title”: it has only “Holida” of it, which was cut off after 6 characters",
  );
  // What was not recorded may hold it.
  const unread = exchange("/api/notes", { ts: 4_600, media_type: "application/json" });
  expect(told(run(...save(), ...unread, look)).join()).not.toContain("not kept");
});

test("what the answer to a write has in the place of what was sent was not kept, whatever is read afterwards", () => {
  const save = (answered: string, sent = "Sandby") =>
    exchange("/account/details", {
      ts: 4_200,
      method: "PUT",
      media_type: "text/html",
      request: {
        body: `city=${sent}&letter=yes`,
        headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
      },
      body: `<dl><dt>City</dt><dd>${answered}</dd></dl>`,
    });
  const news = exchange("/account/news", { ts: 4_600, media_type: "text/html", body: " " });
  const look = failing({ expected: '"Sandby"', received: '"Lindholm"' });
  const said =
    "was sent with “Sandby” for “city”, and its answer (200) has “Lindholm” in its place: it was not kept";
  expect(first(run(...save("Lindholm"), ...news, look))).toBe(`answer_changed: PUT /account/details ${said}`);
  const silent = told(run(...save("Sandby"), ...news, look)).join("\n");
  expect(silent).not.toContain("not kept");
  expect(told(run(...save("Nordby"), ...news, look)).join("\n")).not.toContain(
    "GET /account/news answered without",
  );
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

test("a page that scripts fill has no thing in it", () => {
  const shell = document("/", "<nav><a href=#/>Reports</a></nav><main></main>");
  const shown = page("<nav><a href=#/>Reports</a></nav><h1>All</h1><p>3 of 3</p><a href=#/1>Costs</a>");
  expect(told(run(...shell, missed("getByRole('link', { name: 'Margins' })"), shown)).join()).not.toContain(
    "GET / came without",
  );
});

test("what leads through a site lists no things of it", () => {
  const links = "<a href=#/>Reports</a><a href=#/in>Import</a>";
  const served = document("/", `<header>${links}</header>`);
  const look = missed("getByRole('link', { name: 'Margins' })");
  const cause = (html: string) => told(run(...served, look, page(html))).join();
  expect(cause(`<header>${links}</header>`)).not.toContain("GET / came without");
  expect(cause(`<main>${links}</main>`)).toContain("GET / came without");
});

test("an action after which nothing changed and nothing was asked for seems to have done nothing", () => {
  const press = click("Click Log in", { ts: 4_000, step_id: "press" });
  const target = "getByLabel('Username')";
  const bar = "<h1>Packages</h1><button>Log in</button>";
  const did = (after: string, ...more: ReturnType<typeof exchange>) =>
    told(run(...around(press, bar, after).slice(0, 2), ...more, missed(target), page(after))).join("\n");
  expect(did(bar)).toStartWith(
    "page_changed: “Click Log in” seems to have done nothing: the page stayed as it was and sent no request",
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

test("what is done with a thing is no thing of a list, and where a page has its things does not stand for it", () => {
  const target = "getByRole('link', { name: 'New ticket' })";
  const tickets = json("/api/tickets", [{ title: "Printer jams" }, { title: "Door stuck" }]);
  const shown = page("<nav><a href=/>Tickets</a></nav><a href=1>Printer jams</a><a href=2>Door stuck</a>");
  expect(first(run(...tickets, missed(target), shown))).toStartWith(
    `element_missing: ${target} was nowhere on the page`,
  );
});

test("a key in the place of a text is told with the answer that has its like and not that one", () => {
  const target = "getByRole('button', { name: 'Close ticket' })";
  const words = json("/locales/en.json", { "ticket.new": "New ticket", "form.save": "Save" }, { ts: 1_000 });
  expect(first(run(...words, missed(target), page("<button>ticket.close</button>")))).toBe(
    `element_renamed: ${target} was not found; the page has a button “ticket.close” in its place: the key of a text, without its translation, which GET /locales/en.json has not`,
  );
});

test("a text that has letters of a key is not what the page shows in the place of another text", () => {
  const target = "getByRole('button', { name: 'Send money' })";
  const words = json("/locales/en.json", { "nav.move": "Transfer", "transfer.new": "New" }, { ts: 1_000 });
  expect(first(run(...words, missed(target), page("<button>transfer.submit</button>")))).toStartWith(
    `element_renamed: ${target} was not found; the page has a button “transfer.submit” in its place: the key of a text`,
  );
});

test("an answer that says a word of a key is hardly what the page shows", () => {
  const sure = (shown: string) =>
    causeOf(
      run(
        ...json("/api/steps/2", { title: "Cart" }),
        missed("getByRole('link', { name: 'Pay now' })"),
        page(`<a href="/pay">${shown}</a>`),
      ),
    ).suspects.find(({ title }) => title.includes("“Cart” for “title”: that is what the page shows"))!
      .confidence;
  expect(sure("cart.pay")).toBeLessThan(0.5);
  expect(sure("Cart pay")).toBeGreaterThan(0.7);
});

test("the words of a product are no things that a page leaves out", () => {
  const target = "getByRole('button', { name: 'Older tickets' })";
  const words = json("/locales/en.json", { "list.older": "Older tickets" }, { ts: 1_000 });
  expect(told(run(...words, missed(target), page("<p>Printer jams</p>"))).join()).not.toContain(
    "does not show it",
  );
});

test("what is hidden is told with the switch of an answer that is off", () => {
  const target = "getByRole('button', { name: 'Quick order' })";
  const config = json("/api/config", { features: { quickOrder: false } }, { ts: 1_000 });
  expect(first(run(...config, missed(target), page("<button hidden>Quick order</button>")))).toEndWith(
    "; GET /api/config answered “false” for “features.quickOrder”, which may be why the page leaves out what the test looks for",
  );
});

test("a click after which nothing went is told where something should have gone", () => {
  const archive = click("Click Archive", { ts: 4_000, step_id: "archive" });
  const still = failing({
    name: "toBeHidden",
    title: "Expect \"toBeHidden\" getByText('Lunch')",
    expected: "hidden",
    received: "visible",
  });
  const mail = "<p>Lunch</p><button>Archive</button>";
  expect(first(run(...around(archive, mail, mail).slice(0, 2), still, page(mail)))).toBe(
    "page_changed: “Click Archive” seems to have done nothing: the page stayed as it was and sent no request",
  );
});

test("what a socket brought and the page does not show is told", () => {
  const target = "getByText('Meeting moved')";
  const socket = exchange("ws://shop.example/live", { resource_type: "websocket", ts: 1_000, status: 101 });
  const said = (text: string) => ({
    kind: "network.websocket_frame",
    request_id: socket[0]!.request_id,
    direction: "received",
    opcode: 1,
    text,
    ts: 4_900,
  });
  const shown = page("<p>Lunch</p>");
  expect(
    first(run(...socket, said('{"kind":"message","body":"Meeting moved"}'), missed(target), shown)),
  ).toBe(
    "answer_changed: The WebSocket /live brought “Meeting moved” for “body”, but the page does not show it: the page looks for it elsewhere, leaves it out, or had not drawn it yet",
  );
  expect(told(run(...socket, said('{"body":"Lunch"}'), missed(target), shown)).join()).not.toContain(
    "brought",
  );
});

test("what a page asked for again as soon as its write was answered was asked for again", () => {
  const target = "getByRole('link', { name: 'Window' })";
  const write = exchange("/api/tickets", {
    method: "POST",
    ts: 4_500,
    status: 201,
    duration_ms: 40,
    request: { body: '{"title":"Window"}' },
  });
  const [asked, answered] = json("/api/tickets", [{ title: "Window" }], { ts: 4_520 });
  const [sent, kept] = write;
  expect(
    told(
      run(
        sent!,
        asked!,
        { ...kept!, ts: 4_540 },
        { ...answered!, ts: 4_560 },
        missed(target),
        page("<p>New</p>"),
      ),
    ).join(),
  ).not.toContain("Nothing was asked for again");
});

test("an element whose name has the wanted words in it, and that roles do not see, is hidden", () => {
  const target = "getByRole('link', { name: 'basket' })";
  expect(first(run(missed(target), page("<a href=/b>Basket (0)</a>")))).toStartWith(
    `element_hidden: ${target} is in the page's markup (a link “Basket (0)”), but the step could not see it`,
  );
  const within = `getByRole('dialog').${target}`;
  expect(told(run(missed(within), page("<a href=/b>Basket (0)</a>"))).join()).not.toContain("markup");
});

test("a list is not told to lack what an answer switches off by that very name", () => {
  const links = page("<a href=1>Drafts</a><a href=2>Ideas</a>");
  const sought = (name: string) => missed(`getByRole('link', { name: '${name}' })`);
  const lists = mails("Drafts", "Ideas");
  const flags = json("/api/flags", { flags: { export: false, shared: true } });
  expect(first(run(...lists, ...flags, sought("Export"), links))).toBe(
    "answer_changed: GET /api/flags answered “false” for “flags.export”, which may be why the page leaves out what the test looks for",
  );
  for (const name of ["Shared", "Export of May"])
    expect(first(run(...lists, ...flags, sought(name), links))).toContain(`none of which has “${name}”`);
});
