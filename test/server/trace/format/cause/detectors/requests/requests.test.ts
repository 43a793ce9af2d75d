import { expect, test } from "bun:test";
import {
  causeOf,
  click,
  exchange,
  failing,
  first,
  page,
  passing,
  run,
  SITE,
  told,
  waitedInVain,
} from "../../run.ts";

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

test("an answer that says why it is another one", () => {
  const search = (body: object) => exchange("/api/search", { ts: 4_900, body: JSON.stringify(body) });
  const usual = run(...search({ results: [{ n: 1 }], reason: "" }), passing());
  const now = run(...search({ results: [], reason: "index is being rebuilt" }), failing());
  expect(first(now, usual)).toBe(
    "answer_changed: GET /api/search answered with an empty list for “results” instead of 1 item; it says “index is being rebuilt”",
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

test("a script that the browser refused long before is missed for as long as the page stands", () => {
  const refused = line(
    'Failed to load module script: Expected a JavaScript-or-Wasm module script but the server responded with a MIME type of "text/plain".',
    { location: { url: `${SITE}/assets/pay.js` }, ts: 1_000 },
  );
  const post = exchange("/authorise", { method: "POST", ts: 5_100 });
  expect(
    first(run(refused, click("Click Pay", { ts: 4_900 }), ...post, waitedInVain({ ts: 5_000 }))),
  ).toStartWith("script_failed: The browser refused to use /assets/pay.js");
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

test("the line in which a table differs is told; one that is another in each pass, and a longer talk, are not", () => {
  const rows = (...lines: string[]) =>
    exchange("/rows.csv", {
      ts: 4_000,
      media_type: "text/csv",
      body: `region,amount\n${lines.join("\n")}\n`,
    });
  const usual = run(...rows("North,120", "South,80"), passing());
  expect(first(run(...rows("North;120", "South;80"), failing()), usual, usual)).toBe(
    "answer_changed: GET /rows.csv answered “North;120” in line 2, where the last pass had “North,120”",
  );
  expect(first(run(...rows("North,120"), failing()), usual, usual)).toBe(
    "answer_changed: GET /rows.csv answered no line 3, where the last pass had “South,80”",
  );
  const other = run(...rows("North,121", "South,80"), passing());
  expect(told(run(...rows("North,122", "South,80"), failing()), usual, other).join()).not.toContain("line 2");
});

test("a value of another kind is told as such where both are written alike", () => {
  const json = (amount: unknown) =>
    exchange("/api/rows", { ts: 4_000, media_type: "application/json", body: JSON.stringify({ amount }) });
  const usual = run(...json(120), passing());
  expect(first(run(...json("120"), failing()), usual, usual)).toBe(
    "answer_changed: GET /api/rows answered the text “120” for “amount”, where the last pass had the number 120",
  );
});

test("what others were refused in passes and gave here breaks no page", () => {
  const count = (status: number) => exchange("http://stats.example/collect", { ts: 4_000, status });
  expect(told(run(...count(204), failing()), run(...count(429), passing())).join()).not.toContain("204");
});

test("of a list of switches those that never change are told apart from those that do, and by name", () => {
  const flags = (wizard: boolean, chat: boolean) =>
    exchange("/api/flags", {
      ts: 2_000,
      media_type: "application/json",
      body: JSON.stringify({
        flags: [
          { key: "transferWizard", on: wizard },
          { key: "chatBubble", on: chat },
        ],
      }),
    });
  const at = page("<h1>Send</h1>", { url: `${SITE}/transfer` });
  const check = { expected: "visible", received: null, name: "toBeVisible", message: "element(s) not found" };
  const usual = [
    run(...flags(false, true), at, passing(check)),
    run(...flags(false, false), at, passing(check)),
  ];
  expect(first(run(...flags(true, true), at, failing(check)), ...usual)).toBe(
    "answer_changed: GET /api/flags answered “true” for “flags.transferWizard.on”, where the last pass had “false”",
  );
  expect(told(run(...flags(false, true), at, failing(check)), ...usual.toReversed()).join()).not.toContain(
    "flags",
  );
});

test("an older answer that came last is told where the page shows it, though passes had that order too", () => {
  const asked = (q: string, ts: number, name: string) =>
    exchange(`/api/orders?q=${q}`, { ts, media_type: "application/json", body: JSON.stringify([{ name }]) });
  const both = () => {
    const [older, late] = asked("ha", 4_000, "Halifax");
    const [newer, soon] = asked("harbour", 4_100, "Harbour Gate");
    return [older!, newer!, { ...soon!, ts: 4_200 }, { ...late!, ts: 4_900 }];
  };
  const list = (name: string) => page(`<ul><li>${name}</li></ul>`);
  const met = { expected: '"Harbour Gate"', received: '"Halifax"' };
  const usual = run(...both(), list("Harbour Gate"), passing(met));
  expect(told(run(...both(), list("Halifax"), failing(met)), usual, usual).join("\n")).toContain(
    "out_of_order: The answer to GET /api/orders?q=ha came 700 ms after that to GET /api/orders?q=harbour, which was asked later: the page shows “Halifax”, which only the older answer has",
  );
  expect(told(run(...both(), list("Harbour Gate"), failing(met)), usual, usual).join()).not.toContain(
    "out_of_order",
  );
});

test("a file whose last line is only the beginning of what it was is told as cut off, with the length that it was sent with", () => {
  const rows = (last: string, length: number) =>
    exchange("/rows.csv", {
      ...{ ts: 4_000, media_type: "text/csv", body: `a,b\n${last}` },
      headers: [{ name: "content-length", value: String(length) }],
    });
  expect(first(run(...rows("END;3", 9), failing()), run(...rows("END;3 rows", 14), passing()))).toBe(
    "answer_changed: GET /rows.csv was cut off (its Content-Length is “9”): it ends with “END;3” in line 2, where the last pass had “END;3 rows”",
  );
});

test("a number that came as a text is told as one, and an empty text as empty", () => {
  const rows = (amount: unknown) =>
    exchange("/api/rows", { ts: 4_000, media_type: "application/json", body: JSON.stringify({ amount }) });
  const values = { expected: '"87.00"', received: '"105.00"' };
  const said = (mine: unknown, theirs: unknown) =>
    told(run(...rows(mine), failing(values)), run(...rows(theirs), passing(values))).join("\n");
  expect(said("105.00", 105)).toContain(
    "GET /api/rows answered the text “105.00” for “amount”, where the last pass had the number 105",
  );
  expect(said("", "105.00")).toContain(
    "answered an empty text for “amount”, where the last pass had “105.00”",
  );
});

test("a switch is told by its name where an action says the same word otherwise; ways that a product tries out are aside", () => {
  const flags = (rows: boolean, review: boolean, copy: string) =>
    exchange("/api/flags?u=8xu58q", {
      ...{ ts: 1_000, media_type: "application/json" },
      body: JSON.stringify({
        flags: { "dense-rows": rows, "booking-review-step": review, "hero-copy": copy },
      }),
    });
  const book = click("Click getByRole('button', { name: 'Book' })", { ts: 4_000, name: "locator.click" });
  const usual = run(...flags(true, false, "A"), book, passing());
  const said = told(run(...flags(false, true, "B"), book, failing()), usual, usual).join("\n");
  expect(said).toContain("answered “true” for “flags.booking-review-step”");
  const aside = causeOf(run(...flags(true, false, "B"), book, failing()), usual, usual).suspects[0]!;
  expect(aside.confidence).toBeLessThan(0.4);
});

test("an answer that broke off is told as cut off, before what the page says of it, and is no copy", () => {
  const list = (more: object) =>
    exchange("/api/tickets", {
      ts: 4_900,
      http_version: "HTTP/1.1",
      media_type: "application/json",
      ...more,
    });
  const cutOff = (more: object = {}) =>
    run(
      ...list({ error: "net::ERR_CONTENT_LENGTH_MISMATCH", ...more }),
      line("inbox TypeError: Failed to fetch"),
      failing(),
    );
  const usual = run(...list({ server_ip: "10.0.0.1", body: "[]" }), passing());
  const said =
    "request_failed: GET /api/tickets was answered with 200, but the answer was cut off: fewer bytes came than its Content-Length says (net::ERR_CONTENT_LENGTH_MISMATCH)";
  expect(first(cutOff())).toBe(said);
  expect(first(cutOff(), usual)).toBe(said);
  expect(told(cutOff(), usual).join()).not.toContain("service worker");
  // A stream of events ends so as well, a page that leaves takes its requests back, and what breaks off in passes tells nothing.
  expect(told(cutOff({ media_type: "text/event-stream" }), usual).join()).not.toContain("cut off");
  expect(told(cutOff({ error: "net::ERR_ABORTED" }), usual).join()).not.toContain("cut off");
  expect(told(cutOff(), cutOff()).join()).not.toContain("cut off");
});

test("a token that was refused and had been taken before is told so", () => {
  const asked = (path: string, ts: number, status: number, token = "Bearer a1", more = {}) =>
    exchange(path, {
      ts,
      status,
      body: status === 401 ? '{"error":"unauthorized"}' : "{}",
      request: { headers: [{ name: "authorization", value: token }] },
      ...more,
    });
  const merge = asked("/api/tickets/4/merge", 4_900, 401, "Bearer a1", { method: "POST" });
  const said = "request_failed: POST /api/tickets/4/merge was answered with 401: unauthorized";
  expect(first(run(...asked("/api/queues", 3_980, 200), ...merge, failing()))).toBe(
    `${said}, though its token had been taken 910 ms before (GET /api/queues)`,
  );
  // Another token, one that was refused there too, and one of another host tell nothing.
  for (const other of [
    asked("/api/queues", 3_980, 200, "Bearer b2"),
    asked("/api/queues", 3_980, 403),
    asked("http://api.example/queues", 3_980, 200),
  ])
    expect(told(run(...other, ...merge, failing())).join()).not.toContain("its token had been taken");
});

test("a request is told with a short query, and without what a parameter of a secret's name holds", () => {
  const answered = (query: string) =>
    first(run(...exchange("/"), ...exchange(`/api/reset?${query}`, { ts: 4_900, status: 500 }), failing()));
  expect(answered("page=2")).toBe("request_failed: GET /api/reset?page=2 was answered with 500");
  expect(answered("token=t0p-s3cret&page=2")).toBe(
    "request_failed: GET /api/reset?token=…&page=2 was answered with 500",
  );
  expect(answered(`access_token=${"x".repeat(60)}`)).toBe(
    "request_failed: GET /api/reset?access_token=… was answered with 500",
  );
  expect(answered(`q=${"x".repeat(60)}`)).toBe("request_failed: GET /api/reset was answered with 500");
});
