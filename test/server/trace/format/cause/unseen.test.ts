import { describe, expect, test } from "bun:test";
import { saidIn } from "../../../../../server/trace/format/cause/words.ts";
import { causeIn, causeOf, click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const line = (text: string, more: object = {}) => ({ kind: "console.error", text, ts: 4_990, ...more });

test("a page of an error is told by its heading and the sentence below it, or by what it prints", () => {
  expect(
    saidIn(
      "<!doctype html><title>Forbidden | Town</title><h1>Forbidden <span>(403)</span></h1><p class=x>CSRF token mismatch.</p><p>More</p>",
    ),
  ).toBe("Forbidden (403): CSRF token mismatch.");
  expect(
    saidIn(
      "<!DOCTYPE html><title>Error</title><body><pre>Error: no such table: carts<br> &nbsp;at all</pre>",
    ),
  ).toBe("Error: no such table: carts");
  expect(saidIn("<html><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></html>")).toBe(
    "502 Bad Gateway",
  );
  expect(saidIn('<html><h1>Oops</h1><p role="alert">Card declined</p></html>')).toBe("Card declined");
  expect(saidIn("<html><title>Only this</title><picture><path></picture></html>")).toBe("Only this");
  expect(saidIn("<html></html>")).toBeNull();
});

const wire = { name: "Host", value: "shop.example" };
const cookie = { name: "Cookie", value: "sid=1" };

test("a cookie is not missed where the browser told the headers of a request only in part", () => {
  const post = (headers: object[], status: number) =>
    exchange("/sign-in", { method: "POST", ts: 4_000, status, request: { headers } });
  const usual = run(...post([wire, cookie], 303), passing());
  expect(told(run(...post([], 303), failing()), usual).join()).not.toContain("cookie");
  expect(first(run(...post([wire], 401), failing()), usual)).toBe(
    "storage: POST /sign-in carried no cookie “sid”, which the last pass sent, and was answered with 401",
  );
});

test("an answer that the passes got as well is no refusal of a lost cookie", () => {
  const post = (headers: object[]) =>
    exchange("/sign-in", { method: "POST", ts: 4_000, status: 303, request: { headers } });
  expect(first(run(...post([wire]), failing()), run(...post([wire, cookie]), passing()))).toBe(
    "storage: POST /sign-in carried no cookie “sid”, which the last pass sent",
  );
});

test("a span of days that is counted otherwise, with the same answers, is the clock's or the zone's", () => {
  const values = { expected: '"2 days left"', received: '"Due in 1 days left"' };
  const loans = (due: string) => exchange("/api/loans", { ts: 4_000, body: JSON.stringify({ due }) });
  const usual = run(...loans("2026-03-30"), passing());
  expect(first(run(...loans("2026-03-30"), failing(values)), usual)).toStartWith(
    "time: The page counted “1 days” where the test wants “2 days”, though every answer was the same",
  );
  expect(told(run(...loans("2026-03-29"), failing(values)), usual).join()).not.toContain("time:");
  const rendered = exchange("/", {
    ts: 4_000,
    resource_type: "document",
    media_type: "text/html",
    body: "<p>1 days left</p>",
  });
  expect(told(run(...rendered, failing(values)), usual).join()).not.toContain("time:");
});

test("a click that came before the page's script had loaded, which no other failure of that script is", () => {
  const script = (ts: number, took: number) =>
    exchange("/enhance.js", { ts, resource_type: "script", duration_ms: took });
  const data = exchange("/api/copies", { ts: 4_950 });
  const loaded = (took: number) => {
    const [request, response] = script(4_000, took);
    return [request!, { ...response!, ts: 4_000 + took }];
  };
  const usual = run(...loaded(20), click("Click Show", { ts: 4_900 }), ...data, passing());
  const late = loaded(1_900);
  expect(first(run(late[0]!, click("Click Show", { ts: 4_900 }), failing(), late[1]!), usual)).toBe(
    "slow: “Click Show” came before the page could react: its script GET /enhance.js loaded 980 ms after it; in the last pass it had loaded by then",
  );
  const inTime = run(...loaded(20), click("Click Show", { ts: 4_900 }), failing());
  expect(told(inTime, usual).join()).not.toContain("could react");
});

test("an event stream that ended, where it stays open in passes", () => {
  const stream = (size?: number) =>
    exchange("/events", {
      ts: 3_000,
      resource_type: "eventsource",
      media_type: "text/event-stream",
      ...(size !== undefined && { body_size: size }),
    });
  expect(first(run(...stream(46), failing()), run(...stream(), passing()))).toBe(
    "stream_ended: The event stream GET /events ended after 10 ms; in the last pass it stayed open",
  );
  expect(told(run(...stream(46), failing()), run(...stream(46), passing())).join()).not.toContain("stream");
  expect(told(run(...stream(), failing()), run(...stream(), passing())).join()).not.toContain("stream");
});

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

test("a page that came out of a service worker, where the server answers it in passes", () => {
  const album = (server_ip?: string) =>
    exchange("/album", {
      ts: 4_000,
      resource_type: "document",
      http_version: "HTTP/1.1",
      ...(server_ip && { server_ip }),
    });
  const shown = page("<p>Album</p>", { url: `${SITE}/album` });
  const server = "127.0.0.1";
  expect(first(run(...album(), failing(), shown), run(...album(server), passing(), shown))).toBe(
    "stale_answer: GET /album was answered out of a service worker or the browser's cache; in the last pass the server answered it",
  );
  expect(told(run(...album(), failing(), shown), run(...album(), passing(), shown)).join()).not.toContain(
    "stale",
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

test("a form that the server gave back, with what the page says that no other does", () => {
  const post = (status: number, body?: string) =>
    exchange("/sign-in", {
      method: "POST",
      ts: 4_900,
      status,
      resource_type: "document",
      media_type: "text/html",
      ...(body !== undefined && { body }),
    });
  const form = exchange("/sign-in", {
    ts: 3_000,
    resource_type: "document",
    media_type: "text/html",
    body: "<h1>Please sign in</h1><form></form>",
  });
  const at = (path: string) => page("<h1>Please sign in</h1>", { url: `${SITE}${path}` });
  const start = page("<h1>Please sign in</h1>", { url: `${SITE}/sign-in`, ts: 3_100, step_id: "open" });
  const usual = run(...form, start, ...post(303), passing(), at("/loans"));
  const back = post(200, "<h1>Please sign in</h1><form></form><p>That PIN is not right.</p>");
  const found = told(run(...form, start, ...back, failing(), at("/sign-in")), usual);
  expect(found[0]).toBe(
    "page_message: POST /sign-in gave the form back instead of leading on (200, where the last pass got 303): the page says “That PIN is not right.”",
  );
  expect(found.join()).toContain("redirected: The page was still at /sign-in");
  expect(told(run(...form, start, ...post(303), failing(), at("/loans")), usual).join()).not.toContain(
    "form back",
  );
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

test("a page that came without what the test looks for", () => {
  const catalogue = (...books: string[]) =>
    exchange("/catalogue", {
      ts: 4_000,
      resource_type: "document",
      media_type: "text/html",
      body: books.map((book) => `<li><button>Reserve ${book}</button></li>`).join(""),
    });
  const reserve = (more: object) =>
    click("Click Reserve", {
      ts: 5_000,
      duration_ms: 2_000,
      params: { selector: "internal:role=button" },
      ...more,
    });
  const missed = reserve({
    error: { message: "locator.click: Timeout 2000ms exceeded." },
    log: ["waiting for getByRole('button', { name: 'Reserve Piranesi' })"],
  });
  const shown = page("<button>Reserve Dune</button><button>Reserve Emma</button>", {
    step_id: "Click Reserve",
  });
  const failed = run(...catalogue("Dune", "Emma"), missed, shown);
  expect(first(failed, run(...catalogue("Dune", "Emma", "Piranesi"), reserve({})))).toBe(
    "answer_changed: GET /catalogue came without “Reserve Piranesi”, which it has in the last pass",
  );
  expect(told(failed).join()).not.toContain("in its place");
});

test("a cookie that the browser did not keep", () => {
  const signIn = (value: string) =>
    exchange("/sign-in", { ts: 3_000, headers: [{ name: "Set-Cookie", value }] });
  const post = (headers: object[], status: number) =>
    exchange("/sign-in", { method: "POST", ts: 4_900, status, request: { headers } });
  const usual = run(...signIn("sid=1; Path=/"), ...post([wire, cookie], 303), passing());
  const refused = "sid=2; Path=/; Domain=library.example";
  const { suspects } = causeOf(run(...signIn(refused), ...post([wire], 403), failing()), usual);
  expect(suspects[0]).toMatchObject({
    kind: "storage",
    title:
      "The browser did not keep the cookie “sid” that GET /sign-in sets: no later request carried it, as they do in the last pass",
    detail: "It was set with Path=/; Domain=library.example.",
  });
  const kept = told(run(...signIn("sid=2; Path=/"), ...post([wire, cookie], 403), failing()), usual);
  expect(kept.join()).not.toContain("did not keep");
  // Of a request that is known in part only, nothing is concluded.
  expect(told(run(...signIn(refused), ...post([], 403), failing()), usual).join()).not.toContain(
    "did not keep",
  );
});

describe("a stored cookie that had ended", () => {
  const began = (...cookies: object[]) => ({ kind: "storage.state", ts: 10, cookies, origins: [] });
  const old = (name: string, domain = ".shop.example") => ({ name, domain, value: "1", expires: 500 });
  const broken = exchange("/api/pay", { status: 500, ts: 4_950 });
  const well = exchange("/api/pay", { ts: 4_950 });
  const titles = ({ suspects }: ReturnType<typeof causeOf>) => suspects.map(({ title }) => title).join("\n");

  test("explains nothing when a pass began with it as well", () => {
    const short = [old("_gat"), old("sid")];
    const cause = causeOf(
      run(began(...short), ...broken, failing()),
      run(began(...short), ...well, passing()),
    );
    expect(cause.suspects[0]).toMatchObject({ kind: "request_failed" });
    expect(titles(cause)).not.toContain("had ended");
    expect(cause.also_when_passing).toEqual([
      { title: expect.stringContaining("“_gat” had ended"), count: 1 },
      { title: expect.stringContaining("“sid” had ended"), count: 1 },
    ]);
  });

  test("is told first where it is a session's that the passes still had", () => {
    const fresh = { ...old("sid"), expires: 9_000 };
    const cause = causeOf(run(began(old("sid")), failing()), run(began(fresh), passing()));
    expect(cause.suspects[0]).toMatchObject({ kind: "storage", is_new: true });
    expect(cause.headline).toContain("The stored cookie “sid” had ended");
  });

  test("comes after a failed request where it only counts visitors, and is left out where it is of another site", () => {
    for (const name of ["_gat", "__cf_bm", "_hjSessionUser_1"]) {
      const cause = causeOf(run(began(old(name)), ...broken, failing()), run(began(), ...well, passing()));
      expect(cause.suspects[0]).toMatchObject({ kind: "request_failed" });
      expect(cause.suspects.find(({ kind }) => kind === "storage")!.confidence).toBeLessThan(0.5);
    }
    const foreign = old("sid", ".ads.other");
    expect(titles(causeOf(run(began(foreign), ...broken, failing())))).not.toContain("had ended");
  });

  test("is not called new where no pass tells what it began with", () => {
    const cause = causeOf(
      run(began(old("sid")), ...exchange("/"), failing()),
      run(...exchange("/"), passing()),
    );
    expect(cause.suspects.find(({ kind }) => kind === "storage")).toMatchObject({ is_new: null });
  });
});

describe("another zone or language", () => {
  const [berlin, york] = [{ timezone: "Europe/Berlin" }, { timezone: "America/New_York" }];
  const button = failing({ message: "Timed out", expected: "visible", received: "<element(s) not found>" });
  const later = failing({ expected: '"Delivery 14:00"', received: '"Delivery at noon"' });
  const kinds = (...args: Parameters<typeof causeIn>) => causeIn(...args).suspects.map(({ kind }) => kind);
  const ok = run(passing());

  test("explains nothing when one of the passes had it as well", () => {
    expect(kinds([berlin, york, berlin], run(button), ok, ok)).not.toContain("time");
    expect(kinds([berlin, york, berlin], run(later), ok, ok)).not.toContain("time");
    expect(causeIn([berlin, york, york], run(later), ok, ok).headline).toBe(
      "The browser ran in the time zone “Europe/Berlin”; in the last pass it was “America/New_York”",
    );
  });

  test("explains no missing element: neither changes whether a thing is there", () => {
    expect(kinds([berlin, york], run(button), ok)).not.toContain("time");
    expect(kinds([{ locale: "de" }, { locale: "en" }], run(button), ok)).not.toContain("time");
  });

  test("a locale explains other words on the page, a time zone does not", () => {
    expect(kinds([{ locale: "de" }, { locale: "en" }], run(failing()), ok)[0]).toBe("time");
    expect(kinds([berlin, york], run(failing()), ok)).not.toContain("time");
  });

  test("of the languages that requests ask for, those of all passes count", () => {
    const asked = (value: string) =>
      exchange("/", { request: { headers: [{ name: "accept-language", value }] } });
    const [german, english] = [run(...asked("de"), passing()), run(...asked("en"), passing())];
    const failed = run(...asked("de"), failing());
    expect(kinds([], failed, english, german)).not.toContain("time");
    expect(causeOf(failed, english, english).headline).toBe(
      "The browser asked for “de”, in the last pass for “en”",
    );
    expect(kinds([], run(...asked("de"), button), english)).not.toContain("time");
  });
});

test("a socket that closed when the step had given up tells nothing, nor does a pass that closed it at its end", () => {
  const socket = (closed: number) => [
    ...exchange("ws://shop.example/live", {
      resource_type: "websocket",
      ts: 1_000,
      status: 101,
      request: { request_id: "ws" },
    }).map((event) => ({ ...event, request_id: "ws" })),
    { kind: "network.websocket_frame", request_id: "ws", direction: "received", opcode: 8, ts: closed },
  ];
  expect(told(run(...socket(7_030), failing())).join()).not.toContain("closed");
  expect(first(run(...socket(6_000), failing()), run(...socket(7_900), passing()))).toStartWith(
    "websocket_closed: The WebSocket /live closed while the page went on",
  );
});

test("an event stream that the browser refused is told with its type", () => {
  const refused = line(
    'EventSource\'s response has a MIME type ("text/plain") that is not "text/event-stream". Aborting the connection.',
  );
  const stream = exchange("/events", { resource_type: "eventsource", ts: 4_000 });
  expect(first(run(...stream, refused, failing()))).toBe(
    'browser_policy: The browser refused the event stream /events: a MIME type ("text/plain") that is not "text/event-stream"',
  );
});

test("a script of the same length is another one where a tag of its text says so", () => {
  const script = (etag: string) =>
    exchange("/main.js", {
      ts: 1_000,
      resource_type: "script",
      headers: [
        { name: "Content-Length", value: "4020" },
        { name: "ETag", value: etag },
      ],
    });
  const released = (now: string, before: string) =>
    told(run(...script(now), failing()), run(...script(before), passing())).join();
  expect(released('W/"fb4-2Tn8Q2y6Exel+7BDDSb4mSqH47o"', 'W/"fb4-CzCwKuajeWAZge9l5VA+Ej64xyM"')).toContain(
    "The script GET /main.js changed since the last pass: it has another ETag",
  );
  // Of length and time.
  expect(released('W/"fb4-18c0a3f1b58"', 'W/"fb4-18c0a3f0000"')).not.toContain("The script");
});

test("a circle of redirects is told with what leads round", () => {
  const hop = (path: string, ts: number) => exchange(path, { ts, resource_type: "document", status: 302 });
  const gone = click("Navigate to /", {
    ts: 5_000,
    name: "goto",
    step_id: "open",
    ok: false,
    duration_ms: 500,
    error: { message: `page.goto: net::ERR_TOO_MANY_REDIRECTS at ${SITE}/` },
  });
  const circle = (...paths: string[]) =>
    first(run(...paths.flatMap((path, at) => hop(path, 5_010 + 10 * at)), { ...gone, ts: 5_000 }));
  expect(circle("/", "/welcome", "/", "/welcome")).toEndWith(
    "in a circle (net::ERR_TOO_MANY_REDIRECTS): / leads to /welcome, and so on",
  );
  expect(circle("/", "/")).toEndWith(": / leads to itself");
});

test("the language of an answer is told before that an amount is written otherwise", () => {
  const config = (lang: string) => exchange("/config", { ts: 1_000, body: JSON.stringify({ lang }) });
  const shown = { expected: '"1,234.50 EUR"', received: '"1.234,50 EUR"' };
  expect(first(run(...config("de-DE"), failing(shown)), run(...config("en-GB"), passing(shown)))).toBe(
    "answer_changed: GET /config answered “de-DE” for “lang”, where the last pass had “en-GB”",
  );
  const meta = (format: string) => exchange("/meta", { ts: 1_000, body: JSON.stringify({ format }) });
  expect(first(run(...meta("de-DE"), failing(shown)), run(...meta("en-GB"), passing(shown)))).toContain(
    "answered “de-DE” for “format”",
  );
});

test("a day that a zone moved is told with the moment that an answer gives", () => {
  const ticket = exchange("/api/tickets/17", {
    ts: 4_900,
    body: JSON.stringify({ due: "2031-03-01T00:00:00Z" }),
  });
  const shown = { expected: '"1 March 2031"', received: '"28 February 2031"' };
  expect(first(run(...ticket, failing(shown)))).toEndWith(
    "; GET /api/tickets/17 answered “2031-03-01T00:00:00Z” for “due”, which is another day in another zone",
  );
});
