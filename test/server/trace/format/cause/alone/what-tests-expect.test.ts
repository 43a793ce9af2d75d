import { describe, expect, test } from "bun:test";
import { causeWithSources, click, exchange, run } from "../run.ts";
import { fill, json, post, textOf, told } from "./scene.ts";

type Events = Parameters<typeof run>;
const cause = (...events: Events) => told(run(...events)).join("\n");
const open = click("Navigate /users", { name: "page.goto", ts: 3_000 });

describe("an objection in other words", () => {
  const refused = (answer: string) =>
    exchange("/api/login", {
      ts: 4_100,
      method: "POST",
      status: 401,
      body: answer,
      media_type: "application/json",
    });
  const check = textOf("alert", "Wrong email or password", "That email and password don’t match");
  const press = click("Click Sign in", { ts: 4_050 });

  test("comes before the refusal that the test waits for", () => {
    expect(cause(press, ...refused('{"code":"invalid"}'), check)).toStartWith(
      'assertion: getByTestId(\'alert\') had "That email and password don’t match" where the test expects "Wrong email or password"; those are the page\'s own words for POST /api/login, answered with 401',
    );
  });

  test("comes after it where the answer brought the words, or the test waits for no objection", () => {
    expect(cause(press, ...refused('{"message":"That email and password don’t match"}'), check)).toStartWith(
      "request_failed: POST /api/login was answered with 401",
    );
    const files = { expected: 'Array [ "too large.csv" ]', message: "expect(received).toEqual(expected)" };
    expect(cause(press, ...refused("{}"), { ...check, ...files })).toStartWith(
      "request_failed: POST /api/login was answered with 401",
    );
    expect(cause(press, ...refused("{}"), textOf("alert", "Welcome back", "Please sign in"))).toStartWith(
      "request_failed: POST /api/login was answered with 401",
    );
  });
});

describe("a state in words", () => {
  const check = textOf("role", "Viewer", "Manager");
  const SO = "it stood so already, before this run had changed anything";

  test("is told to have stood so where this run did nothing but open its page", () => {
    const link = click("Click getByRole('link', { name: 'Users' })", { ts: 3_500 });
    const signIn = post("/api/login", 200, {});
    for (const events of [[open], [open, link], [...signIn, open]] as Events[])
      expect(cause(...events, check)).toContain(SO);
  });

  test("is not told so where something was pressed, filled in or written, nor of a figure or an empty text", () => {
    for (const events of [
      [open, click("Click getByRole('button', { name: 'Save' })", { ts: 3_500 }), check],
      [open, fill("Name", "Ann", 3_500), check],
      [open, ...post("/api/users", 201, {}), check],
      [open, textOf("total", "5 items", "4 items")],
      [open, textOf("role", "Viewer", "")],
    ] as Events[])
      expect(cause(...events)).not.toContain(SO);
  });
});

describe("a count", () => {
  const reports = (count: number) => json("/api/overview", { reports: count }, { ts: 3_000 });
  const created = () => post("/api/reports", 201, { id: 7 }, { request: { body: '{"title":"Geneva"}' } });
  const shown = textOf("count", "37 reports in 2026-10", "38 reports in 2026-10");

  test("that is more than was there and was sent is told so", () => {
    expect(cause(...reports(36), ...created(), shown)).toStartWith(
      "answer_changed: GET /api/overview answered “36” for “reports” before POST /api/reports, and the page shows 38 after it: more than this run had sent (1), so something else was added meanwhile, or it was stored more than once",
    );
  });

  test("is not told so where nothing was sent, there was another number before, or the page shows less", () => {
    for (const events of [
      [...reports(36), shown],
      [...reports(37), ...created(), shown],
      [...reports(36), ...created(), textOf("count", "37 reports in 2026-10", "36 reports in 2026-10")],
      [...json("/api/overview", { pages: 36 }, { ts: 3_000 }), ...created(), shown],
    ] as Events[])
      expect(cause(...events)).not.toContain("more than this run had sent");
  });
});

describe("a time that the test makes by UTC", () => {
  const FILE = "/work/tests/ticket.spec.ts";
  const at = (line: number, expected = "17:", received = "Tom 18:53 Shipped") => ({
    ...textOf("message", expected, received),
    stack: [{ file: FILE, line, column: 1 }],
  });
  const code = [
    "const hour = new Date().toISOString().slice(11, 14);",
    'await expect(page.getByTestId("message")).toContainText(hour);',
  ];
  const timed = (lines: string[], check: ReturnType<typeof at>) =>
    causeWithSources({ [FILE]: lines.join("\n") }, run(check))
      .suspects.map(({ kind, title }) => `${kind}: ${title}`)
      .join("\n");

  test("is told with the hour that the page shows by its own zone", () => {
    expect(timed(code, at(2))).toStartWith(
      "time: The test expects “17:”, which its code makes in UTC (toISOString), and the page shows “Tom 18:53 Shipped” by its own time zone",
    );
  });

  test("is not told where the hour is the same, no time is shown, or the code makes none", () => {
    expect(timed(code, at(2, "17:", "Tom 17:53 Shipped"))).not.toContain("in UTC");
    expect(timed(code, at(2, "17:", "Tom"))).not.toContain("in UTC");
    expect(timed(["const hour = local();", code[1]!], at(2))).not.toContain("in UTC");
  });
});
