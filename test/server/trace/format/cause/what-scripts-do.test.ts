import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const document = (script: string, ts = 1_000) =>
  exchange("/tasks", {
    resource_type: "document",
    media_type: "text/html",
    ts,
    request: { page: "one" },
    body: `<h1>Tasks</h1><script>${script}</script>`,
  });
const JSON_BODY = [{ name: "content-type", value: "application/json" }];
const sends = (method: string, path: string, body: object, more: object = {}) =>
  exchange(path, { method, request: { headers: JSON_BODY, body: JSON.stringify(body) }, ...more });
const drag = click("Drag getByText('Write letters')", { name: "dragTo", ts: 2_000, page: "one" });
const reload = click("Reload", { name: "reload", ts: 3_000, page: "one" });

test("a write that was not sent before the page was loaded anew is told with the script that no longer sends it", () => {
  const move = sends("PUT", "/api/tasks/1", { column: "done" }, { ts: 2_020 });
  const usual = run(
    ...document("save(); show()"),
    drag,
    ...move,
    reload,
    ...document("save(); show()", 3_010),
    passing(),
  );
  const unsaved = run(...document("show()"), drag, reload, ...document("show()", 3_010), failing());
  expect(first(unsaved, usual, usual)).toStartWith(
    "request_unsent: PUT /api/tasks/1 was never sent: in the last pass it went out 20 ms after “Drag getByText('Write letters')”; GET /tasks came with another script in it: ",
  );
  const sameScript = run(
    ...document("save(); show()"),
    drag,
    reload,
    ...document("save(); show()", 3_010),
    failing(),
  );
  expect(first(sameScript, usual, usual)).toStartWith("request_unsent: PUT /api/tasks/1 was never sent");
});

test("what was never sent to be kept comes before what is read of it later", () => {
  const check = { expected: '"done"', received: '"todo"' };
  const move = sends("PUT", "/api/tasks/1", { column: "done" }, { ts: 2_020 });
  const list = (column: string, ts: number) =>
    exchange("/api/tasks", { ts, body: JSON.stringify([{ id: "1", column }]) });
  const went = (...moved: typeof move) => [
    ...document("x"),
    drag,
    ...moved,
    reload,
    ...document("x", 3_010),
    ...list(moved.length > 0 ? "done" : "todo", 3_100),
  ];
  const usual = run(...went(...move), passing(check));
  const unsent = told(run(...went(), failing(check)), usual, usual);
  expect(unsent[0]).toStartWith("request_unsent: PUT /api/tasks/1 was never sent");
  expect(unsent[1]).toStartWith("answer_changed: GET /api/tasks answered “todo”");
});

test("what the failed action itself sends in passes is missing because it failed", () => {
  const save = click("Click getByRole('button', { name: 'Save' })", { ts: 5_000, step_id: "check" });
  const failed = {
    ...save,
    ok: false,
    duration_ms: 2_000,
    error: { message: "TimeoutError: Timeout 2000ms exceeded." },
  };
  const sent = sends("POST", "/api/tasks", { title: "x" }, { ts: 5_010 });
  const usual = run(...document("x"), drag, save, ...sent);
  expect(told(run(...document("x"), drag, failed), usual, usual).join()).not.toContain("never sent");
});

test("a write of an action that this run never came to is no cause", () => {
  const move = sends("PUT", "/api/tasks/1", { column: "done" }, { ts: 2_020 });
  const usual = run(...document("x"), drag, ...move, reload, passing());
  expect(told(run(...document("x"), reload, failing()), usual).join()).not.toContain("never sent");
});

const summary = {
  expected: '"Booked for Tuesday 12 May 2026, 2 seats"',
  received: '"Booked for Monday 11 May 2026, 2 seats"',
};
const booked = (day: string, more: object = {}) =>
  sends("POST", "/api/bookings", { day, seats: 2 }, { ts: 4_500, body: JSON.stringify({ day }), ...more });

test("a date that the page sent wrong is told before the answers that bring it back", () => {
  const usual = run(...booked("2026-05-12"), passing(summary));
  const wrong = run(
    ...booked("2026-05-11"),
    ...exchange("/api/mine", { ts: 4_600, body: '[{"day":"2026-05-11"}]' }),
    failing(summary),
  );
  const same = run(
    ...booked("2026-05-12"),
    ...exchange("/api/mine", { ts: 4_600, body: '[{"day":"2026-05-12"}]' }),
    passing(summary),
  );
  for (const passes of [[same], [same, same]])
    expect(first(wrong, ...passes)).toBe(
      "page_changed: POST /api/bookings was sent with the field day “2026-05-11” where the last pass sent “2026-05-12”",
    );
  expect(usual).toHaveLength(3);
});

test("a date that moves with the day of the run is the same", () => {
  const DAY = 86_400_000;
  const on = (day: number, events: ReturnType<typeof run>) =>
    events.map((event) => ({ ...event, ts: event.ts + day * DAY }));
  const week = (at: number) => new Date((at + 7) * DAY).toISOString().slice(0, 10);
  const usual = on(0, run(...booked(week(0)), passing()));
  expect(told(on(3, run(...booked(week(3)), failing())), usual, usual).join()).not.toContain("was sent with");
  expect(told(on(3, run(...booked(week(2)), failing())), usual, usual).join()).toContain("was sent with");
});

test("a number that the page sent wrong is told, where the test shows it", () => {
  const seats = (count: number) => sends("POST", "/api/bookings", { seats: count }, { ts: 4_500 });
  const check = { expected: '"2 seats, €40.00"', received: '"1 seats, €20.00"' };
  const usual = run(...seats(2), passing(check));
  expect(first(run(...seats(1), failing(check)), usual, usual)).toBe(
    "page_changed: POST /api/bookings was sent with the field seats “1” where the last pass sent “2”",
  );
});

test("a tab that asks for nothing, as no message reached it", () => {
  const tab = (id: string) =>
    exchange("/tasks", {
      resource_type: "document",
      media_type: "text/html",
      ts: 1_000,
      request: { page: id },
      body: "<h1>T</h1>",
    });
  const list = (id: string, ts: number) => exchange("/api/tasks", { ts, request: { page: id }, body: "[]" });
  const press = click("Press Enter", { name: "press", ts: 4_000, page: "one" });
  const both = [...tab("one"), ...list("one", 1_100), ...tab("two"), ...list("two", 1_200), press];
  const check = { page: "two" };
  const usual = run(...both, ...list("one", 4_010), ...list("two", 4_030), passing(check));
  expect(first(run(...both, ...list("one", 4_010), failing(check)), usual, usual)).toBe(
    "request_unsent: GET /api/tasks was never sent by the other tab, which no message reached: in the last pass it went out 30 ms after “Press Enter” in the first",
  );
});

test("a changed script of which nothing can be told but itself comes first", () => {
  const shown = page("<ul></ul>");
  expect(
    first(
      run(...document("find(words)"), shown, failing()),
      run(...document("find(words.lower)"), passing()),
    ),
  ).toStartWith("answer_changed: GET /tasks came with another script in it: “find(words)”");
});

test("what a framework starts a page with is no script of the product: its data are told by their place, and its release is no news", () => {
  const started = (data: string, release: string) =>
    document(
      `__sveltekit_${release}={base:""};import("/start.js").then(kit=>kit.start(app,main,{node_ids:[0],data:[{type:"data",data:${data},uses:{}}]}))`,
    );
  const usual = run(...started("{items:[{price:5}]}", "1a2b"), passing());
  expect(first(run(...started("{items:[{price:7}]}", "1a2b"), failing()), usual, usual)).toBe(
    "answer_changed: GET /tasks answered “7” for “items.0.price”, where the last pass had “5”",
  );
  expect(told(run(...started("{items:[{price:5}]}", "9z8y"), failing()), usual, usual).join()).not.toContain(
    "GET /tasks",
  );
});

test("a write that went to another thing than in every pass comes before the list that lacks it", () => {
  const check = {
    name: "toHaveCount",
    title: "Expect \"toHaveText\" locator('td')",
    expected: '["Anvil", "Crate"]',
    received: '["Anvil", "Bolt"]',
  };
  const removed = (id: string) => exchange(`/api/items/${id}`, { method: "DELETE", ts: 2_010 });
  const list = (...names: string[]) =>
    exchange("/api/items", { ts: 3_100, body: JSON.stringify(names.map((name) => ({ name }))) });
  const went = (id: string, ...names: string[]) => [drag, ...removed(id), reload, ...list(...names)];
  const usual = run(...went("2", "Anvil", "Crate"), passing(check));
  const other = run(...went("3", "Anvil", "Bolt"), failing(check));
  expect(first(other, usual, usual)).toBe(
    "page_changed: DELETE /api/items/3 was sent where every pass sent DELETE /api/items/2",
  );
  // A collection is no thing of another one, and what the test sends by itself no page does.
  const sent = (kind: string, more: object = {}) =>
    exchange(`/api/${kind}`, { method: "DELETE", ts: 2_010, ...more });
  const cleared = run(drag, ...sent("carts"), passing(check));
  for (const now of [sent("sessions"), sent("carts/3", { resource_type: "api" })])
    expect(told(run(drag, ...now, failing(check)), cleared, cleared).join()).not.toContain("was sent where");
  const older = run(...went("7", "Anvil", "Crate"), passing(check));
  expect(told(other, usual, older).join()).not.toContain("was sent where");
  expect(told(other, usual).join()).not.toContain("was sent where");
});

test("a write that a changed script sends to another thing comes before its own answer", () => {
  const move = (id: string) =>
    sends(
      "PUT",
      `/api/tasks/${id}`,
      { column: "done" },
      {
        ts: 2_005,
        body: JSON.stringify({ title: id === "t1" ? "Write letters" : "Paint the hall" }),
      },
    );
  const check = { expected: '"Write letters"', received: '"Paint the hall"' };
  const usual = run(...document("put(id)"), drag, ...move("t1"), reload, passing(check));
  const other = run(...document("put(ids[1])"), drag, ...move("t2"), reload, failing(check));
  expect(first(other, usual, usual)).toStartWith(
    "page_changed: PUT /api/tasks/t2 was sent where every pass sent PUT /api/tasks/t1",
  );
});

test("what a changed script sent otherwise comes before what is read right afterwards; a field of the client does not", () => {
  const check = { expected: '"Holiday plans"', received: '"Choir"' };
  const went = (script: string, sent: object, subject: string) => [
    ...document(script),
    ...sends("POST", "/api/archive", sent, { ts: 4_000 }),
    ...exchange("/api/threads", { ts: 4_100, body: JSON.stringify({ threads: [{ subject }] }) }),
  ];
  const usual = run(...went("by(id)", { ids: ["t4"], version: "1" }, "Holiday plans"), passing(check));
  const wrong = run(...went("by(at)", { ids: ["t2"], version: "1" }, "Choir"), failing(check));
  expect(first(wrong, usual, usual)).toStartWith(
    "page_changed: POST /api/archive was sent with the field ids.0 “t2” where the last pass sent “t4”; GET /tasks came with another script in it",
  );
  const released = run(...went("by(id, 2)", { ids: ["t4"], version: "2" }, "Choir"), failing(check));
  expect(first(released, usual, usual)).toStartWith("answer_changed: GET /api/threads answered");
});

test("a field that is an id by its name and goes by another one is told with both names", () => {
  const list = (more: object) =>
    exchange("/api/threads", { ts: 4_000, body: JSON.stringify({ unread: 2, ...more }) });
  expect(told(run(...list({ next: 4 }), failing()), run(...list({ cursor: 4 }), passing())).join()).toContain(
    "GET /api/threads answered with a field “next” now, where the last pass had “cursor”",
  );
});

test("a list that was sent with more things in it is told by their number", () => {
  const check = { expected: '"2 lines"', received: '"4 lines"' };
  const line = { name: "Crate" };
  const sent = (...lines: object[]) => sends("POST", "/api/intake", { lines }, { ts: 4_500 });
  const usual = run(...sent(line, line), passing(check));
  expect(told(run(...sent(line, line, line, line), failing(check)), usual, usual)[0]).toBe(
    "page_changed: POST /api/intake was sent with the field lines “4 items” where the last pass sent “2 items”",
  );
});

test("what a page no longer sends over its WebSocket is told; what varies in it is not", () => {
  const socket = (...texts: string[]) => [
    {
      ...{ kind: "network.request", request_id: "live", method: "GET", resource_type: "websocket" },
      ...{ url: "ws://shop.example/live", headers: [], ts: 1_000 },
    },
    ...texts.map((text, at) => ({
      ...{ kind: "network.websocket_frame", request_id: "live", direction: "sent", opcode: 1 },
      ...{ text, ts: 1_100 + at },
    })),
  ];
  const watch = '{"watch":"crates"}';
  const usual = run(...socket(watch, '{"ping":"2026-05-12T10:00:00Z"}'), passing());
  const silent = run(...socket('{"ping":"2026-06-01T11:00:00Z"}'), failing());
  expect(first(silent, usual)).toBe(
    'request_unsent: The page did not send “{"watch":"crates"}” over the WebSocket /live: in the last pass it did, 100 ms after that was opened',
  );
  expect(told(run(...socket(watch), failing()), usual).join()).not.toContain("watch");
  const hello = (token: string) => `{"hello":"${token}"}`;
  const known = run(...socket(hello("9f86d081884c7d65")), passing());
  expect(told(run(...socket(hello("a1b2c3")), failing()), known).join()).not.toContain("did not send");
  const late = run(...socket('{"watch":"bolts"}'), passing());
  expect(told(silent, usual, late).join()).not.toContain("did not send");
});
