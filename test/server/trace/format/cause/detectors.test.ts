import { expect, test } from "bun:test";
import { detectConsole } from "../../../../../server/trace/format/cause/detectors/page/console.ts";
import { causeOf, click, evidenceIn, exchange, failing, first, page, passing, run, SITE } from "./run.ts";

const pay = click("Click Pay", { ts: 4_900 });
const locator = (line: string) =>
  run(
    ...exchange("/"),
    click("Click Pay", {
      ts: 5_000,
      duration_ms: 2_000,
      params: { selector: "internal:role=button" },
      error: { message: "locator.click: Timeout 2000ms exceeded." },
      log: [
        "waiting for getByRole('button', { name: 'Pay' })",
        "  locator resolved to <button>Pay</button>",
        line,
      ],
    }),
  );

test("an answer of 500 is told with the message of its body, and before the noise that passes have too", () => {
  const noise = [
    ...exchange("/", { resource_type: "document" }),
    ...exchange("http://stats.example/collect", { status: 429 }),
    { kind: "console.error", text: "Warning: Each child in a list should have a unique key" },
  ];
  const refused = exchange("/api/checkout", {
    method: "POST",
    status: 500,
    ts: 4_950,
    body: '{"error":{"message":"ledger unavailable"}}',
  });
  const cause = causeOf(
    run(...noise, pay, ...refused, failing()),
    run(...noise, pay, ...exchange("/api/checkout", { method: "POST", ts: 4_950 }), passing()),
  );
  expect(cause.headline).toBe("POST /api/checkout was answered with 500: ledger unavailable");
  expect(cause.suspects[0]).toMatchObject({
    kind: "request_failed",
    is_new: true,
    detail: "The last pass got 200.",
  });
  expect(cause.also_when_passing.map(({ title }) => title)).toEqual([
    "GET stats.example/collect was answered with 429",
    "The page logged the error: Warning: Each child in a list should have a unique key",
  ]);
});

test("an answer is set beside the one that the last pass got in the same turn, not beside its last one", () => {
  const tried = (ts: number, status: number) => exchange("/api/sign-in", { method: "POST", status, ts });
  const cause = causeOf(
    run(pay, ...tried(4_800, 401), ...tried(4_950, 503), failing()),
    run(pay, ...tried(4_800, 401), ...tried(4_900, 200), ...tried(4_950, 409), passing()),
  );
  expect(cause.suspects[0]).toMatchObject({
    title: "POST /api/sign-in was answered with 503",
    detail: "The last pass got 200.",
  });
});

test("of two failed requests the one nearer to the failure comes first", () => {
  const cause = first(
    run(
      ...exchange("/api/tips", { status: 503, ts: 500 }),
      pay,
      ...exchange("/api/pay", { status: 503, ts: 4_950 }),
      failing(),
    ),
  );
  expect(cause).toStartWith("request_failed: GET /api/pay");
});

test("a request that never came back is named with its age", () => {
  const waiting = {
    kind: "network.request",
    request_id: "w",
    method: "GET",
    url: `${SITE}/api/total`,
    headers: [],
    resource_type: "fetch",
    ts: 4_000,
  };
  expect(first(run(...exchange("/"), waiting, failing()))).toBe(
    "request_pending: GET /api/total was still pending after 3.0 s, when the step gave up",
  );
});

test("a stream that stays open is no waiting", () => {
  const stream = {
    kind: "network.request",
    request_id: "w",
    method: "GET",
    url: `${SITE}/events`,
    headers: [],
    resource_type: "eventsource",
    ts: 4_000,
  };
  expect(first(run(...exchange("/"), stream, failing()))).toStartWith("assertion:");
});

test("an answer whose content differs is told where the test shows it", () => {
  const before = exchange("/api/cart", { ts: 4_000, body: '{"total":"12.00","token":"a81f"}' });
  const now = exchange("/api/cart", { ts: 4_000, body: '{"total":"10.00","token":"ff02"}' });
  const values = { expected: '"12.00"', received: '"10.00"' };
  expect(first(run(...now, failing(values)), run(...before, passing({ expected: '"12.00"' })))).toBe(
    "answer_changed: GET /api/cart answered “10.00” for “total”, where the last pass had “12.00”",
  );
});

test("an empty list where the pass had items", () => {
  const list = (items: unknown[]) =>
    exchange("/api/orders", { ts: 4_000, body: JSON.stringify({ orders: items }) });
  expect(first(run(...list([]), failing()), run(...list([{ n: 1 }, { n: 2 }]), passing()))).toBe(
    "answer_changed: GET /api/orders answered with an empty list for “orders” instead of 2 items",
  );
});

test("an answer of success that says it failed (GraphQL)", () => {
  const body = '{"data":null,"errors":[{"message":"Not allowed to see prices"}]}';
  expect(first(run(...exchange("/graphql", { method: "POST", ts: 4_000, body }), failing()))).toBe(
    "request_failed: POST /graphql was answered with 200, but says “Not allowed to see prices”",
  );
});

test("a page at an address that was refused is told by the refusal", () => {
  const at = (path: string, more: Record<string, unknown>) =>
    exchange(path, { ts: 4_000, resource_type: "document", ...more });
  const refused = "<h1>Sign-in failed</h1><p>The state is not known.</p>";
  const now = run(
    ...at("/sso/login", { status: 400, body: refused, media_type: "text/html" }),
    failing(),
    page(refused, { url: `${SITE}/sso/login` }),
  );
  const usual = run(
    ...at("/account", { body: "<h1>Account</h1>", media_type: "text/html" }),
    passing(),
    page("<h1>Account</h1>", { url: `${SITE}/account` }),
  );
  expect(first(now, usual)).toStartWith("request_failed: GET /sso/login was answered with 400");
});

test("a page that was sent to the sign-in, by the answer that sent it", () => {
  const redirect = exchange("/account", {
    status: 302,
    ts: 4_000,
    headers: [{ name: "Location", value: "/login" }],
    resource_type: "document",
  });
  const cause = first(
    run(...redirect, failing(), page("<h1>Sign in</h1>", { url: `${SITE}/login` })),
    run(
      ...exchange("/account", { ts: 4_000 }),
      passing(),
      page("<h1>Account</h1>", { url: `${SITE}/account` }),
    ),
  );
  expect(cause).toBe(
    "redirected: The page was at /login instead of /account: GET /account was answered with 302",
  );
});

test("a cookie that was sent no more comes before the 401 that it led to", () => {
  const headers = [{ name: "Cookie", value: "sid=1; theme=dark" }];
  const sent = exchange("/api/me", { ts: 4_000, request: { headers } });
  const lost = exchange("/api/me", {
    ts: 4_000,
    status: 401,
    request: { headers: [{ name: "Cookie", value: "theme=dark" }] },
  });
  expect(first(run(...lost, failing()), run(...sent, passing()))).toBe(
    "storage: GET /api/me was sent without the cookie “sid”, which it carried in the last pass, and was answered with 401",
  );
});

test("CORS, CSP and mixed content are told as what the browser refused", () => {
  const line = (text: string) =>
    first(run(...exchange("/"), { kind: "console.error", text, ts: 4_990 }, failing()));
  expect(
    line(
      `Access to fetch at 'http://api.example/prices' from origin '${SITE}' has been blocked by CORS policy: No header.`,
    ),
  ).toStartWith("browser_policy: The browser blocked the answer of api.example/prices by CORS");
  expect(
    line(
      "Refused to load the script 'http://cdn.example/pay.js' because it violates the following Content Security Policy directive: \"script-src 'self'\".",
    ),
  ).toStartWith("browser_policy: The page's Content-Security-Policy blocked cdn.example/pay.js");
  expect(
    line(
      "Mixed Content: The page at 'https://shop.example/' was loaded over HTTPS, but requested an insecure script 'http://cdn.example/a.js'.",
    ),
  ).toContain("as mixed content");
});

test("a script that did not load, and a chunk", () => {
  const script = exchange("/assets/app.js", { status: 404, ts: 300, resource_type: "script" });
  expect(first(run(...exchange("/"), ...script, failing()))).toStartWith(
    "script_failed: The script GET /assets/app.js was answered with 404",
  );
  const chunk = {
    kind: "console.error",
    source: "page",
    text: "ChunkLoadError: Loading chunk 7 failed.",
    ts: 4_990,
  };
  expect(first(run(...exchange("/"), chunk, failing()))).toStartWith(
    "script_failed: The page threw ChunkLoadError",
  );
});

test("an uncaught error is told with its first place in the product's own code, not with a library's echo", () => {
  const text = "TypeError: Cannot read properties of undefined (reading 'total')";
  const stack = `    at Object.render (${SITE}/node_modules/react-dom/index.js:1:2)\n    at renderTotal (${SITE}/js/cart.js:42:13)`;
  const cause = causeOf(
    run(
      ...exchange("/"),
      { kind: "console.error", source: "page", text, stack, ts: 4_990 },
      { kind: "console.error", text: `Uncaught ${text}`, ts: 4_995 },
      failing(),
    ),
  );
  expect(cause.headline).toBe(`The page threw ${text} at /js/cart.js:42 (renderTotal)`);
  expect(cause.suspects.filter(({ title }) => title.includes("Cannot read"))).toHaveLength(1);
});

test("of lines that say the same but for a figure, as many are held for suspects as one suspect names", () => {
  const lines = Array.from({ length: 300 }, (_, at) => ({
    kind: "console.warning",
    text: `drew row ${at} late`,
    ts: 1_000 + at,
  }));
  const found = (...passes: ReturnType<typeof run>[]) =>
    detectConsole(evidenceIn([], run(...lines, failing()), ...passes));
  expect(found()).toHaveLength(20);
  expect(found()[19]?.title).toContain("drew row 299 late");
  // What passes have as well is counted.
  expect(found(run(...lines, passing()))).toHaveLength(300);
});

test("what the test printed is never the console's", () => {
  const printed = { kind: "console.error", source: "stderr", text: "Error: retrying", ts: 4_990 };
  expect(causeOf(run(...exchange("/"), printed, failing())).suspects.map(({ kind }) => kind)).toEqual([
    "assertion",
  ]);
});

test("the call log's words for an element that cannot be used", () => {
  expect(first(locator('<div class="modal">We use cookies</div> intercepts pointer events'))).toBe(
    `element_covered: <div class="modal">We use cookies</div> covered getByRole('button', { name: 'Pay' }) and took the pointer`,
  );
  const part = '<b>Win</b> from <div class="modal">…</div> subtree intercepts pointer events';
  expect(first(locator(part))).toStartWith('element_covered: <div class="modal">…</div> covered');
  const layer = '<div class="backdrop"></div> from <main>…</main> subtree intercepts pointer events';
  expect(first(locator(layer))).toStartWith('element_covered: <div class="backdrop"></div> covered');
  const bare = "<b>Win</b> from <main>…</main> subtree intercepts pointer events";
  expect(first(locator(bare))).toStartWith("element_covered: <main>…</main> covered");
  // A page may write its markup so that there are many ways to read it.
  expect(first(locator("<a> from ".repeat(1_000)))).not.toStartWith("element_covered:");
  expect(first(locator("element is not visible"))).toStartWith("element_hidden:");
  expect(first(locator("element is not stable"))).toStartWith("element_unstable:");
  expect(first(locator("element is not enabled"))).toStartWith("element_disabled:");
  expect(first(locator("element was detached from the DOM, retrying"))).toStartWith("element_detached:");
  expect(first(locator("element is outside of the viewport"))).toStartWith("element_outside:");
  expect(
    first(
      run(
        ...exchange("/"),
        failing({ message: "strict mode violation: getByText('Pay') resolved to 3 elements:\n  1) <a>" }),
      ),
    ),
  ).toBe("element_ambiguous: getByText('Pay') matched 3 elements where the test means one");
});

test("an element that was renamed: the closest one on the page is told", () => {
  const gone = failing({
    message:
      "expect(locator).toBeVisible() failed\n\nLocator: getByRole('button', { name: 'Place order' })\nError: element(s) not found",
  });
  const cause = first(
    run(
      ...exchange("/"),
      gone,
      page("<main><button>Cancel</button><button>Place your order</button></main>"),
    ),
    run(
      ...exchange("/"),
      passing(),
      page("<main><button>Cancel</button><button>Place order</button></main>"),
    ),
  );
  expect(cause).toBe(
    "element_renamed: getByRole('button', { name: 'Place order' }) was not found; the page has a button “Place your order” in its place",
  );
});

test("an alert that stands on the page, and one that stands there in passes as well", () => {
  const html = (alert: string) =>
    `<main><div role="alert">${alert}</div><p role="status">Free delivery unavailable today</p></main>`;
  const cause = causeOf(
    run(...exchange("/"), failing(), page(html("Your card was declined"))),
    run(...exchange("/"), passing(), page(html(""))),
  );
  expect(cause.headline).toBe("The page said “Your card was declined”");
  expect(cause.also_when_passing.map(({ title }) => title)).toEqual([
    "The page said “Free delivery unavailable today”",
  ]);
});

test("a WebSocket that closed, with code and reason", () => {
  const closed = {
    kind: "network.websocket_frame",
    request_id: "w",
    direction: "received",
    opcode: 8,
    size: 2,
    text: "1011 upstream gone",
    ts: 4_990,
  };
  expect(first(run(...exchange("/"), closed, failing()))).toBe(
    "websocket_closed: The WebSocket closed with 1011: upstream gone",
  );
});

test("a WebSocket that closed without a recorded code, in what the page says of it", () => {
  const opened = exchange("/live", { ts: 3_000, request_id: "w", resource_type: "websocket" });
  const closed = {
    kind: "network.websocket_frame",
    request_id: "w",
    direction: "received",
    opcode: 8,
    text: "",
    ts: 4_900,
  };
  const cause = causeOf(
    run(
      ...exchange("/"),
      ...opened,
      closed,
      { kind: "console.warning", text: "live updates stopped: 1012 service restart", ts: 4_910 },
      failing(),
    ),
  );
  expect(cause.suspects.filter(({ kind }) => kind === "websocket_closed").map(({ title }) => title)).toEqual([
    "The WebSocket /live closed while the page went on, which said “live updates stopped: 1012 service restart”",
  ]);
});

test("dialogs, injected faults and crashes", () => {
  expect(
    first(
      run(
        ...exchange("/"),
        { kind: "page.dialog", type: "confirm", message: "Leave?", ts: 4_990 },
        failing(),
      ),
    ),
  ).toBe(
    "dialog: The page asked “Leave?” in a native confirm dialog and Playwright dismissed it: the test had no handler for the dialog",
  );
  expect(
    first(
      run(
        ...exchange("/"),
        { kind: "error_injection", url: `${SITE}/api/x`, status: 503, ts: 4_990 },
        failing(),
      ),
    ),
  ).toBe("injected_fault: An error (503) was injected for /api/x");
  expect(first(run(...exchange("/"), failing({ message: "page.click: Page crashed" })))).toStartWith(
    "crash:",
  );
});

test("the same amount in another form is another locale; another hour is the clock or the zone", () => {
  expect(
    first(run(...exchange("/"), failing({ expected: '"1,234.50 €"', received: '"1.234,50 €"' }))),
  ).toStartWith("time: Another locale");
  expect(
    first(run(...exchange("/"), failing({ expected: '"Delivery 14:00"', received: '"Delivery 06:00"' }))),
  ).toStartWith("time: Another time");
});

test("of a row with another date in it, the date is told, and not again what the failure says", () => {
  const cause = causeOf(
    run(
      ...exchange("/"),
      failing({
        expected: '"March 2"',
        received: '"Printer on the second floorAda ByronMarch 33 hAssign to me"',
      }),
    ),
  );
  const [suspect] = cause.suspects;
  expect(suspect?.title).toBe(
    "Another day, by the clock or the time zone of the run: the test expected “March 2” and the page showed “March 3”",
  );
  expect(suspect?.detail).toBeNull();
});

test("an error that the test's own code threw", () => {
  const helper = click("Seed the cart", {
    ts: 5_000,
    category: "test.step",
    stack: [{ file: "/work/tests/helpers/cart.ts", line: 12, column: 3 }],
    error: { message: "TypeError: cart.items is not iterable" },
  });
  expect(first(run(...exchange("/"), helper))).toBe(
    "test_code: The test's own code threw TypeError: cart.items is not iterable at helpers/cart.ts:12",
  );
});

test("where nothing explains the failure, what the test wanted and got is told", () => {
  const cause = causeOf(run(...exchange("/"), failing()), run(...exchange("/"), passing()));
  expect(cause.suspects).toHaveLength(1);
  expect(cause.headline).toBe(`getByRole('heading') had "Checkout" where the test expects "Thank you"`);
  expect(cause.failed_step).toEqual({
    step_id: "check",
    title: "Expect \"toHaveText\" getByRole('heading')",
  });
});
