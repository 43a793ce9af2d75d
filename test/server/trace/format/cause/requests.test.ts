import { expect, test } from "bun:test";
import { type causeOf, click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const line = (text: string, more: object = {}) => ({ kind: "console.error", text, ts: 4_990, ...more });

test("a button that is disabled is told with what the page says beside it", () => {
  const held = run(
    ...exchange("/"),
    click("Click Pay", {
      ts: 5_000,
      duration_ms: 2_000,
      params: { selector: "internal:role=button" },
      error: { message: "locator.click: Timeout 2000ms exceeded." },
      log: ["waiting for getByRole('button', { name: 'Pay' })", "  element is not enabled"],
    }),
    page(`<p role="alert">We are closed on Mondays.</p><p role="alert">Free returns</p>`, {
      step_id: "Click Pay",
    }),
  );
  const usual = run(
    ...exchange("/"),
    click("Click Pay", { ts: 5_000 }),
    page(`<p role="alert">Free returns</p>`, { step_id: "Click Pay" }),
  );
  expect(first(held, usual)).toBe(
    "element_disabled: getByRole('button', { name: 'Pay' }) was disabled; the page said “We are closed on Mondays.”",
  );
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

test("an answer that says why it is another one", () => {
  const search = (body: object) => exchange("/api/search", { ts: 4_900, body: JSON.stringify(body) });
  const usual = run(...search({ results: [{ n: 1 }], reason: "" }), passing());
  const now = run(...search({ results: [], reason: "index is being rebuilt" }), failing());
  expect(first(now, usual)).toBe(
    "answer_changed: GET /api/search answered with no items for “results” instead of 1 item; it says “index is being rebuilt”",
  );
});

test("what an answer lists is no message of the page, whatever words are in it", () => {
  const list = exchange("/api/list", { ts: 4_000, body: '[{"subject":"Cannot change my address"}]' });
  const shown = (text: string) => run(...list, failing(), page(`<main><p>${text}</p></main>`));
  const usual = run(...list, passing(), page("<main><p>Thank you</p></main>"));
  expect(told(shown("Cannot change my address"), usual).join()).not.toContain("page_message");
  expect(first(shown("Cannot load your address"), usual)).toBe(
    "page_message: The page said “Cannot load your address”",
  );
});

test("a refusal of the browser is told with its reason, in full and without its advice", () => {
  const of = (text: string, more = {}) => first(run(...exchange("/"), line(text, more), failing()));
  expect(
    of(
      `Access to fetch at 'http://api.example/t' from origin '${SITE}' has been blocked by CORS policy: Request header field x-v is not allowed by Access-Control-Allow-Headers in preflight response.`,
    ),
  ).toBe(
    "browser_policy: The browser blocked the answer of api.example/t by CORS: Request header field x-v is not allowed by Access-Control-Allow-Headers in preflight response",
  );
  expect(
    of(
      `Access to fetch at 'http://api.example/t' from origin '${SITE}' has been blocked by CORS policy: Request header field x-synthetic-source is not allowed by Access-Control-Allow-Headers in preflight response.`,
    ),
  ).toEndWith(
    "preflight response; every run of a scenario sends it, but for the origins in `synthetic.exclude_origins` of settings.json",
  );
  expect(
    of(
      "NotAllowedError: Failed to execute 'writeText' on 'Clipboard': The Clipboard API has been blocked because of a permissions policy. See https://crbug.com/41 for more details.",
    ),
  ).toBe(
    "browser_policy: The browser refused it: NotAllowedError: Failed to execute 'writeText' on 'Clipboard': The Clipboard API has been blocked because of a permissions policy.",
  );
  expect(
    of(
      "Loading the script 'http://cdn.example/p.js' violates the following Content Security Policy directive: \"script-src 'self'\". Note that 'script-src-elem' was not explicitly set.",
    ),
  ).toBe("browser_policy: The page's Content-Security-Policy blocked cdn.example/p.js: script-src 'self'");
  expect(
    of(
      "Blocked opening 'http://bank.example/3ds' in a new window because the request was made in a sandboxed frame whose 'allow-popups' permission is not set.",
    ),
  ).toBe(
    "browser_policy: The browser did not open a new window for bank.example/3ds: the request was made in a sandboxed frame whose 'allow-popups' permission is not set",
  );
  expect(
    of(
      'Failed to load module script: Expected a JavaScript-or-Wasm module script but the server responded with a MIME type of "text/html". Strict MIME type checking is enforced.',
      { location: { url: `${SITE}/assets/report-1.js` } },
    ),
  ).toBe(
    "script_failed: The browser refused to use /assets/report-1.js, as its type is not that of a script or style sheet: text/html",
  );
});

test("what the browser refused a script counts, though the page only warns of it", () => {
  const warned = line(
    "[draft] not kept QuotaExceededError: Setting the value of 'draft' exceeded the quota.",
    {
      kind: "console.warning",
    },
  );
  expect(first(run(...exchange("/"), warned, failing()), run(...exchange("/"), passing()))).toContain(
    "exceeded the quota",
  );
});

test("a helper that found nothing, after an answer with an empty list, is not the cause", () => {
  const empty = exchange("/api/customers", { ts: 4_900, body: '{"results":[]}' });
  const thrown = {
    kind: "trace.ended",
    status: "failed",
    ts: 6_000,
    error: { message: "customer not on screen: Mara" },
  };
  const found = told(run(...empty, click("Click Find", { ts: 4_850 }), thrown));
  expect(found[0]).toStartWith("answer_changed: GET /api/customers answered with an empty list");
});

test("a field that the server filled with another value", () => {
  const profile = (name: string) =>
    exchange("/profile", {
      ts: 4_000,
      resource_type: "document",
      media_type: "text/html",
      body: `<form><input type="hidden" name="csrf" value="t-${name}-81"><input name="name" value="${name}"></form>`,
    });
  const values = { expected: '"Ada L."', received: '"Ada"' };
  expect(first(run(...profile("Ada"), failing(values)), run(...profile("Ada L."), passing()))).toBe(
    "answer_changed: GET /profile came with “Ada”, where the last pass had “Ada L.”",
  );
});

test("an answer to another question comes after the answer that made the page ask it", () => {
  const team = (...names: string[]) =>
    exchange("/api/team", { ts: 3_000, body: JSON.stringify({ team: names }) });
  const assign = (user_id: string, name: string) =>
    exchange("/api/tickets", {
      method: "PATCH",
      ts: 4_900,
      request: { body: JSON.stringify({ user_id }) },
      body: JSON.stringify({ assignee: name }),
    });
  const values = { expected: '"Grace"', received: '"Ada"' };
  const usual = () => run(...team("Ada", "Grace"), ...assign("u2", "Grace"), passing(values));
  const found = told(run(...team("Grace", "Ada"), ...assign("u1", "Ada"), failing(values)), usual(), usual());
  expect(found[0]).toBe(
    "answer_changed: GET /api/team answered in another order than in the last pass: “team”",
  );
  expect(found[1]).toContain(
    "PATCH /api/tickets, which was sent with the field user_id “u1” where the last pass sent “u2”, answered “Ada”",
  );
});

test("the next page of a list that was never asked for, though the first was", () => {
  const photos = (cursor: number, ts: number) => exchange(`/api/photos?cursor=${cursor}`, { ts });
  const opened = click("Navigate /album", { name: "goto", ts: 3_000 });
  const usual = () => run(opened, ...photos(0, 3_050), ...photos(24, 4_000), passing());
  expect(first(run(opened, ...photos(0, 3_050), failing()), usual(), usual())).toBe(
    "request_unsent: GET /api/photos?cursor=24 was never sent: in the last pass it went out 1.0 s after “Navigate /album”",
  );
  const moved = run(opened, ...photos(0, 3_050), ...photos(30, 4_000), failing());
  expect(told(moved, usual(), usual()).join()).not.toContain("never sent");
});

test("no thing of a list stands in the place of another", () => {
  const shown = (...names: string[]) => page(names.map((name) => `<p>${name}</p>`).join(""));
  const wanted = { name: "toBeVisible", title: "Expect \"toBeVisible\" getByText('Photo 57')" };
  const looked = failing({
    ...wanted,
    message:
      "expect(locator).toBeVisible() failed\n\nLocator: getByText('Photo 57')\nError: element(s) not found",
    expected: undefined,
    received: undefined,
  });
  const found = (...args: Parameters<typeof causeOf>) => told(...args).join("\n");
  const some = shown("Photo 1", "Photo 2", "Photo 5");
  expect(found(run(looked, some))).toContain(
    "element_missing: getByText('Photo 57') was nowhere on the page",
  );
  expect(
    found(run(looked, shown("Photo 5")), run(passing(wanted), shown("Photo 5", "Photo 57"))),
  ).not.toContain("in its place");
  expect(found(run(looked, shown("Photo 56")), run(passing(wanted), shown("Photo 57")))).toContain(
    "“Photo 56” in its place",
  );
});
