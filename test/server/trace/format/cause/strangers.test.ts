import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

/** A click on something that never came, and the same as the passes did it. */
const missed = (target: string, more: object = {}) =>
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

test("what stands in an element's place is told by its form, whatever it is called by", () => {
  const header = (testId: string) =>
    page(
      `<header><button class="icon" data-testid="help"></button><button class="icon" data-testid="${testId}"></button></header>`,
    );
  const target = "getByTestId('logInDialogIcon')";
  expect(
    first(run(missed(target), header("accountMenu")), run(done(target), header("logInDialogIcon"))),
  ).toBe(
    `element_renamed: ${target} was not found; where the last pass has a button (test id “logInDialogIcon”), the page has a button (test id “accountMenu”)`,
  );
  const both = header("accountMenu");
  const moved = { ...both, html: String(both.html).replace('"help"', '"docs"') };
  expect(told(run(missed(target), moved), run(done(target), header("logInDialogIcon"))).join()).not.toContain(
    "where the last pass has",
  );
});

test("a text that several elements say together is found, and so is what says another one there", () => {
  const menu = (word: string) =>
    page(`<ul><li class="item"><span>${word}</span><div>ana</div></li><li class="item">Log out</li></ul>`);
  const target = "getByText('Hi ana')";
  expect(first(run(missed(target), menu("Welcome,")), run(done(target), menu("Hi")))).toBe(
    `element_renamed: ${target} was not found; where the last pass has a listitem “Hi ana”, the page has a listitem “Welcome, ana”`,
  );
});

test("a title is looked for among titles", () => {
  const bar = (title: string) =>
    page(`<main><button title="${title}" aria-label="new note"></button><p>Create a note below</p></main>`);
  const target = "getByTitle('Create a note')";
  expect(first(run(missed(target), bar("Write something")), run(done(target), bar("Create a note")))).toBe(
    `element_renamed: ${target} was not found; where the last pass has a button “new note” (title “Create a note”), the page has a button “new note” (title “Write something”)`,
  );
});

const script = (bytes: number) =>
  exchange("/app.js", {
    ts: 1_000,
    resource_type: "script",
    headers: [{ name: "content-length", value: String(bytes) }],
  });
const closed = "<main><button>Sign in</button><img></main>";
const open = `${closed}<dialog open><label>Name <input></label></dialog>`;
const signIn = (phase: string) => page(closed, { ts: 4_000, step_id: "press", phase });
const press = click("Click getByRole('button', { name: 'Sign in' })", {
  ts: 4_000,
  step_id: "press",
  duration_ms: 20,
});

test("an action that changed nothing and asked for nothing did nothing; a script that changed is named", () => {
  const target = "getByLabel('Name')";
  const usual = run(...script(900), signIn("action"), press, done(target), page(open));
  expect(first(run(...script(880), signIn("action"), press, missed(target), page(closed)), usual)).toBe(
    "page_changed: “Click getByRole('button', { name: 'Sign in' })” did nothing: the page stayed as it was and sent no request, where it changed in the last pass; the script GET /app.js changed since the last pass: it has 880 bytes instead of 900",
  );
  const asked = exchange("/api/session", { ts: 4_050 });
  const answered = run(...script(880), signIn("action"), press, ...asked, missed(target), page(closed));
  expect(told(answered, usual).join()).not.toContain("did nothing");
  const spoke = page(`${closed}<p>Try again later</p>`);
  expect(
    told(run(...script(880), signIn("action"), press, missed(target), spoke), usual).join(),
  ).not.toContain("did nothing");
});

/** A token that ends that many seconds after the run began. */
const token = (seconds: number) =>
  ["eyJhbGciOiJIUzI1NiJ9", btoa(JSON.stringify({ sub: "ana", exp: 1_000 + seconds })), "c2lnbmVk"]
    .join(".")
    .replaceAll("=", "");

test("a token that was over when it came is named, and comes before the request that carried it", () => {
  const login = (seconds: number) =>
    exchange("/login", { method: "POST", ts: 4_000, body: JSON.stringify({ token: token(seconds) }) });
  const list = (seconds: number) =>
    exchange("/api/packages", {
      ts: 4_500,
      request: { headers: [{ name: "authorization", value: `Bearer ${token(seconds)}` }] },
    });
  const usual = run(...login(3_600), ...list(3_600), passing());
  const found = told(run(...login(-60), ...list(-60), failing()), usual);
  expect(found[0]).toBe(
    "storage: POST /login answered a token (“token”) that had ended at 1970-01-01T00:15:40.000Z already",
  );
  expect(found[1]).toStartWith("storage: GET /api/packages was sent with a token that had ended");
  expect(told(run(...login(3_600), ...list(3_600), failing()), usual).join()).not.toContain("token");
  const odd = exchange("/login", { method: "POST", ts: 4_000, body: '{"token":"eyJhbGciOi.eyJub3Qi.x"}' });
  expect(told(run(...odd, failing()), usual).join()).not.toContain("had ended");
});

test("an answer that has the browser throw its storage away", () => {
  const opened = (headers: object[]) => exchange("/", { ts: 4_000, resource_type: "document", headers });
  const clears = opened([{ name: "Clear-Site-Data", value: '"storage"' }]);
  expect(first(run(...clears, failing()), run(...opened([]), passing()))).toBe(
    'storage: GET / told the browser to throw its storage away (Clear-Site-Data: "storage")',
  );
  expect(told(run(...clears, failing()), run(...clears, passing())).join()).not.toContain("throw");
});

test("what the page had before it was opened anew was lost by that, and not taken away by the page", () => {
  const there = page("<button>Account</button>", { ts: 3_000, step_id: "before" });
  const reload = click("Reload", { name: "page.reload", ts: 3_500, step_id: "reload", duration_ms: 400 });
  const target = "getByRole('button', { name: 'Account' })";
  const failed = run(there, reload, missed(target), page("<button>Sign in</button>"));
  const usual = run(there, reload, done(target), page("<button>Account</button>"));
  const found = told(failed, usual).join("\n");
  expect(found).toContain(
    "page_changed: “Reload” lost a button “Account”: the page had it before, and the page that came then has it no longer, as it has in the last pass",
  );
  expect(found).not.toContain("took a button “Account” away");
});

test("what a page lost when it was opened anew, an old copy of an answer had not yet", () => {
  const list = (server_ip?: string) =>
    exchange("/api/accounts", {
      ts: 3_600,
      http_version: "HTTP/1.1",
      media_type: "application/json",
      ...(server_ip && { server_ip }),
    });
  const there = page("<p>2 accounts</p>", { ts: 3_000, step_id: "before" });
  const reload = click("Reload", { name: "page.reload", ts: 3_500, step_id: "reload", duration_ms: 400 });
  const target = "getByText('2 accounts')";
  const usual = run(there, reload, ...list("127.0.0.1"), done(target), page("<p>2 accounts</p>"));
  const [copy, lost] = told(run(there, reload, ...list(), missed(target), page("<h1>Bank</h1>")), usual);
  expect(copy).toStartWith("stale_answer: GET /api/accounts was answered out of a service worker");
  expect(lost).toStartWith("page_changed: “Reload” lost");
});

test("what the test typed otherwise than in every pass; what differs between passes is made for each run", () => {
  const type = (text: string) =>
    click(`Fill "${text}" getByRole('searchbox')`, {
      name: "fill",
      ts: 4_000,
      step_id: "type",
      params: { selector: "internal:role=searchbox", value: text },
    });
  const found = (mine: string, ...theirs: string[]) =>
    told(run(type(mine), failing()), ...theirs.map((text) => run(type(text), passing())));
  expect(found("tilez", "tiles", "tiles")[0]).toBe(
    "test_code: The test gave getByRole('searchbox') “tilez”, where it gave “tiles” in the last pass",
  );
  expect(found("Ada", "Grace", "Edsger").join()).not.toContain("The test gave");
});

test("a value that is typed into a secret field is not told", () => {
  const type = (text: string) =>
    click(`Fill "${text}" getByLabel('Password')`, {
      name: "fill",
      ts: 4_000,
      params: { selector: 'internal:label="Password"', value: text },
    });
  const found = told(run(type("first-1"), failing()), run(type("other-2"), passing()));
  expect(found.join()).toContain(
    "test_code: The test gave getByLabel('Password') another value than in the last pass",
  );
  expect(found.join()).not.toContain("other-2");
});

test("a time of days ago that is some minutes older, since its server runs for longer, says nothing; an hour may be a zone", () => {
  const list = (time: number) =>
    exchange("/api/letters", {
      ts: 4_000,
      body: JSON.stringify({ items: [{ subject: "Hi", time: new Date(time * 1_000).toISOString() }] }),
    });
  const daysAgo = 1_004 - 5 * 86_400 - 77;
  const usual = [run(...list(daysAgo), passing()), run(...list(daysAgo - 30), passing())];
  expect(told(run(...list(daysAgo - 12 * 60), failing()), ...usual).join()).not.toContain("older");
  expect(told(run(...list(daysAgo - 3_620), failing()), ...usual).join()).toContain("60 minutes older");
});

test("times that were new when they came in the passes, and are hours old here", () => {
  const list = (time: string) =>
    exchange("/api/letters", { ts: 4_000, body: JSON.stringify({ items: [{ subject: "Hi", time }] }) });
  const values = { expected: '"Just now"', received: '"2h ago"' };
  const at = (seconds: number) => new Date((1_000 + seconds) * 1_000).toISOString();
  const usual = [run(...list(at(2)), passing(values)), run(...list(at(1)), passing(values))];
  expect(first(run(...list(at(-7_200)), failing(values)), ...usual)).toBe(
    "time: GET /api/letters answered a time that is 2 hours older than it was in the passes when it came (“items.*.time”: “1969-12-31T22:16:40.000Z”)",
  );
  expect(told(run(...list(at(0)), failing(values)), ...usual).join()).not.toContain("older than");
  const fixed = () => run(...list("1969-01-01T00:00:00Z"), passing(values));
  expect(told(run(...list("1969-01-01T00:00:00Z"), failing(values)), fixed(), fixed()).join()).not.toContain(
    "older than",
  );
});

test("a flag of what may be done comes before the button that it hides, and a check that the end cut off says nothing", () => {
  const status = (is: boolean) => exchange("/status", { ts: 4_000, body: JSON.stringify({ read_only: is }) });
  const target = "getByTitle('New note')";
  const waiting = "    - waiting for element to be visible, enabled and stable";
  const log = [
    `waiting for ${target}`,
    "    - locator resolved to <button></button>",
    ...[1, 2].flatMap(() => [waiting, "    - element is not visible"]),
    "  waiting for element to be visible, enabled and stable",
  ];
  const found = told(run(...status(true), missed(target, { log })), run(...status(false), done(target)));
  expect(found[0]).toBe(
    "answer_changed: GET /status answered “true” for “read_only”, where the last pass had “false”",
  );
  expect(found[1]).toBe(`element_hidden: ${target} was in the page but not visible`);
  expect(found.join()).not.toContain("never stood still");
});

test("items of a list go by their names: what others left in it does not hide the one that changed", () => {
  const notes = (...items: [string, string][]) =>
    exchange("/notes", {
      ts: 4_000,
      body: JSON.stringify(items.map(([title, tags]) => ({ title, tags }))),
    });
  const target = "getByRole('link', { name: 'Roof' })";
  const usual = () => run(...notes(["Roof", "home"], ["Taxes", "office"]), done(target));
  const left: [string, string] = ["Draft of a plan", ""];
  expect(
    first(run(...notes(left, ["Roof", "house"], ["Taxes", "office"]), missed(target)), usual(), usual()),
  ).toContain("GET /notes answered “house” for “Roof.tags”, where the last pass had “home”");
  const only = told(
    run(...notes(left, ["Roof", "home"], ["Taxes", "office"]), missed(target), page("<p>Hi</p>")),
    usual(),
  ).join("\n");
  expect(only).toContain("GET /notes answered with 3 items instead of 2 items");
  expect(only).not.toContain("where the last pass had “Roof”");
});

test("an answer's lack is told with the error that came of it, and sockets that the broken page let go are its echo", () => {
  const list = (time: string | null) =>
    exchange("/api/letters", { ts: 4_900, body: JSON.stringify([{ subject: "Hi", time }]) });
  const thrown = {
    kind: "console.error",
    source: "page",
    ts: 5_050,
    text: "TypeError: Cannot read properties of null (reading 'getTime')",
  };
  expect(first(run(...list(null), failing(), thrown), run(...list("noon"), passing()))).toBe(
    "answer_changed: GET /api/letters answered “null” for “0.time”, where the last pass had a value; then the page threw TypeError: Cannot read properties of null (reading 'getTime')",
  );
});

test("a list that is like a later one of the passes lacks what the step looks for", () => {
  const list = (ts: number, ...subjects: string[]) =>
    exchange("/api/letters", { ts, body: JSON.stringify(subjects.map((subject) => ({ subject }))) });
  const target = "getByTestId('letter').filter({ hasText: 'A transfer' })";
  const usual = () => run(...list(4_000, "News", "A transfer"), done(target), ...list(6_000, "News"));
  expect(first(run(...list(4_000, "News"), missed(target)), usual(), usual())).toContain(
    "GET /api/letters answered with 1 item instead of 2 items, without “A transfer”, which the test looks for",
  );
});

test("a script of which only the size is known is told with the text that the test met", () => {
  const values = { expected: '"2 unread"', received: '"3 letters, 2 new"' };
  expect(first(run(...script(880), failing(values)), run(...script(900), passing(values)))).toBe(
    "answer_changed: The script GET /app.js changed since the last pass: it has 880 bytes instead of 900; the page says “3 letters, 2 new” where the test wants “2 unread”",
  );
});
