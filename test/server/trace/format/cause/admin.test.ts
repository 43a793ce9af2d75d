import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const missed = (target: string, more: Record<string, unknown> = {}) =>
  click(`Click ${target}`, {
    ts: 5_000,
    step_id: "check",
    duration_ms: 2_000,
    log: [`waiting for ${target}`],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
    ok: false,
    ...more,
  });
const done = (target: string) => click(`Click ${target}`, { ts: 5_000, step_id: "check" });

const login = (cookie: string | null) =>
  exchange("/auth/login", {
    method: "POST",
    ts: 4_000,
    headers: [
      { name: "content-type", value: "application/json" },
      ...(cookie === null ? [] : [{ name: "Set-Cookie", value: `${cookie}; Path=/; HttpOnly` }]),
    ],
  });
const status = (ts: number, said: string, cookie: string | null = null) =>
  exchange("/loginStatus", {
    ts,
    body: JSON.stringify({ status: said }),
    request: {
      headers: [
        { name: "host", value: "shop.example" },
        ...(cookie === null ? [] : [{ name: "Cookie", value: cookie }]),
      ],
    },
  });

test("a sign-in that sets no cookie is told before what came of it", () => {
  const usual = run(
    ...status(1_000, "notLoggedIn"),
    ...login("session=a1b2"),
    ...status(4_100, "loggedIn", "session=a1b2"),
    passing(),
  );
  const without = run(
    ...status(1_000, "notLoggedIn"),
    ...login(null),
    ...status(4_100, "notLoggedIn"),
    failing(),
  );
  expect(first(without, usual)).toBe(
    "storage: POST /auth/login did not set the cookie “session”, as it does in the last pass: no later request carried it",
  );
  expect(told(without, usual)[1]).toBe(
    "answer_changed: GET /loginStatus answered still the same as before POST /auth/login, which was answered with 200: “notLoggedIn” for “status”, where the last pass had “loggedIn”",
  );
  const kept = run(
    ...status(1_000, "notLoggedIn"),
    ...login(null),
    ...status(4_100, "loggedIn", "session=a1b2"),
    failing(),
  );
  expect(told(kept, usual).join()).not.toContain("did not set");
  expect(
    told(
      without,
      without.map((event) => ({ ...event, ok: true })),
    ).join(),
  ).not.toContain("did not set");
});

test("an answer that is not news in the passes either is not told for staying as it was", () => {
  const asked = (ts: number, count: number) => exchange("/visitors", { ts, body: JSON.stringify({ count }) });
  const usual = run(...asked(1_000, 4), ...asked(4_100, 4), passing());
  expect(told(run(...asked(1_000, 4), ...asked(4_100, 4), failing()), usual).join()).not.toContain(
    "/visitors",
  );
  const moved = [5, 9].map((count) => run(...asked(1_000, count - 1), ...asked(4_100, count), passing()));
  expect(told(run(...asked(1_000, 7), ...asked(4_100, 7), failing()), ...moved).join()).not.toContain(
    "asked before",
  );
});

test("the site's own address in an answer is no news, wherever it listens", () => {
  const at = (port: number, stream: string) => [
    ...exchange(`http://localhost:${port}/`, { ts: 100, resource_type: "document" }),
    ...exchange(`http://localhost:${port}/endpoints`, {
      ts: 4_000,
      body: JSON.stringify({ api: `http://localhost:${port}/v1`, stream }),
    }),
  ];
  const usual = run(...at(4_100, "on"), passing());
  expect(told(run(...at(4_200, "on"), failing()), usual).join()).not.toContain("/endpoints");
  const off = told(run(...at(4_200, "off"), failing()), usual).join();
  expect(off).toContain("GET /endpoints answered “off” for “stream”, where the last pass had “on”");
  expect(off).not.toContain("4100");
});

test("a choice that shows itself alone is no action without effect, where the next button goes by another name", () => {
  const form = (name: string, more: Record<string, unknown> = {}) =>
    page(`<main><select><option>Reader</option></select><button class="save">${name}</button></main>`, more);
  const pick = click("Select option getByRole('combobox')", {
    ts: 4_000,
    step_id: "pick",
    name: "selectOption",
  });
  const target = "getByRole('button', { name: 'Apply' })";
  const usual = run(
    form("Apply", { ts: 4_000, step_id: "pick", phase: "action" }),
    pick,
    done(target),
    form("Apply"),
  );
  const renamed = run(
    form("Save", { ts: 4_000, step_id: "pick", phase: "action" }),
    pick,
    missed(target),
    form("Save"),
  );
  expect(first(renamed, usual)).toBe(
    `element_renamed: ${target} was not found; where the last pass has a button “Apply”, the page has a button “Save”`,
  );
  expect(told(renamed, usual).join()).not.toContain("did nothing");
});

test("what stands in the place of an element comes before an answer that says nothing of it, and after one that does", () => {
  const target = "getByRole('button', { name: 'Apply' })";
  const config = (of: object) =>
    exchange("/api/config", { ts: 4_900, media_type: "application/json", body: JSON.stringify(of) });
  const form = (name: string) =>
    page(`<main><select><option>Reader</option></select><button class="save">${name}</button></main>`);
  const cause = (now: object, before: object) =>
    first(
      run(...config(now), missed(target), form("Save")),
      run(...config(before), done(target), form("Apply")),
    );
  expect(cause({ plan: null }, { plan: "solo" })).toStartWith("element_renamed:");
  expect(cause({ button: "Save" }, { button: "Apply" })).toStartWith(
    "answer_changed: GET /api/config answered “Save” for “button”",
  );
});

test("what a page had before the last answers came is told after what was never sent, and before it where none came since", () => {
  const target = "getByRole('button', { name: 'Apply now' })";
  const next = click("Click Next", { ts: 4_000, step_id: "next", name: "page.click" });
  const put = exchange("/api/step", { ts: 4_050, method: "PUT" });
  const answer = exchange("/api/options", { ts: 6_000, body: '{"ok":1}' });
  const form = (name: string, ts: number) => page(`<main><button>${name}</button></main>`, { ts });
  const cause = (ts: number) =>
    first(
      run(next, ...answer, missed(target), form("Apply later", ts)),
      run(next, ...put, ...answer, done(target), form("Apply now", ts)),
    );
  expect(cause(5_100)).toStartWith("request_unsent: PUT /api/step was never sent");
  expect(cause(6_990)).toContain("the page has a button “Apply later” in its place");
});

test("a field that is looked for by its placeholder is told by the one that it has now", () => {
  const form = (placeholder: string) =>
    page(
      `<main><label>Search <input placeholder="${placeholder}"></label><select><option>All</option></select></main>`,
    );
  const target = "getByPlaceholder('Search plugins...')";
  const usual = run(done(target), form("Search plugins..."));
  expect(first(run(missed(target), form("Find a plugin")), usual)).toBe(
    `element_renamed: ${target} was not found; where the last pass has a textbox “Search” (placeholder “Search plugins...”), the page has a textbox “Search” (placeholder “Find a plugin”)`,
  );
});

test("what a person is by an answer comes before the menu that it hides", () => {
  const target = "getByRole('link', { name: 'Security' })";
  const as = (userLevel: string) =>
    exchange("/loginStatus", { ts: 4_500, body: JSON.stringify({ status: "loggedIn", userLevel }) });
  const menu = (security: string) => page(`<nav><a href="#/home">Home</a>${security}</nav>`);
  const usual = run(...as("admin"), done(target), menu('<a href="#/security">Security</a>'));
  expect(first(run(...as("readonly"), missed(target), menu("")), usual)).toBe(
    "answer_changed: GET /loginStatus answered “readonly” for “userLevel”, where the last pass had “admin”",
  );
});

test("two long texts are told from where they part", () => {
  const title = (end: string) =>
    exchange("/plugins", {
      ts: 4_500,
      body: JSON.stringify({ status: `${"GPS recommended minimum ".repeat(4)}of the navigation: ${end}` }),
    });
  expect(told(run(...title("off"), failing()), run(...title("on"), passing())).join("\n")).toContain(
    "GET /plugins answered “…of the navigation: off” for “status”, where the last pass had “…of the navigation: on”",
  );
});

test("messages of a socket that name no kind are told by a field only where each of the passes has it", () => {
  const opened = {
    kind: "network.request",
    request_id: "ws1",
    url: "ws://shop.example/stream",
    resource_type: "websocket",
    ts: 1_000,
  };
  const socket = (messages: object[]) => [
    opened,
    ...messages.map((message, at) => ({
      kind: "network.websocket_frame",
      request_id: "ws1",
      opcode: 1,
      direction: "received",
      text: JSON.stringify(message),
      ts: 2_000 + at,
    })),
  ];
  const [wind, place] = [{ wind: 4 }, { wind: 3, place: "Ghent" }];
  const lacking = run(...socket([wind, wind]), failing());
  expect(told(lacking, run(...socket([wind, place]), passing())).join()).not.toContain("without the field");
  expect(told(lacking, run(...socket([place, place]), passing())).join()).toContain(
    "without the field “place”",
  );
});

test("what was to be deleted and is still in the list is told by the list", () => {
  const users = (ts: number, ...names: string[]) =>
    exchange("/users", { ts, body: JSON.stringify(names.map((userId) => ({ userId }))) });
  const gone = { title: "Expect \"toBeHidden\" getByRole('row', { name: 'mate' })", expected: "hidden" };
  const removed = exchange("/users/mate", { method: "DELETE", ts: 4_000 });
  const usual = run(
    ...users(1_000, "admin", "mate"),
    ...removed,
    ...users(4_500, "admin"),
    passing({ ...gone, name: "toBeHidden" }),
  );
  const kept = run(
    ...users(1_000, "admin", "mate"),
    ...removed,
    ...users(4_500, "admin", "mate"),
    failing({ ...gone, name: "toBeHidden", received: "visible" }),
  );
  expect(first(kept, usual)).toStartWith(
    "answer_changed: GET /users answered still the same as when it was asked before: with 2 items instead of 1 item",
  );
});

test("what every pass was refused and this run was given is told by its status", () => {
  const tried = (status: number, body: object) =>
    exchange("/login", { method: "POST", ts: 4_500, status, body: JSON.stringify(body) });
  const sought = { title: "Expect \"toBeVisible\" getByText('Invalid')", expected: "visible" };
  const refused = tried(401, { message: "Invalid username or password" });
  expect(
    first(
      run(...tried(200, { token: "x" }), failing({ ...sought, received: null })),
      run(...refused, passing(sought)),
    ),
  ).toBe(
    "answer_changed: POST /login was answered with 200, where the last pass got 401: “Invalid username or password”",
  );
});

test("the key of a text that stands where a pass has the text is told as that, and a word is not", () => {
  const target = "getByRole('heading', { name: 'Person' })";
  const heads = (name: string) => page(`<main><h2>${name}</h2></main>`);
  const usual = run(done(target), heads("Person"));
  const cause = (name: string) => first(run(missed(target), heads(name)), usual);
  for (const key of ["stepApplicant", "step_applicant"])
    expect(cause(key)).toBe(
      `element_renamed: ${target} was not found; where the last pass has a heading “Person”, the page has a heading “${key}”: the key of a text, without its translation`,
    );
  for (const name of ["Applicant", "macOS", "citizen"])
    expect(cause(name)).not.toContain("the key of a text");
});
