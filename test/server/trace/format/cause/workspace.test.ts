import { describe, expect, test } from "bun:test";
import { locatedBy } from "../../../../../server/trace/format/cause/page/located.ts";
import { viewOfHtml } from "../../../../../server/trace/format/cause/page/page-view.ts";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const json = (url: string, body: unknown, more: object = {}) =>
  exchange(url, { ts: 4_000, body: JSON.stringify(body), media_type: "application/json", ...more });
const graph = (operationName: string, body: unknown, more: Record<string, unknown> = {}) =>
  json("/graphql", body, {
    method: "POST",
    ...more,
    request: { body: JSON.stringify({ operationName, query: "…", variables: more.variables ?? {} }) },
  });

describe("what varies from pass to pass", () => {
  const board = (tags: string[], seen: string, role: string) => [
    ...json("/api/board", { cards: [{ title: "Form", tags, seen }] }),
    ...json("/api/me", { role }),
  ];
  const passes = [
    run(...board(["web", "bug"], "2 min ago", "member"), passing()),
    run(...board(["bug", "web"], "9 min ago", "member"), passing()),
  ];

  test("is no news: neither the order of a list nor a value, in any item", () => {
    const failed = run(...board(["web", "bug"], "31 min ago", "viewer"), failing());
    expect(first(failed, ...passes)).toBe(
      "answer_changed: GET /api/me answered “viewer” for “role”, where the last pass had “member”",
    );
    expect(told(failed, ...passes).join()).not.toContain("/api/board");
  });

  test("counts where the test asks for it", () => {
    const found = (...names: string[]) => json("/api/found", names);
    const usual = [run(...found("Apollo", "Zephyr"), passing()), run(...found("Zephyr", "Kelp"), passing())];
    const failed = run(...found("Apollo", "Kelp"), failing({ expected: '"Zephyr"', received: '"Kelp"' }));
    expect(first(failed, ...usual)).toContain(
      "GET /api/found answered “Kelp” for “1”, where the last pass had “Zephyr”",
    );
  });
});

test("how long an answer took and what its request is called are no news", () => {
  const answer = (ms: number) =>
    json("/api/me", { name: "Ada", extensions: { took_ms: ms, requestId: `r${ms}` } });
  expect(told(run(...answer(7), failing()), run(...answer(2), passing())).join()).not.toContain("took_ms");
});

test("an answer is compared with the one to the same question", () => {
  const asked = (after: string | null, names: string[], ts: number) =>
    graph("Projects", { data: { nodes: names } }, { ts, variables: { after } });
  const pass = run(...asked(null, ["Apollo"], 3_000), ...asked("a", ["Zephyr"], 4_000), passing());
  const failed = run(
    ...asked(null, ["Apollo"], 3_000),
    ...asked("a", ["Apollo"], 4_000),
    failing({ message: "project not listed: Zephyr" }),
  );
  expect(first(failed, pass)).toBe(
    "answer_changed: POST /graphql (Projects) answered the same as to the question before it: “Apollo” for “data.nodes.0”, where the last pass had “Zephyr”",
  );
});

test("an answer that is one change behind is told where the test looks for that change", () => {
  const cards = (titles: string[], ts: number) => json("/api/cards", titles, { ts });
  const pass = run(...cards(["Form"], 3_000), ...cards(["Form", "Release notes"], 4_000), passing());
  const failed = (expected: string) =>
    run(...cards(["Form"], 3_000), ...cards(["Form"], 4_000), failing({ expected, received: '"Form"' }));
  expect(first(failed('"Release notes"'), pass)).toBe(
    "answer_changed: GET /api/cards answered with 1 item instead of 2 items, without “Release notes”, which the test looks for",
  );
  expect(told(failed('"Other"'), pass).join()).not.toContain("/api/cards");
});

test("a copy of which the server said that nothing had changed is told as that", () => {
  const settings = (digest: boolean, ts: number, tags: [string, string] | null) =>
    json(
      "/api/settings",
      { digest },
      {
        ts,
        headers: [{ name: "ETag", value: tags?.[0] ?? '"0"' }],
        request: { headers: tags ? [{ name: "If-None-Match", value: tags[1] }] : [] },
      },
    );
  const pass = run(...settings(false, 3_000, null), ...settings(true, 4_000, ['"1"', '"0"']), passing());
  const failed = run(
    ...settings(false, 3_000, null),
    ...settings(false, 4_000, ['"0"', '"0"']),
    failing({ expected: "true", received: "false" }),
  );
  expect(first(failed, pass)).toBe(
    "stale_answer: GET /api/settings answered “false” for “digest”, where the last pass had “true”, from the browser's cache (304: the server said that nothing had changed)",
  );
});

test("of a batch that was answered with 200 the part that failed is told, by what it asked for", () => {
  const batch = (part: object) =>
    json("/api/batch", [{ status: 200, body: {} }, part], {
      method: "POST",
      request: { body: JSON.stringify([{ path: "/api/me" }, { path: "/api/stats" }]) },
    });
  expect(first(run(...batch({ status: 500, body: { error: "no such table" } }), failing()))).toBe(
    "request_failed: POST /api/batch was answered with 200, but its part 2 (“/api/stats”) failed with 500: “no such table”",
  );
  expect(told(run(...batch({ status: 200, body: {} }), failing())).join()).not.toContain("/api/batch");
});

test("operations of one endpoint are requests of their own: the one that was not sent is named", () => {
  const moved = [click("Drag"), ...graph("MoveCard", { data: {} }, { ts: 4_500 })];
  const pass = run(...graph("Board", { data: {} }, { ts: 1_000 }), ...moved, passing());
  const failed = run(...graph("Board", { data: {} }, { ts: 1_000 }), click("Drag"), failing());
  expect(first(failed, pass)).toStartWith(
    "request_unsent: POST /graphql (MoveCard) was never sent: in the last pass it went out",
  );
});

describe("messages of a WebSocket", () => {
  const opened = {
    kind: "network.request",
    request_id: "ws1",
    url: "ws://shop.example/live",
    resource_type: "websocket",
    ts: 1_000,
  };
  const heard = (value: object, ts = 2_000) => ({
    kind: "network.websocket_frame",
    request_id: "ws1",
    opcode: 1,
    direction: "received",
    text: JSON.stringify(value),
    ts,
  });
  const hello = heard({ type: "presence", online: 2 }, 1_500);
  const pass = run(opened, hello, heard({ type: "comment.created", client_id: "a", text: "Hi" }), passing());
  const after = (...frames: object[]) =>
    first(run(opened, hello, ...(frames as (typeof hello)[]), failing()), pass);

  test("that go by another name, lack a field or never came are told", () => {
    expect(after(heard({ type: "comment_created", client_id: "a", text: "Hi" }))).toStartWith(
      "answer_changed: The WebSocket /live brought a message of type “comment_created” where the last pass had type “comment.created”: ",
    );
    expect(after(heard({ type: "comment.created", text: "Hi" }))).toContain(
      "a message of type “comment.created” without the field “client_id”, which messages of that kind have in the last pass",
    );
    expect(after()).toStartWith(
      "answer_changed: The WebSocket /live brought no message of type “comment.created” before the step gave up; in the last pass it did: ",
    );
  });

  test("that say other things in the same form are no news", () => {
    expect(after(heard({ type: "comment.created", client_id: "b", text: "Ho" }))).toStartWith("assertion:");
  });
});

test("a WebSocket that did not open is told with where the passes opened theirs", () => {
  const socket = (path: string, more: object) => ({
    kind: "network.response",
    request_id: path,
    url: `ws://shop.example${path}`,
    resource_type: "websocket",
    ts: 1_000,
    ...more,
  });
  const refused = { error: "Error during WebSocket handshake: Unexpected response code: 404" };
  expect(
    first(run(socket("/v2", refused), failing()), run(socket("/live", { status: 101 }), passing())),
  ).toBe(
    "websocket_closed: The WebSocket /v2 could not be opened: the server answered with 404 instead of opening it; in the last pass it was /live",
  );
});

test("a line that tells the code of a closed connection is of the page's WebSocket, whatever it calls it", () => {
  const socket = {
    kind: "network.request",
    request_id: "w",
    url: "ws://shop.example/live",
    resource_type: "websocket",
    ts: 10,
  };
  const line = {
    kind: "console.info",
    text: "live updates stopped: 4403 the licence has expired",
    ts: 4_990,
  };
  expect(first(run(socket, line, failing()), run(socket, passing()))).toBe(
    "websocket_closed: The page's WebSocket closed: “live updates stopped: 4403 the licence has expired”",
  );
  expect(told(run(line, failing()), run(passing())).join()).not.toContain("WebSocket");
});

test("an element that is of another kind than the step needs is told with what it was", () => {
  const select = (more: object) => ({
    kind: "agent.action",
    ts: 5_000,
    step_id: "check",
    name: "selectOption",
    title: "Select getByLabel('Status')",
    params: {},
    duration_ms: 2_000,
    ...more,
  });
  const failed = run(
    select({
      error: { message: "locator.selectOption: Error: Element is not a <select> element" },
      log: ["waiting for getByLabel('Status')"],
    }),
    page('<button aria-label="Status">To do</button>', { ts: 7_100 }),
  );
  const pass = run(
    select({ ok: true }),
    page('<select aria-label="Status"><option>To do</option></select>', { ts: 7_100 }),
  );
  expect(first(failed, pass)).toBe(
    "element_renamed: getByLabel('Status') is a button “Status” (<button>) now, where the step needs a <select>; in the last pass it was a combobox “Status” (<select>)",
  );
});

test("an element of another kind is the one within the locator's parts, and no other that goes by a like name", () => {
  const pick = (more: object) => ({
    ...{ kind: "agent.action", ts: 5_000, step_id: "check", name: "selectOption", params: {} },
    ...{ title: "Select getByRole('form', { name: 'Add part' }).getByLabel('Part')", duration_ms: 2_000 },
    ...more,
  });
  const html = (field: string) =>
    page(
      `<table aria-label="Part lines"></table><form aria-label="Add part"><label>Part${field}</label></form>`,
      { ts: 7_100 },
    );
  const options = '<option value="Chain">Chain</option><option value="Bell">Bell</option>';
  const failed = run(
    pick({
      error: { message: "locator.selectOption: Error: Element is not a <select> element" },
      log: [
        "waiting for getByRole('form', { name: 'Add part' }).getByLabel('Part')",
        'locator resolved to <input list="parts"/>',
      ],
    }),
    html(`<input list="parts"><datalist id="parts">${options}</datalist>`),
  );
  expect(first(failed, run(pick({ ok: true }), html(`<select>${options}</select>`)))).toBe(
    "element_renamed: getByRole('form', { name: 'Add part' }).getByLabel('Part') is a textbox “Part” (<input>) now, where the step needs a <select>; in the last pass it was a combobox “Part” (<select>)",
  );
});

test("a field for files that takes one is told with what it lacks, and is of no other kind", () => {
  const pick = (more: object) =>
    click("Set input files getByLabel('Add documents')", {
      ...{ ts: 5_000, step_id: "check", name: "setInputFiles" },
      ...more,
    });
  const failed = (field: string) =>
    run(
      pick({
        error: {
          message: "locator.setInputFiles: Error: Non-multiple file input can only accept single file",
        },
      }),
      page(`<label>Add documents<input type="file"${field}></label>`, { ts: 7_100 }),
    );
  const pass = run(
    pick({ ok: true }),
    page('<label>Add documents<input type="file" multiple></label>', { ts: 7_100 }),
  );
  const single =
    "page_changed: getByLabel('Add documents') takes a single file: it has no attribute “multiple”";
  expect(first(failed(""), pass)).toBe(
    `${single}, which it has in the last pass, and the step gives it several files`,
  );
  expect(first(failed(""))).toBe(`${single}, and the step gives it several files`);
});

test("of keys that a test typed, those that did not arrive are told", () => {
  const typed = click("Type", { name: "locator.pressSequentially", params: { text: "Please look" } });
  const failed = (received: string) => run(typed, failing({ expected: '"Please look"', received }));
  expect(first(failed('"P"'))).toStartWith(
    "element_detached: Of “Please look”, which “Type” typed, only “P” arrived: the page made the field anew",
  );
  expect(told(failed('"Something else"')).join()).not.toContain("arrived");
});

test("a plain selector finds what it names, and says when it is too much for it", () => {
  const elements = viewOfHtml(
    '<main class="board"><div class="toast big"><button id=a>Undo</button></div><button data-testid="x y">Add</button></main>',
  );
  const found = (selector: string) => locatedBy(selector, elements)?.map(({ own }) => own) ?? null;
  expect(found(".toast button")).toEqual(["Undo"]);
  expect(found("main > .toast.big #a")).toEqual(["Undo"]);
  expect(found('[data-testid="x y"]')).toBeNull();
  expect(found("button:not(.x)")).toBeNull();
  expect(found(".board .none button")).toEqual([]);
  expect(found("button")).toEqual(["Undo", "Add"]);
});

test("a click that goes through an element to the page behind it is told as that", () => {
  const through = run(
    click("Click Undo", {
      ts: 5_000,
      duration_ms: 2_000,
      error: { message: "locator.click: Timeout 2000ms exceeded." },
      log: ["waiting for locator('.toast button')", '  <html lang="en">…</html> intercepts pointer events'],
    }),
  );
  expect(first(through)).toStartWith(
    "element_covered: A click on locator('.toast button') went through it to the page behind",
  );
});

test("a cookie of a path is not missed where nothing was sent to that path", () => {
  const wire = { name: "Host", value: "shop.example" };
  const cookie = { name: "Cookie", value: "refresh=1" };
  const set = { name: "Set-Cookie", value: "refresh=1; Path=/auth; HttpOnly" };
  const enter = exchange("/auth/login", {
    method: "POST",
    ts: 2_000,
    headers: [set],
    request: { headers: [wire] },
  });
  const asked = (path: string, headers: object[], ts: number) => exchange(path, { ts, request: { headers } });
  const pass = run(
    ...enter,
    ...asked("/api/me", [wire], 3_000),
    ...asked("/auth/refresh", [wire, cookie], 4_000),
    passing(),
  );
  const failed = (...more: ReturnType<typeof exchange>) =>
    told(run(...enter, ...asked("/api/me", [wire], 3_000), ...more, failing()), pass).join();
  expect(failed()).not.toContain("did not keep");
  expect(failed(...asked("/auth/refresh", [wire], 4_000))).toContain("did not keep the cookie “refresh”");
});

test("a secret that goes by another name in an answer is told by its names", () => {
  const entered = (name: string) => json("/auth/login", { [name]: "at-8f3k2j1d9s", expires_in: 900 });
  expect(first(run(...entered("accessToken"), failing()), run(...entered("access_token"), passing()))).toBe(
    "answer_changed: GET /auth/login answered with a field “accessToken” now, where the last pass had “access_token”",
  );
});

test("an element that was there and is gone when the step looks for it is told, with what it was", () => {
  const looks = (more: object) => ({
    kind: "agent.action",
    ts: 5_000,
    step_id: "check",
    name: "click",
    title: "Click Undo",
    params: { selector: ".toast button" },
    duration_ms: 2_000,
    log: ["waiting for locator('.toast button')"],
    ...more,
  });
  const toast = '<div class="toast"><button>Undo</button></div>';
  const refused = looks({ error: { message: "locator.click: Timeout 2000ms exceeded." } });
  const before = (html: string) => page(html, { ts: 4_300, step_id: "before" });
  const pass = run(looks({}), page(toast, { ts: 5_100 }));
  expect(first(run(before(toast), refused, page("<main>Board</main>", { ts: 6_900 })), pass)).toBe(
    "element_detached: The page took a button “Undo” away before the step came to it: it was there 700 ms before, and no longer when “Click Undo” began; in the last pass it was still there",
  );
  // A page that was left meanwhile and come back to is another matter.
  const leaves = click("Click Home", { ts: 4_400, step_id: "leaves" });
  const away = page("<main>Home</main>", { ts: 4_500, step_id: "away", url: `${SITE}/home` });
  const back = page("<main>Board</main>", { ts: 6_900 });
  expect(first(run(before(toast), leaves, away, refused, back), pass)).toBe(
    "page_changed: “Click Home” led away from a button “Undo”: the page had it before, and has it no longer since it was come back to, as it has in the last pass",
  );
  expect(first(run(before("<main></main>"), refused, page("<main>Board</main>", { ts: 6_900 })), pass)).toBe(
    "element_missing: locator('.toast button') (in the last pass a button “Undo”) was nowhere on the page",
  );
});
