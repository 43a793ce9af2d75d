import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { header, json, told } from "./scene.ts";

const PLAIN = header("content-type", "application/json");
const post = (body: object, more: Record<string, unknown> = {}) =>
  json(
    "/api/tasks",
    {},
    { method: "POST", ts: 3_010, request: { body: JSON.stringify(body), headers: PLAIN }, ...more },
  );
const save = click("Click Save", { ts: 3_000, step_id: "save" });
const shown = (expected: string, received: string) =>
  failing({ expected: `"${expected}"`, received: `"${received}"` });

test("an option that was picked and sent as another one is told with both", () => {
  const pick = (picked: string) =>
    click("Select option getByLabel('Priority')", {
      name: "page.selectOption",
      ts: 2_000,
      step_id: "pick",
      params: { selector: 'internal:label="Priority"i', options: [{ valueOrLabel: picked }] },
      picked: [picked],
    });
  const cause = (body: object, met = shown("High", "Room · Normal")) =>
    told(run(pick("high"), save, ...post(body), met)).join();
  expect(cause({ title: "Room", priority: "normal" })).toStartWith(
    "page_changed: POST /api/tasks was sent with “normal” for “priority”, where the test had picked “high” for “Priority”",
  );
  for (const body of [
    { priority: "high" },
    { title: "normal" },
    { priority: "normal", of: { priority: "low" } },
  ])
    expect(cause(body)).not.toContain("had picked");
  expect(cause({ priority: "normal" }, shown("Rooms", "Room"))).not.toContain("had picked");
});

test("a value that came back under its name in another writing is told where the page shows nothing of it", () => {
  const listed = (item: object) => json("/api/tasks", { items: [{ id: 7, ...item }] }, { ts: 3_500 });
  const cause = (item: object, received = "Room · No due date") =>
    told(
      run(
        save,
        ...post({ title: "Room", dueDate: "2026-11-30" }),
        ...listed(item),
        shown("Nov 30, 2026", received),
      ),
    ).join();
  expect(cause({ due_date: "2026-11-30" })).toStartWith(
    "answer_changed: GET /api/tasks answered “2026-11-30” for “items.0.due_date”, which POST /api/tasks had sent as “dueDate”: by that name the page finds nothing",
  );
  for (const item of [
    { dueDate: "2026-11-30", due_date: "2026-11-30" },
    { due_date: "2026-12-01" },
    { due_date: "2026-11-30", created_at: "2026-11-01" },
    { day: "2026-11-30" },
  ])
    expect(cause(item)).not.toContain("had sent as");
  expect(cause({ due_date: "2026-11-30" }, "Due Nov 30, 2026")).not.toContain("had sent as");
});

describe("what should be gone after a write", () => {
  const hidden = failing({
    name: "toBeHidden",
    title: "Expect \"toBeHidden\" getByTestId('unread')",
    message: "expect(locator).toBeHidden() failed\n\nLocator: getByTestId('unread')",
    expected: "hidden",
    received: "visible",
  });
  const news = (ts: number) => json("/api/news", { unread: 3 }, { ts });
  const written = (url: string, status = 204) => exchange(url, { method: "POST", ts: 3_010, status });
  const badge = (text: string) => page(`<b data-testid="unread">${text}</b>`);
  const cause = (...events: Parameters<typeof run>) => told(run(...events)).join();

  test("is told with the answer that was not asked for again, whose value it still shows", () => {
    expect(cause(...news(2_000), save, ...written("/api/news/read-all"), hidden, badge("3"))).toStartWith(
      "page_changed: GET /api/news was not asked for again after POST /api/news/read-all, answered with 204: the page still shows “3”, its “unread” from before",
    );
  });

  test("is not told so where that was asked for again, the write failed or was to something else, or the page shows another value", () => {
    const all = written("/api/news/read-all");
    for (const events of [
      [...news(2_000), save, ...all, ...news(3_500), hidden, badge("3")],
      [...news(2_000), save, ...written("/api/news/read-all", 500), hidden, badge("3")],
      [...news(2_000), save, ...written("/api/mail/read-all"), hidden, badge("3")],
      [...news(2_000), save, ...all, hidden, badge("2")],
    ])
      expect(cause(...events)).not.toContain("not asked for again");
  });
});

describe("a value that the test read once", () => {
  const next = click("Click Next", { ts: 3_000, step_id: "next", name: "page.click" });
  const count = click("Query count getByTestId('row')", { ts: 3_060, step_id: "count", name: "page.count" });
  const unequal = failing({
    ts: 3_090,
    name: "toBe",
    title: 'Expect "toBe"',
    message: "expect(received).toBe(expected) // Object.is equality",
    expected: "4",
    received: "10",
    duration_ms: 1,
  });
  const rows = (ts: number, duration_ms: number) =>
    json("/api/rows", [], { ts, duration_ms, request: { ts } });
  const cause = (...events: Parameters<typeof run>) => told(run(...events)).join();

  test("is told with what its last action had asked for and was not answered yet", () => {
    expect(cause(next, ...rows(3_030, 500).slice(0, 1), count, unequal)).toStartWith(
      "test_code: The test read “10” once and did not wait: “Query count getByTestId('row')” came 40 ms after “Click Next”, while GET /api/rows was not answered yet",
    );
  });

  test("is told otherwise where all was answered, the test waited, or an expectation looks again", () => {
    const open = rows(3_030, 500).slice(0, 1);
    const waited = {
      kind: "assertion",
      name: "toBeVisible",
      title: "Expect",
      ok: true,
      ts: 3_040,
      duration_ms: 10,
    };
    const polling = { ...unequal, message: "expect(locator).toHaveCount(expected) failed" };
    expect(cause(next, ...rows(3_030, 5), count, unequal)).not.toContain("read “10” once");
    expect(cause(next, ...open, waited, count, unequal)).not.toContain("read “10” once");
    expect(cause(next, ...open, count, polling)).not.toContain("read “10” once");
    expect(cause(...open, count, unequal)).not.toContain("read “10” once");
    // What is read again and again waits.
    const again = { ...count, ts: 3_080, step_id: "again" };
    const predicate = `${unequal.message}\n\n- Timeout 4000ms exceeded while waiting on the predicate`;
    expect(cause(next, ...open, count, again, { ...unequal, ts: 3_110 })).not.toContain("read “10” once");
    expect(cause(next, ...open, count, { ...unequal, message: predicate })).not.toContain("read “10” once");
    const poll = json("/notices/poll", [], { ts: 3_030, request: { ts: 3_030 } }).slice(0, 1);
    expect(cause(next, ...poll, count, unequal)).not.toContain("read “10” once");
  });
});
