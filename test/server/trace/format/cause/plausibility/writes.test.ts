import { expect, test } from "bun:test";
import { causeOf, exchange, failing, first, passing, run, told } from "../run.ts";

const graphql = (name: string, text: string, body: object, more: object = {}) =>
  exchange("/graphql", {
    method: "POST",
    request: { body: JSON.stringify({ operationName: name, query: text, variables: { amount: 40 } }) },
    media_type: "application/json",
    body: JSON.stringify({ data: body }),
    ...more,
  });

test("a request that the page sent without a field is told with the answer that it led to", () => {
  const patch = (sent: object, assignee: string | null) =>
    exchange("/api/tickets/1", {
      method: "PATCH",
      ts: 4_900,
      request: { body: JSON.stringify(sent) },
      body: JSON.stringify({ assignee }),
    });
  const usual = run(...patch({ assignee_id: "u2" }, "Grace"), passing());
  expect(first(run(...patch({}, null), failing({ expected: '"Grace"' })), usual)).toBe(
    "answer_changed: PATCH /api/tickets/1, which was sent without the field assignee_id, which the last pass sent, answered “null” for “assignee”, where the last pass had “Grace”",
  );
});

test("a mutation that was sent twice is told by its name, a query that was asked twice is not", () => {
  const send = (ts: number) => graphql("Transfer", "mutation Transfer { send }", { send: "x" }, { ts });
  const read = (ts: number) => graphql("Balance", "query Balance { cents }", { cents: 4 }, { ts });
  const usual = run(...send(4_000), ...read(4_100), passing());
  expect(first(run(...send(4_000), ...send(4_010), ...read(4_100), failing()), usual, usual)).toBe(
    "request_repeated: POST /graphql (Transfer) was sent twice, within 10 ms; in the last pass once",
  );
  expect(
    told(run(...send(4_000), ...read(4_100), ...read(4_110), failing()), usual, usual).join(),
  ).not.toContain("twice");
});

test("what is saved again with other words is less sure than an error of the page", () => {
  const save = (ts: number, notes: string) =>
    exchange("/api/draft", { method: "PUT", ts, request: { body: JSON.stringify({ notes }) } });
  const error = { kind: "console.error", source: "page", text: "VersionError: it is less", ts: 4_600 };
  const usual = run(...save(4_500, "Only a thought"), passing());
  const twice = run(...save(4_500, "Only a thought"), ...save(4_900, "x"), error, failing());
  expect(told(twice, usual, usual)[0]).toContain("VersionError");
  expect(told(twice, usual, usual).join()).toContain("PUT /api/draft was sent twice");
});

test("what was written after it had been read again is told before what was read", () => {
  const put = (ts: number, more: object = {}) => exchange("/api/notes/1", { method: "PUT", ts, ...more });
  const get = (ts: number, notes: string, more: object = {}) =>
    exchange("/api/notes/1", {
      ts,
      media_type: "application/json",
      body: JSON.stringify({ notes }),
      ...more,
    });
  const shown = { expected: '"Returns"', received: '"First draft"' };
  const usual = run(...put(3_000), ...get(4_000, "Returns"), passing(shown));
  expect(first(run(...get(4_000, "First draft"), ...put(5_505), failing(shown)), usual, usual)).toBe(
    "out_of_order: PUT /api/notes/1 was sent 1.5 s after GET /api/notes/1 had been answered, which should have had it; in the last pass it was sent before",
  );
  // Who saves before and after a read did so in time, and a form is read before it is sent.
  const again = run(...put(3_000), ...get(4_000, "First draft"), ...put(5_505), failing(shown));
  expect(told(again, usual, usual).join()).not.toContain("should have had it");
  const form = { resource_type: "document", media_type: "text/html" };
  const pages = run(...put(3_000), ...get(4_000, "Returns", form), passing(shown));
  const refused = run(...get(4_000, "First draft", form), ...put(5_505, { status: 403 }), failing(shown));
  expect(told(refused, pages, pages).join()).not.toContain("should have had it");
});

test("what a write was answered leads before what is read of it later", () => {
  const mark = (unread: boolean) =>
    graphql("Mark", "mutation Mark { mark }", { mark: { unread } }, { ts: 4_000 });
  const count = (unreadCount: number) =>
    graphql("Inbox", "query Inbox { unreadCount }", { unreadCount }, { ts: 4_500 });
  const shown = { expected: '"1 unread"', received: '"2 unread"' };
  const usual = run(...mark(false), ...count(1), passing(shown));
  expect(first(run(...mark(true), ...count(2), failing(shown)), usual, usual)).toBe(
    "answer_changed: POST /graphql (Mark) answered “true” for “data.mark.unread”, where the last pass had “false”",
  );
});

test("what was sent again while the first was under way is told before that it was refused; what is tried again is not", () => {
  const pay = (ts: number, took: number, status = 200) =>
    exchange("/pay", { method: "POST", ts, status, duration_ms: took, request: { body: "card=1" } });
  const usual = run(...pay(4_000, 100), passing());
  const asked = pay(4_000, 100);
  const again = pay(4_002, 50, 409);
  const both = run(asked[0]!, again[0]!, { ...again[1]!, ts: 4_052 }, { ...asked[1]!, ts: 4_100 }, failing());
  expect(told(both, usual, usual)).toEqual([
    "request_repeated: POST /pay was sent twice, within 2 ms; in the last pass once",
    "request_failed: POST /pay was answered with 409",
    expect.stringContaining("assertion: "),
  ]);
  expect(told(both)[0]).toBe("request_repeated: POST /pay was sent twice, within 2 ms");
  const retried = run(...pay(4_000, 100, 503), ...pay(4_500, 100), failing());
  expect(told(retried, usual, usual).join()).not.toContain("twice");
});

test("a token that does not look like one is nothing that was sent otherwise", () => {
  const asked = (visitor: string, hero: string) =>
    exchange(`/flags?visitor=${visitor}`, {
      ts: 3_000,
      media_type: "application/json",
      body: JSON.stringify({ hero }),
    });
  const usual = [
    run(...asked("0f8b2c3d4e5a", "A"), passing()),
    run(...asked("7c1d2e3f4a5b", "A"), passing()),
  ];
  expect(told(run(...asked("rnhdlezb0nb", "B"), failing()), ...usual).join()).not.toContain(
    "sent with the parameter",
  );
});

test("a form that was sent by the page and by the browser is told before the list that has its thing twice", () => {
  const post = (ts: number, more: object = {}) =>
    exchange("/timesheet/entries", {
      ...{ method: "POST", ts, status: 303, resource_type: "fetch" },
      request: {
        body: "note=Call",
        headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
      },
      ...more,
    });
  const sheet = (body: string) =>
    exchange("/timesheet", { ts: 3_200, resource_type: "document", media_type: "text/html", body });
  const row = "<tr><td>Call with Acme</td></tr>";
  const broken = post(3_030, { status: 0, error: "net::ERR_ABORTED", resource_type: "document" });
  expect(
    first(
      run(
        ...post(3_000),
        ...broken,
        ...sheet(`<table>${row}${row}</table>`),
        failing({ name: "toHaveCount", expected: "1", received: "2" }),
      ),
      run(...post(3_000), ...sheet(`<table>${row}</table>`), passing()),
    ),
  ).toBe("request_repeated: POST /timesheet/entries was sent twice, within 30 ms; in the last pass once");
});

test("a form that was sent without its token against forgery is told by the field's name alone", () => {
  const post = (body: string, status: number) =>
    exchange("/settings", {
      ...{ method: "POST", ts: 4_000, status, resource_type: "document" },
      request: { body, headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }] },
    });
  const said = told(
    run(...post("company=Tilling", 403), failing()),
    run(...post("company=Tilling&_csrf=12f66a1f0e73b0e7", 303), passing()),
  ).join("\n");
  expect(said).toContain("POST /settings, which was sent without the field _csrf, which the last pass sent,");
  expect(said).not.toContain("12f66a1f");
});

test("what is refused for one thing in passes is news where another one is refused", () => {
  const redeem = (code: string, ts: number, status: number) =>
    exchange("/api/voucher", { ts, method: "POST", status, request: { body: JSON.stringify({ code }) } });
  const usual = run(...redeem("family", 3_000, 410), ...redeem("welcome", 4_000, 200), passing());
  const said = (status: number) =>
    told(
      run(...redeem("family", 3_000, 410), ...redeem("welcome", 4_000, status), failing()),
      usual,
      usual,
    ).join();
  expect(said(410)).toContain("POST /api/voucher was answered with 410");
  expect(said(200)).not.toContain("was answered with 410");
});

test("a server that fails now and then in passes, whatever it is sent, is no news", () => {
  const count = (name: string, ts: number, status: number) =>
    exchange("/api/events", { ts, method: "POST", status, request: { body: JSON.stringify({ name }) } });
  const usual = run(...count("login", 3_000, 503), ...count("view", 4_000, 204), passing());
  const suspects = (status: number) =>
    causeOf(
      run(...count("login", 3_000, 503), ...count("view", 4_000, status), failing()),
      usual,
    ).suspects.filter(({ is_new, title }) => is_new && title.includes("POST /api/events"));
  expect(suspects(503)).toEqual([]);
  expect(suspects(500)).toHaveLength(1);
});
