import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const total = (received: string) =>
  failing({
    title: "Expect \"toHaveText\" locator('#total')",
    expected: '"€39.35"',
    received: `"${received}"`,
  });
const json = (url: string, body: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, { ts: 4_500, body: JSON.stringify(body), media_type: "application/json", ...more });

test("without a pass, a wrong value on the page is traced to the answer that says it, however the page writes it", () => {
  expect(first(run(...json("/api/quote", { people: 3, total: 39.344 }), total("€39.34")))).toBe(
    "answer_changed: GET /api/quote answered “39.344” for “total”: that is what the page shows, where the test wants “€39.35”",
  );
  expect(first(run(...json("/api/quote", { total: 3934 }), total("€39.34")))).toContain("“3934” for “total”");
  expect(
    first(
      run(
        ...json("/api/trip", { state: "waiting" }),
        failing({ expected: '"confirmed"', received: '"waiting"' }),
      ),
    ),
  ).toContain("GET /api/trip answered “waiting” for “state”");
  expect(first(run(...json("/api/quote", { total: 12 }), total("€39.34")))).toStartWith("assertion:");
});

test("without a pass, an empty list explains that nothing of it is on the page", () => {
  const none = failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByRole('listitem')",
    message: "expect(locator).toHaveCount(expected) failed",
    expected: "3",
    received: "0",
  });
  expect(first(run(...json("/api/trips", { trips: [] }), none))).toBe(
    "answer_changed: GET /api/trips answered with an empty list for “trips”: 0 items",
  );
});

test("without a pass, what failed before an action that went well stands lower than what came after it", () => {
  const cause = causeOf(
    run(
      ...exchange("/api/rates", { status: 503, ts: 3_000 }),
      click("Click Pay", { ts: 4_000 }),
      ...exchange("/api/pay", { status: 404, ts: 4_100 }),
      failing(),
    ),
  );
  expect(cause.suspects.map(({ title }) => title).slice(0, 2)).toEqual([
    "GET /api/pay was answered with 404",
    "GET /api/rates was answered with 503",
  ]);
  expect(cause.suspects[1]!.confidence).toBeLessThan(cause.suspects[0]!.confidence);
});

test("a script that did not load comes before the error of what it left undefined", () => {
  expect(
    first(
      run(
        ...exchange("/", { resource_type: "document" }),
        ...exchange("http://cdn.example/seats.js", { resource_type: "script", status: 403, ts: 4_900 }),
        {
          kind: "console.error",
          source: "page",
          text: "ReferenceError: SeatWidget is not defined",
          ts: 4_950,
        },
        failing(),
      ),
    ),
  ).toBe("script_failed: The script GET cdn.example/seats.js was answered with 403");
});

test("what a request said otherwise than in the passes is told with its answer, secrets by their name alone", () => {
  const asked = (name: string, value: string, crossings: unknown[]) =>
    run(
      ...json("/api/crossings", { crossings }, { request: { headers: [{ name, value }] } }),
      failing({ ok: crossings.length > 0, expected: "1", received: "0", title: "Expect count" }),
    );
  expect(first(asked("X-Line", "undefined", []), asked("X-Line", "north", [1]))).toBe(
    "answer_changed: GET /api/crossings, which was sent with the header x-line “undefined” where the last pass sent “north”, answered with an empty list for “crossings” instead of 1 item",
  );
  const secret = first(asked("X-Api-Key", "k-2", []), asked("X-Api-Key", "k-1", [1]));
  expect(secret).toContain("the header x-api-key of another value than in the last pass");
  expect(secret).not.toContain("k-2");
});

test("a request that was sent twice where the passes sent it once", () => {
  const book = (ts: number) => exchange("/api/trips", { method: "POST", ts });
  expect(first(run(...book(4_800), ...book(4_820), failing()), run(...book(4_800), passing()))).toMatch(
    /^request_repeated: POST \/api\/trips was sent twice, within \d+ ms; in the last pass once$/,
  );
});

test("an older answer that came after a newer one", () => {
  const asked = (q: string, ts: number, end: number) => {
    const [request, response] = exchange(`/api/ports?q=${q}`, { ts });
    return [request!, { ...response!, ts: end }];
  };
  const [[slow, slowEnd], [quick, quickEnd]] = [asked("Sk", 4_000, 6_000), asked("Sky", 4_100, 4_200)];
  expect(first(run(slow!, quick!, quickEnd!, slowEnd!, failing()))).toContain(
    "out_of_order: The answer to GET /api/ports?q=Sk came 1.8 s after that to GET /api/ports?q=Sky, which was asked later",
  );
  // Keys of a scenario come faster than a person's; pages of a list are asked for beside each other.
  const all = (...given: [string, number, number][]) => {
    const both = given.map(([query, ts, end]) => asked(query, ts, end));
    return run(
      ...both.map(([request]) => request!),
      ...both.map(([, answer]) => answer!).toSorted((a, b) => Number(a.ts) - Number(b.ts)),
      failing(),
    );
  };
  expect(told(all(["p", 4_000, 4_700], ["pr", 4_008, 4_710], ["pri", 4_016, 4_060])).join()).toContain(
    "The answer to GET /api/ports?q=p came 640 ms after that to GET /api/ports?q=pri",
  );
  expect(
    told(all(["x&page=1", 4_000, 4_700], ["x&page=10", 4_008, 4_100], ["x&page=2", 4_016, 4_060])).join(),
  ).not.toContain("out_of_order");
});

test.each(["http://shop.example/api/checkout", "**/api/checkout", "http://*/api/**"])(
  "an injected fault, here for %s, is told with the answer that it made",
  (url) => {
    const cause = causeOf(
      run(
        { kind: "error_injection", url, status: 500, ts: 4_000 },
        ...exchange("/api/checkout", {
          method: "POST",
          status: 500,
          ts: 4_950,
          body: '{"error":"no ledger"}',
        }),
        failing(),
      ),
    );
    expect(cause.suspects[0]).toMatchObject({
      kind: "request_failed",
      title: "POST /api/checkout was answered with 500: no ledger",
      detail: "An error (500) was injected for /api/checkout",
    });
  },
);

test("an element that is nowhere: what the page has of its role is told; in a narrow window, that", () => {
  const wait = click("Click Pay now", {
    ts: 5_000,
    duration_ms: 2_000,
    params: { selector: 'internal:role=button[name="Pay now"i]' },
    error: { message: "locator.click: Timeout 2000ms exceeded." },
    log: ["waiting for getByRole('button', { name: 'Pay now' })"],
  });
  const shown = (html: string) => page(html, { step_id: "Click Pay now" });
  expect(first(run(wait, shown("<button>Order</button><button>Back</button>")))).toBe(
    "element_missing: getByRole('button', { name: 'Pay now' }) was nowhere on the page; its buttons are “Order”, “Back”",
  );
  expect(first(run(wait, shown("<button>cart.pay_now</button>")))).toContain(
    "a button “cart.pay_now” in its place: the key of a text, without its translation",
  );
  expect(first(run(wait, shown("<button>Pay now</button>")))).toContain("is in the page's markup");
});

test("a request that an action sends in the passes and did not send here", () => {
  const book = click("Click Book", { ts: 4_800 });
  const sent = exchange("/api/trips", { method: "POST", ts: 4_830 });
  expect(first(run(book, failing()), run(book, ...sent, passing()))).toBe(
    "request_unsent: POST /api/trips was never sent: in the last pass it went out 30 ms after “Click Book”",
  );
  expect(first(run(book, ...sent, failing()), run(book, ...sent, passing()))).toStartWith("assertion:");
});

test("an answer of success without the data that the passes got", () => {
  const asked = (body: string, type = "application/json") =>
    exchange("/api/trips", { ts: 4_900, body, media_type: type });
  const pass = run(...asked('[{"id":1}]'), passing());
  expect(first(run(...asked("<!doctype html><h1>Back soon</h1>", "text/html"), failing()), pass)).toBe(
    "answer_changed: GET /api/trips was answered with 200 and a page of HTML instead of data: “Back soon”",
  );
  expect(first(run(...asked('[{"id":1},{"na'), failing()), pass)).toContain(
    "JSON that is cut off after 14 characters",
  );
});

test("what all passes say alike and this run does not is told, times too", () => {
  const asked = (at: string) => exchange("/api/departure", { ts: 4_900, body: JSON.stringify({ at }) });
  const said = (received: string) => failing({ expected: '"Sunday 29 March"', received: `"${received}"` });
  const pass = () => run(...asked("2026-03-29T00:30:00Z"), passing({ expected: '"Sunday 29 March"' }));
  const now = run(...asked("2027-03-29T00:30:00Z"), said("Monday 29 March"));
  expect(first(now, pass(), pass())).toContain(
    "GET /api/departure answered “2027-03-29T00:30:00Z” for “at”, where",
  );
  expect(first(now)).toContain(
    "GET /api/departure answered “2027-03-29T00:30:00Z” for “at”: that is what the page shows",
  );
});

test("a WebSocket that brought nothing, or said what the test met instead", () => {
  const opened = {
    kind: "network.request",
    request_id: "ws1",
    url: "ws://shop.example/live",
    resource_type: "websocket",
    ts: 1_000,
  };
  const heard = (text: string) => ({
    kind: "network.websocket_frame",
    request_id: "ws1",
    opcode: 1,
    direction: "received",
    text,
    ts: 2_000,
  });
  const said = failing({ expected: '"2 online"', received: '"maintenance"' });
  const pass = run(opened, heard('{"state":"2 online"}'), passing());
  expect(first(run(opened, said), pass)).toBe(
    "websocket_closed: The WebSocket /live brought no message; in the last pass it brought 1",
  );
  expect(first(run(opened, heard('{"state":"maintenance"}'), said), pass)).toContain(
    'said “{"state":"maintenance"}”, in the last pass “{"state":"2 online"}”',
  );
});

test("another build is told last, and neither in the place of what it changed nor together with it", () => {
  const config = (build: string, more: object = {}) =>
    json("/api/config", { build, clientVersion: build, ...more }, { ts: 1_000 });
  const usual = run(...config("7.1"), passing());
  const cause = causeOf(run(...config("7.2"), failing()), usual);
  expect(cause.suspects[0]?.confidence).toBeLessThan(0.4);
  expect(
    first(
      run(...config("7.2", { mode: "lite" }), failing()),
      run(...config("7.1", { mode: "full" }), passing()),
    ),
  ).toContain("answered “lite” for “mode”");
  const stuck = click("Click Pay", {
    ts: 5_000,
    step_id: "pay",
    duration_ms: 2_000,
    ok: false,
    log: ["waiting for getByRole('button')", "  - element is not enabled"],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  });
  const shipping = (list: unknown[]) => json("/api/shipping", list, { ts: 2_000 });
  const paid = run(
    ...config("7.1"),
    ...shipping([{ by: "post" }]),
    click("Click Pay", { ts: 5_000, step_id: "pay" }),
  );
  expect(first(run(...config("7.2"), ...shipping([]), stuck), paid, paid)).toBe(
    "element_disabled: getByRole('button') was disabled, where the last pass has it enabled; GET /api/shipping answered with an empty list instead of 1 item, without “post”",
  );
});

test("a field that goes by another name is told beside an earlier answer with fewer things", () => {
  const cart = (...lines: object[]) => json("/api/cart", { lines });
  const usual = run(...cart(), ...cart({ item: "Chisel", unitPrice: 700 }), passing());
  expect(first(run(...cart(), ...cart({ item: "Chisel", unit_price: 700 }), failing()), usual)).toContain(
    "unit_price",
  );
});

test("of an answer that came late the order of the answers is told, and not what it said", () => {
  const search = (q: string, ts: number, name: string, took: number) =>
    json(`/api/search?q=${q}`, [{ name }], { ts, duration_ms: took });
  const [sent, came] = search("pr", 4_000, "Projector", 900);
  const [later, newer] = search("print", 4_100, "Printer", 20);
  const cause = causeOf(
    run(
      sent!,
      later!,
      { ...newer!, ts: 4_120 },
      { ...came!, ts: 4_900 },
      failing({ expected: '"Printer"', received: '"Projector"' }),
    ),
    run(...search("print", 4_100, "Printer", 20), passing({ expected: '"Printer"' })),
  );
  expect(cause.suspects[0]?.kind).toBe("out_of_order");
});

const noWindow = {
  title: "Expect \"toBeVisible\" getByText('Window')",
  name: "toBeVisible",
  message:
    "expect(locator).toBeVisible() failed\n\nLocator: getByText('Window')\nError: element(s) not found",
  expected: "visible",
  received: null,
};

test("what a page is not asked to show again after a write is told with the write", () => {
  const save = click("Click Save", { ts: 4_000, step_id: "save" });
  const wrote = exchange("/api/tickets", { method: "POST", ts: 4_050, status: 201 });
  const read = exchange("/api/tickets", { ts: 4_150 });
  const usual = run(save, ...wrote, ...read, passing(noWindow));
  expect(first(run(save, ...wrote, failing(noWindow)), usual)).toBe(
    "request_unsent: GET /api/tickets was never sent: in the last pass it went out 150 ms after “Click Save”; POST /api/tickets had been answered with 201, so the page may go on with what it knew before",
  );
  const other = exchange("/api/visits", { method: "POST", ts: 4_050, status: 201 });
  expect(
    first(run(save, ...other, failing(noWindow)), run(save, ...other, ...read, passing(noWindow))),
  ).not.toContain("had been answered");
});

test("a page that was never left is told with what is missing on it", () => {
  const at = (path: string, text: string, ts: number) =>
    page(`<p>${text}</p>`, { url: `${SITE}${path}`, ts });
  const save = click("Click Save", { ts: 4_000, step_id: "save" });
  const form = at("/new", "Title", 3_900);
  const saved = at("/new", "Saved", 6_990);
  const usual = run(form, save, at("/", "Window", 6_990), passing(noWindow));
  expect(first(run(at("/", "Home", 1_000), form, save, saved, failing(noWindow)), usual)).toEndWith(
    "; the page was still at shop.example/new; in the last pass it had gone to shop.example/ by then",
  );
});

test("the browser's reason is told before that a request failed", () => {
  const url = "https://pay.example/quote";
  const charge = (more: object) => exchange(url, { method: "PUT", ts: 4_900, ...more });
  const [asked, answered] = charge({ status: 0, error: "net::ERR_FAILED" });
  const blocked = {
    kind: "console.error",
    ts: 4_910,
    text: `Access to fetch at '${url}' from origin '${SITE}' has been blocked by CORS policy: No 'Access-Control-Allow-Origin' header is present on the requested resource.`,
  };
  const shown = failing({ expected: '"12.00"', received: '"The price failed to load"' });
  expect(first(run(asked!, answered!, blocked, shown), run(...charge({}), passing()))).toStartWith(
    "browser_policy: The browser blocked the answer of /quote by CORS",
  );
});

test("a token that does not look like one is no other answer than a pass had", () => {
  const token = (access: string) => json("/api/token", { access });
  const usual = run(...token("9f86d081884c7d659a2f"), passing());
  expect(first(run(...token("na6tyfyrls"), failing()), usual)).toStartWith("assertion:");
});
