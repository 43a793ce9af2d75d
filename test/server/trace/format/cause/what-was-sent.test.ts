import { describe, expect, test } from "bun:test";
import { differencesOf } from "../../../../../server/trace/format/cause/exchanges/differences.ts";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";
import { message, socket } from "./socket.ts";

/** What led to what a page sent, and what is read of it. */
const write = (url: string, sent: object, answered: object, ts = 3_000) =>
  exchange(url, {
    method: "POST",
    ts,
    request: { body: JSON.stringify(sent) },
    body: JSON.stringify(answered),
    media_type: "application/json",
  });
const read = (url: string, answered: object, ts = 4_000) =>
  exchange(url, { ts, body: JSON.stringify(answered), media_type: "application/json" });

test("what the page was refused comes before what it then sent without it", () => {
  const url = "http://rates.example/v1/rates";
  const rates = (more: object = {}) => exchange(url, { ts: 1_500, ...more });
  const order = (sent: object, total: number) => write("/api/invoices", sent, { total });
  const opened = exchange("/invoices/new", { resource_type: "document", ts: 1_000 });
  const values = { expected: '"¥220,875"', received: '"¥1,425"' };
  const usual = run(...opened, ...rates(), ...order({ rate: 155, lines: 2 }, 220_875), passing(values));
  const blocked = {
    kind: "console.error",
    ts: 1_600,
    text: `Access to fetch at '${url}' from origin 'http://shop.example' has been blocked by CORS policy: The 'Access-Control-Allow-Origin' header has a value 'http://other.example' that is not equal to the supplied origin.`,
  };
  const cause = (...before: Parameters<typeof run>) =>
    first(run(...opened, ...before, ...order({ lines: 2 }, 1_425), failing(values)), usual, usual);
  expect(cause(...rates({ status: undefined, error: "net::ERR_FAILED" }), blocked)).toStartWith(
    "browser_policy: The browser blocked the answer of rates.example/v1/rates by CORS",
  );
  expect(cause(...rates())).toContain("sent without the field rate");
});

test("a write that was answered with another place comes before the order that is read afterwards", () => {
  const tasks = (...names: string[]) => read("/api/board", { tasks: names.map((title) => ({ title })) });
  const check = { expected: '["Alpha", "Beta"]', received: '["Beta", "Alpha"]' };
  const move = (position: number) => write("/api/tasks/7/move", { before: "Beta" }, { position });
  const usual = run(...move(0), ...tasks("Alpha", "Beta"), passing({ expected: check.expected }));
  expect(first(run(...move(1), ...tasks("Beta", "Alpha"), failing(check)), usual, usual)).toBe(
    "answer_changed: POST /api/tasks/7/move answered “1” for “position”, where the last pass had “0”",
  );
  expect(first(run(...move(0), ...tasks("Beta", "Alpha"), failing(check)), usual, usual)).toStartWith(
    "answer_changed: GET /api/board answered in another order",
  );
});

test("another day that is sent is one by the clock where the page's scripts are those of the passes", () => {
  const script = exchange("/assets/app.3qwb1ib6.js", { resource_type: "script", ts: 900 });
  const check = { expected: '"Wed, 25 Nov 2026"', received: '"Thu, 26 Nov 2026"' };
  const entry = (date: string) => write("/api/entries", { date }, {});
  const usual = run(...script, ...entry("2026-11-25"), passing({ expected: check.expected }));
  const cause = (...before: ReturnType<typeof exchange>) =>
    first(run(...before, ...entry("2026-11-26"), failing(check)), usual, usual);
  expect(cause(...script)).toContain("by the clock or the time zone of the run");
  expect(cause()).not.toContain("by the clock");
});

describe("an answer", () => {
  test("is told by what of a thing the test looks for, and be it within that thing", () => {
    const task = (more: object) => write("/api/tasks/7", { estimate: 390 }, { estimate: 390, ...more });
    const check = { expected: '"Priya Raman"', received: '"Nobody"' };
    const usual = run(...task({ labels: ["urgent"], assignee: { name: "Priya Raman" } }), passing(check));
    expect(first(run(...task({ labels: [], assignee: null }), failing(check)), usual, usual)).toContain(
      "answered “null” for “assignee”",
    );
  });

  test("with rows of persons is compared person by person, however the rows are ordered", () => {
    const row = (name: string, minutes: number) => ({ user: { name }, minutes });
    const differences = differencesOf(
      { rows: [row("Ada", 480), row("Ben", 420)] },
      { rows: [row("Ben", 420), row("Ada", 360)] },
    );
    expect(differences).toEqual([{ path: "/rows/1/minutes", before: 480, now: 360, of: ["Ada"] }]);
  });
});

test("the message that never reached another tab is told with what that tab did not ask for", () => {
  const list = (id: string, ts: number) => exchange("/api/tasks", { ts, request: { page: id }, body: "[]" });
  const drop = click("Drag the card", { name: "locator.dragTo", ts: 4_000, page: "one" });
  const hello = message("received", { type: "hello" }, 1_500);
  const tab = (id: string) =>
    exchange("/tasks", { resource_type: "document", ts: 1_000, request: { page: id }, body: "<h1>T</h1>" });
  const both = [
    ...tab("one"),
    ...tab("two"),
    ...list("one", 1_100),
    ...list("two", 1_200),
    ...socket,
    hello,
    drop,
    ...list("one", 4_010),
  ];
  const check = { page: "two" };
  const changed = message("received", { type: "board.changed", by: "Ada" }, 4_020);
  const usual = run(...both, changed, ...list("two", 4_030), passing(check));
  expect(first(run(...both, failing(check)), usual, usual)).toMatch(
    /^answer_changed: The WebSocket \/live brought no message.*; GET \/api\/tasks was never sent by the other tab/,
  );
  // A tab that was told and did nothing has lost its own way.
  expect(first(run(...both, changed, failing(check)), usual, usual)).toStartWith(
    "request_unsent: GET /api/tasks",
  );
});

test("what never came over a connection after a write that was sent otherwise comes after that write", () => {
  const hello = message("received", { type: "hello" }, 1_500);
  const told = message("received", { type: "mention", to: "ana" }, 3_100);
  const post = (body: string, ts = 3_000) => write("/api/replies", { body }, { ok: true }, ts);
  const usual = run(...socket, hello, ...post("Thanks @ana"), told, passing());
  const failed = run(...socket, hello, ...post("Thanks @Ana Berg"), failing());
  expect(first(failed, usual, usual)).toBe(
    "page_changed: POST /api/replies was sent with the field body “Thanks @Ana Berg” where the last pass sent “Thanks @ana”",
  );
  // What came before it in the passes did not come for it.
  const early = run(...socket, hello, told, ...post("Thanks @ana", 3_500), passing());
  expect(first(failed, early, early)).toContain("The WebSocket /live brought no message of type “mention”");
  const same = run(...socket, hello, ...post("Thanks @ana"), failing());
  expect(first(same, usual, usual)).toContain("The WebSocket /live brought no message of type “mention”");
});

describe("what a field took only a part of", () => {
  const filled = (most: number, took: string, answered: object = { id: 7 }, more: object = {}) => [
    click('Fill "Spring tour" Title', {
      name: "locator.fill",
      ts: 2_000,
      params: { selector: "getByLabel('Title')", value: "Spring tour" },
    }),
    click("Click Save", { name: "locator.click", ts: 2_900, step_id: "save" }),
    page(
      `<form><label>Title <input name="title" maxlength="${most}" value="${took}"></label><button __playwright_target__="">Save</button></form>`,
      { ts: 2_910, step_id: "save", phase: "action" },
    ),
    ...exchange("/api/tours", {
      method: "POST",
      ts: 3_000,
      request: { body: JSON.stringify({ title: took }) },
      body: JSON.stringify(answered),
      media_type: "application/json",
      ...more,
    }),
  ];
  const usual = run(...filled(200, "Spring tour"), passing());
  const said = "page_changed: The field “Title” took only “Spring” of what";

  test("comes before what was sent of it", () => {
    expect(
      first(run(...filled(6, "Spring"), failing({ expected: '"Spring tour"' })), usual, usual),
    ).toStartWith(said);
  });

  test("comes before what was refused for it, and after another refusal", () => {
    const cause = (more: object, took = "Spring") =>
      first(
        run(...filled(6, took, { message: "No such title" }, more), failing({ expected: '"Saved"' })),
        usual,
        usual,
      );
    expect(cause({ status: 422 })).toStartWith(said);
    expect(cause({ status: 500 })).toStartWith("request_failed: POST /api/tours");
    const other = JSON.stringify({ title: "Autumn" });
    expect(cause({ status: 422, request: { body: other } })).toStartWith("request_failed: POST /api/tours");
  });
});

test("a value that ends where an address would end it is told as cut off, and one that ends elsewhere is not", () => {
  const report = (client: string, rows: number) => write("/api/report", { client }, { rows });
  const cause = (now: string) => {
    const usual = run(...report("Harbor & Pine", 4), passing());
    return told(run(...report(now, 0), failing()), usual, usual).join();
  };
  expect(cause("Harbor")).toContain("cut off at “&”");
  expect(cause("Har")).not.toContain("cut off at");
});

test("an address that an answer gives is told to be without its query", () => {
  const session = (next: string) => write("/api/session", {}, { next });
  const usual = run(...session("/board?task=7"), passing());
  const cause = (next: string) => told(run(...session(next), failing()), usual, usual).join();
  expect(cause("/board")).toContain("answered “/board” for “next”, without its query,");
  expect(cause("/home")).not.toContain("without its query");
});

test("a field that is sent as it was before is told so, and not where something else had said it", () => {
  const stay = (from: string, more: object = {}) => ({ body: JSON.stringify({ stay: { from } }), ...more });
  const change = (read: string, sent: string, end: typeof failing, of = "/api/stays/7") =>
    run(
      ...exchange(of, { ts: 3_000, ...stay(read) }),
      ...exchange("/api/stays/7", {
        ts: 4_000,
        method: "PATCH",
        request: { body: JSON.stringify({ from: sent }) },
        ...stay(sent),
      }),
      end({ expected: '"Thursday"', received: '"Monday"' }),
    );
  const [old, other] = ["Monday", "Thursday"];
  const usual = change(old, other, passing);
  const sent = "sent with the field from “Monday” where the last pass sent “Thursday”";
  const before = " (“Monday” is what it had before)";
  expect(first(change(old, old, failing), usual, usual)).toEndWith(`${sent}${before}`);
  for (const failed of [change("Sunday", old, failing), change(old, old, failing, "/api/rooms/7")]) {
    const causes = told(failed, usual, usual).join();
    expect(causes).toContain(sent);
    expect(causes).not.toContain(before);
  }
});
