import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { document, first, json, missed, told } from "./scene.ts";

const header = (name: string, value: string) => [{ name, value }];

test("data that was asked for and led to the sign-in is told, and a slash at the end is no other place", () => {
  const sent = (location: string, url = "/api/search") =>
    exchange(url, { ts: 4_800, status: 302, headers: header("location", location) });
  expect(first(run(...sent("/sign-in?next=/api/search"), failing()))).toBe(
    "redirected: GET /api/search was redirected to /sign-in?next=/api/search (302): what came is the sign-in, not what the page asked for",
  );
  expect(first(run(...sent("/api/all"), failing()))).toBe(
    "redirected: GET /api/search was redirected to /api/all (302)",
  );
  expect(told(run(...sent("/api/search/"), failing())).join()).not.toContain("redirected");
});

test("a page where the address names a file is told", () => {
  const page = exchange("/policy.pdf", {
    ts: 4_800,
    resource_type: "document",
    media_type: "text/html",
    body: "<html><body><h1>Your policy is being prepared</h1></body></html>",
  });
  expect(first(run(...page, failing()))).toBe(
    "download: GET /policy.pdf was answered with a page (“Your policy is being prepared”) instead of the file",
  );
});

test("a page that stands before the site's own is told, and a site's own page with such words is not", () => {
  const asks = "<html><body><h1>Just a moment</h1><p>Checking your browser</p></body></html>";
  expect(first(run(...document("/search", asks), missed("locator('#results li')"), page(asks)))).toContain(
    "GET /search was answered with a page that stands before the site's own: “Just a moment Checking your browser”",
  );
  const own = `<html><body><p>Just a moment</p>${"<p>Another line</p>".repeat(20)}</body></html>`;
  expect(
    told(run(...document("/search", own), missed("locator('#results li')"), page(own))).join(),
  ).not.toContain("before the site's own");
});

test("a form that came back is told with what it says now", () => {
  const form = (said = "") =>
    `<html><body><h1>Sign in</h1><form><input name=pin></form>${said}</body></html>`;
  const back = form("<p>That PIN does not belong to this card.</p>");
  const posted = document("/sign-in", back, { ts: 4_500, method: "POST", status: 200 });
  expect(
    first(run(...document("/sign-in", form()), ...posted, missed("getByText('Your loans')"), page(back))),
  ).toBe(
    "page_message: POST /sign-in gave the form back instead of leading on: the page says “That PIN does not belong to this card.”",
  );
});

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

describe("a cookie that a request which was turned away came without", () => {
  const signIn = (terms: string, path = "/sign-in") =>
    exchange(path, {
      ts: 2_000,
      method: "POST",
      status: 303,
      headers: header("set-cookie", `sid=1; ${terms}`),
    });
  const away = (path: string, cookie = "seen=1") =>
    exchange(path, {
      ts: 4_800,
      status: 303,
      headers: header("location", "/sign-in"),
      request: { headers: header("cookie", cookie) },
    });

  test("is told with the terms it was set under", () => {
    expect(first(run(...signIn("Path=/account"), ...away("/claims/new"), failing()))).toBe(
      "storage: GET /claims/new came without the cookie “sid” that POST /sign-in sets with Path=/account: pages outside of /account do not get it",
    );
    expect(first(run(...signIn("Path=/; SameSite=None"), ...away("/claims/new"), failing()))).toContain(
      "with SameSite=None and without Secure: browsers refuse such a cookie",
    );
    expect(first(run(...signIn("Path=/"), ...away("/claims/new"), failing()))).toContain(
      "the browser did not keep it, for no request carried it",
    );
  });

  test("is told where it is set for another domain than the site's, and GraphQL refuses", () => {
    const me = json(
      "/graphql",
      { data: null, errors: [{ message: "Please sign in" }] },
      { ts: 4_800, method: "POST", request: { headers: header("cookie", "seen=1") } },
    );
    expect(first(run(...signIn("Path=/; Domain=bank.example"), ...me, failing()))).toBe(
      "storage: POST /graphql came without the cookie “sid” that POST /sign-in sets with Domain=bank.example: shop.example is no host of that domain, so that browsers refuse it",
    );
    for (const domain of [".shop.example", "SHOP.example"])
      expect(told(run(...signIn(`Path=/; Domain=${domain}`), ...me, failing())).join()).not.toContain(
        "Domain=",
      );
  });

  test("is not told where it came along, or is meant for a part of the site", () => {
    const cookies = (...events: Parameters<typeof run>) => told(run(...events)).join();
    expect(cookies(...signIn("Path=/"), ...away("/claims/new", "sid=1"), failing())).not.toContain("cookie");
    expect(cookies(...signIn("Path=/auth", "/auth/login"), ...away("/api/people"), failing())).not.toContain(
      "cookie",
    );
  });
});

describe("a request that was refused with nothing in the header of its token", () => {
  const page = (cookie: string) =>
    document("/payees", "<h1>Payees</h1>", { headers: header("set-cookie", cookie) });
  const add = (value: string, more: Record<string, unknown> = {}) =>
    exchange("/payees", {
      ts: 4_800,
      method: "POST",
      status: 403,
      request: { headers: header("x-csrf-token", value) },
      ...more,
    });

  test("is told with the cookie that no script can read, or that may be looked for by another name", () => {
    expect(first(run(...page("csrf=1; Path=/; HttpOnly"), ...add(""), failing()))).toBe(
      "storage: POST /payees was sent with an empty header x-csrf-token and refused: GET /payees sets the cookie “csrf” HttpOnly, so that no script can read it",
    );
    expect(first(run(...page("_xsrf=1; Path=/"), ...add("undefined"), failing()))).toBe(
      "storage: POST /payees was sent with an empty header x-csrf-token and refused, though GET /payees sets the cookie “_xsrf”: the page may look for it under another name",
    );
    expect(first(run(...page("auth_token=1; Path=/; HttpOnly"), ...add(""), failing()))).toBe(
      "storage: POST /payees was sent with an empty header x-csrf-token and refused",
    );
  });

  test("is not told of one that was taken, that had its token, or that goes elsewhere", () => {
    for (const events of [
      add("", { status: 200 }),
      add("8f2a"),
      exchange("https://chat.example/hello", {
        ts: 4_800,
        status: 403,
        request: { headers: header("x-csrf-token", "") },
      }),
    ])
      expect(told(run(...page("csrf=1; Path=/; HttpOnly"), ...events, failing())).join()).not.toContain(
        "empty header",
      );
  });
});

test("an error that a socket brought is told in its own words", () => {
  const [opened, answered] = exchange("ws://shop.example/live", {
    resource_type: "websocket",
    ts: 1_000,
    status: 101,
  });
  const says = (text: string) => ({
    kind: "network.websocket_frame",
    request_id: opened!.request_id,
    direction: "received",
    opcode: 1,
    text,
    ts: 4_900,
  });
  const heard = (text: string) => told(run(opened!, answered!, says(text), failing()));
  expect(heard('{"type":"error","message":"Only members may read"}')[0]).toBe(
    "answer_changed: The WebSocket /live brought an error: “Only members may read”",
  );
  expect(heard('{"type":"comment","message":"an error"}').join()).not.toContain("brought an error");
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

test("garbled letters are told with the charset that the page is served in", () => {
  const html = "<html><body><a href=1>Ã…lesund</a></body></html>";
  const served = document("/search", html, {
    headers: header("content-type", "text/html; charset=iso-8859-1"),
  });
  expect(first(run(...served, missed("getByRole('link', { name: 'Ålesund' })"), page(html)))).toBe(
    "answer_changed: The page's letters are garbled (“Ã…lesund”): GET /search is served as charset=iso-8859-1, and was written in another encoding",
  );
});

test("a page in the language that the browser asked for is told where the test looks for English words", () => {
  const html = '<html lang="de"><body><label>Wohin? <input></label><p>Anreise</p></body></html>';
  const served = (language: string) =>
    document("/", html, { request: { headers: header("accept-language", language) } });
  const looked = (language: string) =>
    told(run(...served(language), missed("getByLabel('Where to?')"), page(html))).join("\n");
  expect(looked("de-DE")).toStartWith(
    "time: The browser asked for the language “de-DE” and the page came in “de”",
  );
  expect(looked("en-US")).not.toContain("The browser asked for");
});

test("typing that was torn apart between two fields is told", () => {
  const typing = click("type", { name: "keyboardType", params: { text: "Bergen" }, ts: 4_000 });
  const fields = (one: string, other: string) =>
    page(`<label>Where <input value="${one}"></label><label>Your e-mail <input value="${other}"></label>`);
  expect(first(run(typing, failing(), fields("B", "ergen")))).toBe(
    "page_changed: What the test typed (“Bergen”) was torn apart: “Where” holds “B” and “Your e-mail” holds “ergen”; something took the focus away meanwhile",
  );
  expect(told(run(typing, failing(), fields("Bergen", "ergen"))).join()).not.toContain("torn apart");
});

test("a form that the browser held back is told by its own words", () => {
  const line = {
    kind: "console.error",
    text: "An invalid form control with name='company' is not focusable.",
    ts: 4_900,
  };
  expect(first(run(...exchange("/"), line, failing()))).toStartWith(
    "page_message: The browser did not send the form: its field “company” is not valid",
  );
});

test("a heading that tells of trouble is told, unless it stood there before", () => {
  const lost = "<h1>Page not found</h1>";
  const go = click("Click People", { ts: 4_000, step_id: "go" });
  const cause = (before: string) =>
    told(
      run(
        page(before, { ts: 4_000, step_id: "go", phase: "action" }),
        go,
        missed("getByTestId('person')"),
        page(lost),
      ),
    );
  expect(cause("<h1>Home</h1>")[0]).toBe("page_message: The page said “Page not found”");
  expect(cause(`${lost}<p>Try again</p>`).join()).not.toContain("The page said");
});

describe("an answer out of a cache", () => {
  const tag = header("etag", '"1"');
  const settings = (more: Record<string, unknown> = {}) =>
    json("/api/settings", { digest: false }, { ts: 1_000, headers: tag, ...more });
  const kept = settings({ ts: 4_800, status: 304, request: { headers: header("if-none-match", '"1"') } });
  const change = (url: string) => exchange(url, { ts: 3_000, method: "PUT", status: 200 });

  test("is told where the run had changed something within it since", () => {
    expect(first(run(...settings(), ...change("/api/settings/digest"), ...kept, failing()))).toBe(
      "stale_answer: GET /api/settings was answered from the browser's cache (304: the server said that nothing had changed), though PUT /api/settings/digest had been sent since: the page may show what was before that",
    );
  });

  test("is right where nothing of it was changed", () => {
    expect(told(run(...settings(), ...change("/api/cards/7"), ...kept, failing())).join()).not.toContain(
      "had been sent since",
    );
    expect(told(run(...settings(), ...kept, failing())).join()).not.toContain("had been sent since");
  });
});

test("an event stream that ended and was not opened again is told, one that was opened again is not", () => {
  const stream = (ts: number, size: number | null) =>
    exchange("/events", {
      ts,
      resource_type: "eventsource",
      media_type: "text/event-stream",
      ...(size !== null && { body_size: size }),
    });
  expect(first(run(...stream(1_000, 40), failing()))).toBe(
    "stream_ended: The event stream GET /events ended after 10 ms and was not opened again",
  );
  expect(told(run(...stream(1_000, 40), ...stream(4_000, null), failing())).join()).not.toContain(
    "The event stream",
  );
});

test("a request that the page sent without a value is told by where it stands", () => {
  const asked = (url: string, more: Record<string, unknown> = {}) =>
    first(run(...json(url, [], more), failing()));
  expect(asked("/api/crossings", { request: { headers: header("x-line", "undefined") } })).toBe(
    "answer_changed: GET /api/crossings was sent with the header x-line “undefined”: the page had no value for it, and the answer may be to another question",
  );
  expect(asked("/api/crossings?day=NaN")).toContain("the parameter day “NaN”");
  expect(
    asked("/api/crossings", { method: "POST", request: { body: '{"to":{"id":"undefined"}}' } }),
  ).toContain("the field to.id “undefined”");
  expect(asked("/api/crossings?q=undefined%20behaviour")).not.toContain("no value");
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
    "answer_changed: GET /api/people?cursor=b answered the same list as to a question before it, though it was asked something else",
  );
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

describe("a sign-in that leads back without what was asked", () => {
  const cause = (asked: string, signIn: string, led: string) =>
    told(
      run(
        ...document(asked, "", { ts: 1_000, status: 302, headers: header("location", signIn) }),
        ...document(signIn, "<h1>Sign in</h1>", { ts: 1_100 }),
        ...document(led, "<h1>New transfer</h1>", { ts: 4_500 }),
        failing({ expected: '"Oma Inge"', received: '"—"' }),
      ),
    ).join("\n");

  test("is told with what was lost", () => {
    expect(cause("/transfer?to=ben-2", "/login?next=%2Ftransfer", "/transfer")).toStartWith(
      "redirected: The sign-in that GET /transfer?to=ben-2 led to was given only “next=/transfer” to lead back to: “to=ben-2” was lost, and /transfer was opened without",
    );
    expect(cause("/a?x=1&y=2", "/auth/start?returnTo=%2Fa%3Fx%3D1", "/a?x=1")).toContain("“y=2” was lost");
  });

  test("is not told where nothing was lost, it came by another way, or only counts visitors", () => {
    for (const [asked, signIn, led] of [
      ["/transfer?to=ben-2", "/login?next=%2Ftransfer%3Fto%3Dben-2", "/transfer?to=ben-2"],
      ["/transfer?to=ben-2", "/login?next=%2Ftransfer", "/transfer?to=ben-2"],
      ["/transfer?to=ben-2", "/login?next=%2Ftransfer", "/home"],
      ["/transfer?utm_source=mail", "/login?next=%2Ftransfer", "/transfer"],
      ["/transfer?to=ben-2", "/help?next=%2Ftransfer", "/transfer"],
    ] as const)
      expect(cause(asked, signIn, led)).not.toContain("was lost");
  });
});

describe("a thing that a socket told of by its id", () => {
  const confirmed = json(
    "/transfers/t1/confirm",
    { id: "t1", status: "PENDING" },
    { ts: 3_000, method: "POST" },
  );
  const cause = (message: object, more: { ts?: number; shown?: string; at?: number } = {}) => {
    const { ts = 4_000, shown = "Pending", at = 6_990 } = more;
    const [opened, answered] = exchange("ws://shop.example/live", {
      resource_type: "websocket",
      ts: 1_000,
      status: 101,
    });
    const frame = {
      kind: "network.websocket_frame",
      request_id: opened!.request_id,
      direction: "received",
      opcode: 1,
      text: JSON.stringify(message),
      ts,
    };
    const check = failing({ expected: '"Settled"', received: `"${shown}"` });
    const events = [opened!, answered!, ...(ts < 3_000 ? [frame, ...confirmed] : [...confirmed, frame])];
    return told(run(...events, check, page(`<p>${shown}</p>`, { ts: at }))).join("\n");
  };
  const done = { type: "transfer.completed", id: "t1" };

  test("is told where the page goes on showing what an answer had", () => {
    expect(cause(done)).toStartWith(
      "answer_changed: The WebSocket /live brought a message of type “transfer.completed” for “t1”, and the page still shows what POST /transfers/t1/confirm had answered before (“Pending”): the test wants “Settled”",
    );
  });

  test("is not told of another thing, of what came before or says the same, or of a page from before it", () => {
    for (const said of [
      cause({ ...done, id: "t2" }),
      cause({ type: "tick", at: "t1" }),
      cause(done, { ts: 2_000 }),
      cause({ ...done, status: "pending" }),
      cause(done, { shown: "Draft" }),
      cause(done, { at: 3_500 }),
    ])
      expect(said).not.toContain("still shows what");
  });
});

describe("a route of the test's own", () => {
  const routes = (...globs: string[]) =>
    click("Route requests", {
      name: "page.setNetworkInterceptionPatterns",
      ts: 1_000,
      params: { patterns: globs.map((glob) => ({ glob })) },
    });
  const handles = (name: string, ts: number, params = {}) =>
    click(name, { name: `route.${name}`, ts, params });
  const passes = (ts: number) => handles("continue", ts, { isFallback: true });
  const cause = (...events: Parameters<typeof run>) =>
    told(run(...events, missed("getByText('Expired')"), page("<p>Cards</p>"))).join("\n");

  test("that answered none of the requests that it met is told", () => {
    expect(cause(routes("**/graphql"), passes(2_000), passes(3_000))).toStartWith(
      "test_code: The test's own route for “**/graphql” answered none of the requests that it met: it passed all 2 on to the server",
    );
    expect(cause(routes("**/cards"), passes(2_000))).toContain("it passed the one on to the server");
  });

  test("that answered one, blocks or changes some, or looks at everything is not told", () => {
    for (const events of [
      [routes("**/graphql"), passes(2_000), handles("fulfill", 3_000)],
      [routes("**/graphql"), passes(2_000), handles("abort", 3_000)],
      [routes("**/graphql"), handles("continue", 2_000)],
      [routes("**/*"), passes(2_000)],
      [routes("**/graphql", "**/cards"), passes(2_000)],
      [routes("**/graphql")],
    ])
      expect(cause(...events)).not.toContain("own route");
  });
});

test("an event stream that never began is told, and one that did, or is of another page or site, is not", () => {
  const stream = (ts: number, url = "/live") => exchange(url, { ts, resource_type: "eventsource" });
  const home = document("/", "<p>Hi</p>", { ts: 1_000, headers: header("content-type", "text/html") });
  const asked = (url?: string) => stream(3_000, url).slice(0, 1);
  const cause = (...events: Parameters<typeof run>) => told(run(...home, ...events, failing())).join("\n");
  expect(told(run(...asked(), failing()))[0]).toStartWith("assertion:");
  expect(cause(...asked())).toStartWith(
    "stream_ended: The event stream GET /live never got an answer that the browser took: none came, or one of another type than text/event-stream",
  );
  for (const events of [
    stream(3_000),
    [...asked(), ...stream(4_000)],
    [...asked(), ...document("/other", "<p>Hi</p>", { ts: 4_000 })],
    asked("https://chat.example/live"),
  ])
    expect(cause(...events)).not.toContain("never got an answer");
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

test("a cookie for the sign-in alone is told where the sign-in leads elsewhere", () => {
  const signIn = exchange("/login", {
    method: "POST",
    ts: 4_000,
    status: 302,
    resource_type: "document",
    headers: [
      { name: "set-cookie", value: "sid=1; Path=/login" },
      { name: "location", value: "/patients" },
    ],
  });
  const away = exchange("/patients", {
    ts: 4_100,
    status: 302,
    resource_type: "document",
    headers: header("location", "/login"),
    request: { headers: header("host", "shop.example") },
  });
  expect(told(run(...signIn, ...away, failing())).join()).toContain(
    "sets with Path=/login: pages outside of /login do not get it",
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
    "answer_changed: GET /api/tickets answered “Projector flickers” for “items.0.title”: that is what the page shows, and the test does not want it",
  );
  expect(met(["Lift stuck", "Roof leaks"])).toStartWith("assertion: ");
});

const listed = (texts: string[]) => `[ ${texts.map((text) => JSON.stringify(text)).join(", ")} ]`;
