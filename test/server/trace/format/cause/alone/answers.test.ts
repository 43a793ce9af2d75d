import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { around, document, first, header, json, missed, told } from "./scene.ts";

test("a whole page for what a script sent is told", () => {
  const answer = exchange("/api/login", {
    ts: 4_800,
    method: "POST",
    media_type: "text/html",
    body: "<!doctype html><html><body><h1>We are back soon</h1></body></html>",
  });
  expect(first(run(...answer, failing()))).toBe(
    "answer_changed: POST /api/login was answered with 200 and a page of HTML instead of data: “We are back soon”",
  );
});

describe("what an answer switches", () => {
  const target = "getByRole('button', { name: /Assign to/ })";
  const shown = page("<button>Send reply</button>");

  test("is told where its name is of what the test looks for", () => {
    const flags = (body: object) => told(run(...json("/api/flags", body), missed(target), shown)).join("\n");
    expect(flags({ "assignment.v2": false })).toStartWith(
      "answer_changed: GET /api/flags answered “false” for “assignment.v2”, which may be why the page leaves out what the test looks for",
    );
    expect(flags({ "assignment.v2": true })).not.toContain("which may be why");
    expect(flags({ snow: false })).not.toContain("which may be why");
    const me = told(run(...json("/api/me", { may: { assignMails: false } }), missed(target), shown)).join();
    expect(me).toContain("answered “false” for “may.assignMails”, which may be why");
  });

  test("is told of who may only read, and not of others in a list", () => {
    const me = (body: object) => told(run(...json("/api/me", body), missed(target), shown)).join("\n");
    expect(me({ role: "viewer" })).toContain("answered “viewer” for “role”");
    expect(me({ people: [{ id: 1, role: "viewer" }] })).not.toContain("which may be why");
  });

  test("is told where a field stands otherwise than the test wants", () => {
    const unchecked = failing({
      name: "toBeChecked",
      title: "Expect \"toBeChecked\" locator('[name=showDotFiles]')",
      message: "expect(locator).toBeChecked() failed\nLocator: locator('[name=showDotFiles]')",
      expected: "checked",
      received: "unchecked",
    });
    expect(first(run(...json("/api/config", { showDotFiles: false }), unchecked))).toBe(
      "answer_changed: GET /api/config answered “false” for “showDotFiles”, where the test wants it to be checked",
    );
  });
});

test("things that have no name are told where the test looks for one by its name", () => {
  const target = "getByText('Refund for order 881')";
  const things = (subject: string | null) => json("/api/talks", [{ subject: null }, { subject }]);
  expect(first(run(...things(null), missed(target), page("<ul><li></li></ul>")))).toContain(
    "GET /api/talks answered “null” for “subject” of each of its things",
  );
  expect(told(run(...things("Hello"), missed(target), page("<ul><li></li></ul>"))).join()).not.toContain(
    "each of its things",
  );
});

test("the next part of a list that is the one before it again is told, the same question asked twice is not", () => {
  const part = (ts: number, cursor: string) =>
    json(`/api/people?cursor=${cursor}`, [{ name: "Ada" }, { name: "Bo" }], { ts });
  expect(first(run(...part(4_000, "a"), ...part(4_500, "b"), failing()))).toBe(
    "answer_changed: GET /api/people?cursor=b answered the same list as to a question before it, though it was asked with “cursor=b”",
  );
  const other = (ts: number, court: number) =>
    json(`/api/week?start=2026-11-30&court=${court}`, { days: [{ day: "Mon" }, { day: "Tue" }] }, { ts });
  expect(told(run(...other(4_000, 1), ...other(4_500, 2), failing())).join()).not.toContain(
    "the same list as",
  );
  const kind = json("/api/people?kind=staff", [{ name: "Ada" }, { name: "Bo" }], { ts: 4_000 });
  expect(told(run(...kind, ...part(4_500, "b"), failing())).join()).not.toContain("the same list as");
  expect(told(run(...part(4_000, "a"), ...part(4_500, "a"), failing())).join()).not.toContain(
    "the same list as",
  );
});

test("an answer with nothing in it is told where the last action asked for it", () => {
  const view = click("Press F3", { name: "press", ts: 4_000, step_id: "view" });
  const empty = (ts: number) =>
    exchange("/docs/report.txt", { ts, media_type: "text/plain", headers: header("content-length", "0") });
  const look = [missed("locator('.view')"), page("<main>Files</main>")] as const;
  expect(first(run(view, ...empty(4_200), ...look))).toBe(
    "answer_changed: GET /docs/report.txt was answered with 200 and an empty body, without any data",
  );
  expect(told(run(...empty(3_000), view, ...look)).join()).not.toContain("an empty body");
});

test("a part of a page that is empty each time has nothing to say, and one that had something has lost it", () => {
  const view = click("Click Next", { name: "click", ts: 4_000, step_id: "view" });
  const part = (ts: number, body: string) =>
    exchange("/news", {
      ts,
      media_type: "text/html",
      ...(body === "" ? { headers: header("content-length", "0") } : { body }),
    });
  const cause = (before: string) =>
    told(
      run(
        ...part(3_000, before),
        view,
        ...part(4_200, ""),
        missed("locator('.view')"),
        page("<main>Files</main>"),
      ),
    ).join();
  expect(cause("")).not.toContain("an empty body");
  expect(cause("<p>One message</p>")).toContain("GET /news was answered with 200 and an empty body");
});

test("of a longer text the part of the wanted form is the wrong value", () => {
  const cart = document("/cart", "<p>Total: <b>$26.00</b></p>");
  expect(first(run(...cart, failing({ expected: '"€26.00"', received: '"Total: $26.00"' })))).toBe(
    "answer_changed: GET /cart answered with “$26.00”, where the test wants “€26.00”",
  );
});

test("another thing of the same list in the place of the wanted one is told as another order", () => {
  const tickets = json("/api/tickets", [{ title: "Coffee machine" }, { title: "Printer, second floor" }]);
  const row = failing({
    expected: '"Printer, second floor"',
    received: '"Coffee machineAda Byron April 11 1,234.5 h Assign to me"',
  });
  expect(first(run(...tickets, row))).toContain("which that answer has at “1.title”: in another order");
});

test("the one value that an answer has nothing for is told with the error of the script that read it", () => {
  const threw = (name: string) => ({
    kind: "console.error",
    source: "page",
    text: `TypeError: Cannot read properties of null (reading '${name}')`,
    ts: 4_900,
  });
  const ticket = (more: object = {}) => json("/api/tickets/17", { assignee: null, ...more }, { ts: 4_700 });
  expect(first(run(...ticket(), threw("name"), failing()))).toBe(
    "answer_changed: GET /api/tickets/17 answered “null” for “assignee”; then the page threw TypeError: Cannot read properties of null (reading 'name')",
  );
  expect(first(run(...ticket({ due: null }), threw("name"), failing()))).toStartWith("page_error:");
  expect(first(run(...ticket(), threw("classList"), failing()))).toStartWith("page_error:");
});

test("a part of what was sent in one that was not done is told, a part of what was read is not", () => {
  const parts = {
    results: [
      { sku: 1, ok: true },
      { sku: 2, ok: false, reason: "out of stock" },
    ],
  };
  const sent = json("/api/cart/batch", parts, {
    method: "POST",
    status: 207,
    request: { body: '{"skus":[1,2]}' },
  });
  expect(first(run(...sent, failing()))).toBe(
    "request_failed: POST /api/cart/batch was answered with 207, but its part 2 failed: “out of stock”",
  );
  expect(told(run(...json("/api/checks", parts), failing())).join()).not.toContain("its part");
});

test("a value that the page shows in the place of the wanted one is found by all of its words", () => {
  const target = "getByText('Notice number 2')";
  const notices = json("/api/notices", ["Notice number 1"]);
  expect(first(run(...notices, missed(target), page("<li>Notice number 1</li>")))).toContain(
    "GET /api/notices answered “Notice number 1” for “0”: that is what the page shows",
  );
});

test("what a page wrote without a value is told with the fields of the last answer", () => {
  const cart = json("/api/cart", { lines: [{ item: "Chisel", unit_price: 700 }], percent: 0 });
  expect(first(run(...cart, failing({ expected: '"€8.33"', received: '"€NaN"' })))).toBe(
    "page_changed: The page had no value for what it shows: “€NaN”, where the test wants “€8.33”; the last answer, to GET /api/cart, has the fields item, unit_price",
  );
  const book = missed("getByRole('button', { name: 'Book Clay' })");
  expect(first(run(...cart, book, page("<button>Book undefined</button>")))).toContain(
    "“Book undefined”, where the test wants “Book Clay”",
  );
  expect(told(run(...cart, failing({ expected: '"NaN"', received: '"undefined"' }))).join()).not.toContain(
    "no value",
  );
});

test("of two lists the text in which they differ is looked for in answers", () => {
  const titles = ["Projector flickers", "Door stuck"];
  const tickets = json("/api/tickets", { items: titles.map((title) => ({ title })) });
  const met = (expected: string[]) =>
    told(
      run(...tickets, failing({ expected: listed(expected), received: listed(titles), message: "toEqual" })),
    )[0];
  expect(met(["Printer jams", "Door stuck"])).toBe(
    "answer_changed: GET /api/tickets answered “Projector flickers” for “items.0.title”: that is what the page shows, where the test wants “Printer jams”",
  );
  expect(met(["Door stuck"])).toBe(
    "answer_changed: GET /api/tickets had “Projector flickers” already for “items.0.title”, before this run had changed anything, and the test does not expect it",
  );
  expect(met(["Lift stuck", "Roof leaks"])).toStartWith("assertion: ");
});

const listed = (texts: string[]) => `[ ${texts.map((text) => JSON.stringify(text)).join(", ")} ]`;

test("a step that came between an action and what it sends is told with the switch that fits it, and no other", () => {
  const action = click("Click getByRole('button', { name: 'Book' })", {
    name: "page.click",
    ts: 4_000,
    step_id: "book",
  });
  const form = "<dialog open><h2>New visit</h2><button>Book</button></dialog>";
  const REVIEW = "<dialog open><h2>Check the details</h2><p>12:00</p><button>Confirm</button></dialog>";
  const said = (
    flags: object,
    options: { now?: string; sent?: Parameters<typeof run>; act?: typeof action } = {},
  ) => {
    const { now = REVIEW, sent = [], act = action } = options;
    const [met, pressed, left] = around(act, form, now);
    return told(
      run(...json("/api/flags", { flags }, { ts: 2_000 }), met!, pressed!, ...sent, failing(), left!),
    );
  };
  const all = (...args: Parameters<typeof said>) => said(...args).join("\n");
  expect(said({ "booking-review-step": true, "dense-rows": true })[0]).toBe(
    "answer_changed: GET /api/flags answered “true” for “flags.booking-review-step”, which may be why the page came to “Check the details” after “Click getByRole('button', { name: 'Book' })” and sent nothing",
  );
  for (const silent of [
    all({ "booking-review-step": false }),
    // A name that fits neither, one that only says what the page is for, two that fit alike.
    all({ "invoice-review": true }),
    all({ "booking-export": true }),
    all({ "booking-review-step": true, "booking-confirm-step": true }),
    // The request went out, nothing came, or it is what the action asks for.
    all({ "booking-review-step": true }, { sent: exchange("/api/visits", { method: "POST", ts: 4_100 }) }),
    all({ "booking-review-step": true }, { now: form }),
    all(
      { "booking-review-step": true },
      { act: { ...action, title: "Click getByRole('button', { name: 'Review booking' })" } },
    ),
  ])
    expect(silent).not.toContain("which may be why the page came");
});

test("what counts things by its name is no amount", () => {
  const slots = (name: string) => json("/api/slots", { slots: [{ [name]: 12 }, { [name]: 37 }] });
  const total = failing({ expected: '"€ 64.75"', received: '"€ 37.00"' });
  expect(told(run(...slots("price"), total)).join()).toContain("“37” for “slots.1.price”");
  for (const name of ["left", "seatsLeft", "seats_left"])
    expect(told(run(...slots(name), total)).join()).not.toContain("“37”");
});

test("a percentage that the page shows as an amount is told as one", () => {
  const discount = (name: string) =>
    told(
      run(...json("/api/promo", { [name]: 20 }), failing({ expected: '"€ 6.20"', received: '"€ 0.20"' })),
    )[0];
  expect(discount("percent")).toBe(
    "answer_changed: GET /api/promo answered “20” for “percent”: the page shows that percentage as an amount, “€ 0.20”, where the test wants “6.20”",
  );
  expect(discount("cents")).toContain("that is what the page shows");
});
