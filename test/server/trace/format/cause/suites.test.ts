import { describe, expect, test } from "bun:test";
import { saidIn } from "../../../../../server/trace/format/cause/exchanges/said-in.ts";
import { causeIn, causeOf, click, exchange, failing, page, passing, run, SITE, waitedInVain } from "./run.ts";

/** What fails on the side of the test: its own code, its mocks, its waits, its pictures. */
const first = ({ suspects: [one] }: ReturnType<typeof causeOf>) => `${one?.kind}: ${one?.title}`;
const at = (file: string, line: number) => [{ file, line, column: 5 }];

const SPEC = "/work/tests/cart.spec.ts";
describe("waits", () => {
  const waited = (event: string) =>
    click(`Wait for event "${event}"`, {
      ts: 5_000,
      duration_ms: 4_000,
      error: { message: "page.waitForEvent: Test timeout of 15000ms exceeded." },
    });

  test("for a response tell what was sent meanwhile", () => {
    const saved = exchange("/api/cards/3", { method: "PUT", ts: 6_000, status: 200 });
    expect(first(causeOf(run(waited("response"), ...saved)))).toBe(
      "request_pending: The response that the test waits for never came; what was sent meanwhile is another: PUT /api/cards/3, answered with 200",
    );
  });

  test("for a popup tell that the page itself went there", () => {
    const shown = (url: string, ts: number) =>
      page("<h1>Label</h1>", { url: `http://shop.example${url}`, ts, step_id: undefined, page: "p" });
    const opened = exchange("/orders/1", { ts: 4_000, resource_type: "document" });
    const pressed = (link: string) => [
      click("Click Label", { name: "locator.click", ts: 5_100, step_id: "press", page: "p" }),
      page(`<a __playwright_target__="" href="/orders/1/label" ${link}>Label</a>`, {
        ...{ url: "http://shop.example/orders/1", ts: 5_110, step_id: "press", page: "p", phase: "action" },
      }),
    ];
    const pressing = (link: string) =>
      first(
        causeOf(
          run(
            ...opened,
            shown("/orders/1", 4_500),
            { ...waited("popup"), page: "p" },
            ...pressed(link),
            shown("/orders/1/label", 8_000),
          ),
        ),
      );
    expect(pressing("")).toEndWith(
      "the page itself went to /orders/1/label: the link “Label” names no target",
    );
    expect(pressing('target="label"')).not.toContain("target");
    const cause = causeOf(
      run(
        ...opened,
        shown("/orders/1", 4_500),
        { ...waited("popup"), page: "p" },
        shown("/orders/1/label", 8_000),
      ),
    );
    expect(first(cause)).toBe(
      "popup: The popup never opened: no new window or tab came; the page itself went to /orders/1/label",
    );
    expect(first(causeOf(run(...opened, shown("/orders/1", 4_500), { ...waited("popup"), page: "p" })))).toBe(
      "popup: The popup never opened: no new window or tab came",
    );
    const sdk = (size: number) =>
      exchange("/sdk.js", {
        ts: 1_000,
        resource_type: "script",
        body_size: size,
        media_type: "text/javascript",
      });
    const usual = run(...sdk(141), passing());
    expect(first(causeOf(run(...sdk(179), waited("popup")), usual, usual))).toBe(
      "popup: The popup never opened: no new window or tab came; the script GET /sdk.js changed since the last pass: it has 179 bytes instead of 141",
    );
  });
});

describe("a wait for a download that had begun before", () => {
  const press = (ts: number) => click("Click Export", { ts, duration_ms: 50 });
  const download = {
    kind: "page.download",
    ts: 4_500,
    suggested_filename: "beds.csv",
    url: `${SITE}/beds.csv`,
  };
  const wait = {
    ...waitedInVain({ ts: 4_900, title: 'Wait for event "download"' }),
    error: { message: 'Timeout 4000ms exceeded while waiting for event "download"' },
  };

  test("is told with the action that had brought it about", () => {
    expect(first(causeOf(run(press(4_400), download, wait)))).toBe(
      "test_code: The download that the test waits for had come 400 ms before it began to wait, after “Click Export”: a wait sees only what comes later",
    );
  });

  test("is nothing of itself where passes got the file of another day", () => {
    const of = (day: string) => ({ ...download, name: `beds-${day}.csv` });
    const causes = causeOf(
      run(press(4_400), of("2026-11-27"), failing()),
      run(press(4_400), of("2026-11-26"), passing()),
    );
    expect(JSON.stringify(causes.suspects)).not.toContain("beds-");
  });

  test("is another where an action since was to bring one about", () => {
    expect(first(causeOf(run(press(4_400), download, wait, press(5_000))))).not.toContain("had come");
  });
});

describe("pictures", () => {
  const message =
    "expect(locator).toHaveScreenshot(expected) failed\n\n7982 pixels (ratio 0.14 of all image pixels) are different.";
  const pictured = { title: "toHaveScreenshot", message, expected: undefined, received: undefined };
  const figure = (text: string) => page(`<nav>Home</nav><figure><small>${text}</small></figure>`);

  test("tell what the page shows in them and did not in the last pass", () => {
    const cause = causeOf(run(failing(pictured), figure("todo 9")), run(passing(pictured), figure("todo 4")));
    expect(first(cause)).toBe(
      "page_changed: The picture differs: the page shows “todo 9” there, where it shows “todo 4” in the last pass",
    );
  });

  test("tell another device scale factor, and without a pass how much differs", () => {
    const cause = causeIn([{ device_scale_factor: 2 }, {}], run(failing(pictured)), run(passing(pictured)));
    expect(first(cause)).toBe(
      "page_changed: The picture was taken with another device scale factor: “2”, in the last pass none",
    );
    expect(first(causeOf(run(failing(pictured))))).toBe(
      "assertion: The screenshot differs from the kept one in 7982 pixels (14 %)",
    );
  });
});

test("of a run that came to no page the site is the server that it asked, so that its answers are compared", () => {
  const asked = (state: string) =>
    exchange("/api/invoice", { ts: 4_000, resource_type: "api", body: JSON.stringify({ state }) });
  const document = exchange("/", { ts: 4_500, resource_type: "document" });
  const wants = { expected: '"done"', received: '"queued"' };
  const cause = causeOf(
    run(...asked("queued"), failing(wants)),
    run(...asked("done"), ...document, passing(wants)),
  );
  expect(first(cause)).toStartWith(
    "answer_changed: GET /api/invoice answered “queued” for “state”, where the last pass had “done”",
  );
});

test("a disabled button is told with its title, and with the page that it was served in", () => {
  const log = [
    'locator resolved to <button disabled title="Waiting for the check">Approve</button>',
    "element is not enabled",
  ];
  const cause = causeOf(
    run(
      click("Click approve", {
        ts: 5_000,
        duration_ms: 2_000,
        log,
        error: { message: "locator.click: Timeout" },
      }),
    ),
  );
  expect(first(cause)).toContain("was disabled; its title says “Waiting for the check”");
});

test("an address that cannot be opened is told with the base URL that no pass had", () => {
  const message = "page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:4899/board";
  const opened = (more: object) => click("Navigate", { ts: 5_000, ...more });
  const cause = causeIn(
    [{ base_url: "http://127.0.0.1:4899" }, { base_url: "http://127.0.0.1:4802" }],
    run(opened({ error: { message } })),
    run(opened({})),
  );
  expect(first(cause)).toContain(
    "the base URL is “http://127.0.0.1:4899”, in the last pass it was “http://127.0.0.1:4802”",
  );
});

test("an answer that refuses fields is told with what it says of them", () => {
  expect(saidIn('{"error":"invalid","fields":{"amount":"must be a decimal"}}')).toBe(
    "invalid: amount must be a decimal",
  );
});

describe("routes of the test", () => {
  const cards = (handled: string | null, body: string, more: object = {}) =>
    exchange("/api/cards", { ts: 4_000, body, ...(handled !== null && { handled }), ...more });

  test("are told where they no longer take a request, or take one that they let through", () => {
    const missed = causeOf(
      run(...cards(null, '[{"title":"Real"}]'), failing()),
      run(...cards("fulfilled", '[{"title":"Mocked"}]'), passing()),
    );
    expect(first(missed)).toBe(
      "test_code: The test's own route did not take GET /api/cards: the server answered it; in the last pass the test did",
    );
    const aborted = causeOf(
      run(...cards("aborted", "", { status: undefined, error: "net::ERR_FAILED" }), failing()),
      run(...cards(null, "[]"), passing()),
    );
    expect(first(aborted)).toBe(
      "test_code: The test's own route aborted GET /api/cards, which it let through in the last pass",
    );
  });

  test("are told where the page asks another address, which they do not take", () => {
    const ask = click("Click Ask", { ts: 3_900 });
    const rates = (path: string, handled: string | null, more: object = {}) =>
      exchange(path, { ts: 4_000, body: '{"price":9}', ...(handled !== null && { handled }), ...more });
    const usual = run(ask, ...rates("/rates?order=1", "fulfilled"), passing());
    const told = (...events: Parameters<typeof run>) =>
      first(causeOf(run(ask, ...events, failing()), usual, usual));
    expect(told(...rates("/v2/quote?order=2", null))).toBe(
      "test_code: The test's own route did not take GET /v2/quote?order=2: the server answered it; in the last pass the page sent GET /rates?order=1 in its place, and the test answered that",
    );
    const other = rates("/api/offers", null);
    expect(told(...rates("/v2/quote?order=2", null), ...other)).toContain(
      "did not take GET /v2/quote?order=2",
    );
    // Which of two it is, nothing says; another kind of request is no other address of it; and the test took it here too.
    expect(told(...rates("/v2/quote", null), ...other)).not.toContain("own route");
    expect(told(...rates("/v2/quote?order=2", null, { method: "POST" }))).not.toContain("own route");
    expect(told(...rates("/v2/quote?order=2", null, { ts: 3_000 }))).not.toContain("own route");
    expect(told(...rates("/v2/quote?order=2", "fulfilled"))).not.toContain("own route did not");
    expect(told(...rates("/rates?order=1", "fulfilled"), ...other)).not.toContain("own route");
  });

  test("are told where they answer otherwise, before the error that the page made of it", () => {
    const thrown = {
      kind: "console.error",
      source: "page",
      text: "TypeError: cards.filter is not a function",
      ts: 4_050,
    };
    const cause = causeOf(
      run(...cards("fulfilled", '{"items":[]}'), thrown, failing()),
      run(...cards("fulfilled", "[]"), passing()),
    );
    expect(first(cause)).toStartWith(
      'test_code: The test\'s own route answered GET /api/cards with “{"items":[]}”',
    );
  });
});

test("a question that the test does not answer is told as dismissed by Playwright, with and without a pass", () => {
  const asked = { kind: "page.dialog", type: "confirm", message: "Delete order 3?", ts: 4_000 };
  const accepted = click("Accept dialog", { name: "dialog.accept", ts: 4_002 });
  const pass = run(asked, accepted, passing());
  expect(first(causeOf(run(asked, failing()), pass))).toBe(
    "dialog: The page asked “Delete order 3?” and Playwright dismissed it: the test had no handler for the dialog, which it accepted in the last pass",
  );
  const { suspects } = causeOf(run(asked, failing()), run(passing()));
  expect(suspects.filter(({ kind }) => kind === "dialog").map(({ title }) => title)).toEqual([
    "The page asked “Delete order 3?” and Playwright dismissed it: the test had no handler for the dialog, and no pass was asked",
  ]);
  expect(first(causeOf(run(asked, failing()), run(asked, passing())))).not.toContain("Playwright dismissed");
  expect(first(causeOf(run(asked, failing())))).toContain("Playwright dismissed it");
  expect(JSON.stringify(causeOf(run(asked, accepted, failing())))).not.toContain("Playwright dismissed");
  const again = { kind: "page.dialog", type: "confirm", message: "Three others will be told", ts: 4_008 };
  expect(first(causeOf(run(asked, accepted, again, failing())))).toBe(
    "dialog: The page asked “Three others will be told” in a native confirm dialog and Playwright dismissed it: the test had no handler for the dialog",
  );
});

const timedOut = { message: "locator.click: Test timeout of 15000ms exceeded." };
const waitingLine = "waiting for element to be visible, enabled and stable";

test("an element that never stood still is told as moving, also where the last check was cut off", () => {
  const log = [
    waitingLine,
    "element is not stable",
    "retrying click action",
    waitingLine,
    "element is not stable",
    waitingLine,
  ];
  const cause = causeOf(
    run(click("Click quick add", { ts: 5_000, duration_ms: 2_000, log, error: timedOut })),
  );
  expect(first(cause)).toContain("element_unstable");
});

test("a script of another version explains less than what the step's own log says of its element", () => {
  const served = (version: string) =>
    exchange("/lab", {
      ts: 4_000,
      resource_type: "document",
      media_type: "text/html",
      body: `<html><body><script src="/app.js${version}"></script></body></html>`,
    });
  const log = [
    waitingLine,
    "element was detached from the DOM, retrying",
    waitingLine,
    "element was detached from the DOM, retrying",
  ];
  const clicked = (more: object) => click("Click refresh", { ts: 5_000, duration_ms: 2_000, ...more });
  expect(
    first(
      causeOf(run(...served("?v=b"), clicked({ log, error: timedOut })), run(...served(""), clicked({}))),
    ),
  ).toContain("element_detached");
});

describe("scripts of the test in the page", () => {
  test("are told with what they threw", () => {
    const message =
      "page.evaluate: TypeError: Cannot read properties of null (reading 'children')\n    at eval";
    const cause = causeOf(
      run(click('Evaluate document.querySelector(".menu").children', { ts: 5_000, error: { message } })),
    );
    expect(first(cause)).toBe(
      "test_code: The script that the test ran in the page threw TypeError: Cannot read properties of null (reading 'children'): “Evaluate document.querySelector(\".menu\").children”",
    );
  });

  test("and of the test itself that read JSON are told with the address that answered a page", () => {
    const html = exchange("/session", { ts: 4_990, media_type: "text/html", body: "<!doctype html>" });
    const message = "page.evaluate: SyntaxError: Unexpected token '<', \"<!doctype \"... is not valid JSON";
    const cause = causeOf(run(...html, click("Evaluate fetch", { ts: 5_000, error: { message } })));
    expect(first(cause)).toBe("answer_changed: GET /session answered a page of HTML where JSON was read");
  });
});

test("an address that turns out to be a download is told as one", () => {
  const opened = click("Navigate /orders.csv", {
    ts: 5_000,
    duration_ms: 200,
    error: { message: "page.goto: Download is starting" },
  });
  const download = {
    kind: "page.download",
    url: "http://shop.example/orders.csv",
    name: "orders.csv",
    ts: 5_100,
  };
  expect(first(causeOf(run(opened, download)))).toStartWith(
    "download: The address that the step opened is a download and no page: “orders.csv”",
  );
});

test("a download that goes by its address is told with the name that it has in passes", () => {
  const saved = (name: string) => ({
    kind: "page.download",
    url: "http://shop.example/orders/7/export.csv",
    name,
    ts: 5_100,
  });
  const check = { expected: '"orders-7.csv"', received: '"export.csv"', ts: 5_200 };
  const pass = run(saved("orders-7.csv"), passing({ ...check, received: '"orders-7.csv"' }));
  expect(first(causeOf(run(saved("export.csv"), failing(check)), pass, pass))).toBe(
    "download: The browser called the download “export.csv” after its address (shop.example/orders/7/export.csv), where the last pass had “orders-7.csv”: the answer names no file in Content-Disposition",
  );
  const refused = exchange("/orders/7/export.csv", { ts: 5_050, status: 503, resource_type: "document" });
  expect(
    JSON.stringify(causeOf(run(...refused, saved("export.csv"), failing(check)), pass, pass)),
  ).not.toContain("after its address");
  const dated = run(saved("orders-8.csv"), failing({ ...check, received: '"orders-8.csv"' }));
  expect(JSON.stringify(causeOf(dated, pass, pass))).not.toContain("after its address");
});

test("a page that could not be opened is told with the connection that the test itself had cut", () => {
  const opened = click("Navigate /lesson", {
    name: "page.goto",
    ts: 5_000,
    duration_ms: 200,
    params: { url: "http://shop.example/lesson" },
    error: { message: "page.goto: net::ERR_FAILED at http://shop.example/lesson" },
  });
  const offline = (isOffline: boolean) =>
    click("Set offline mode", {
      name: "browserContext.setOffline",
      ts: 4_800,
      params: { offline: isOffline },
    });
  expect(first(causeOf(run(offline(true), opened)))).toEndWith(
    "net::ERR_FAILED; the test itself had cut the connection 200 ms before (“Set offline mode”)",
  );
  expect(first(causeOf(run(offline(true), offline(false), opened)))).not.toContain("had cut");
});

test("what Playwright itself blocked is told by its own line in the console", () => {
  const line = {
    kind: "console.warning",
    text: "Service Worker registration blocked by Playwright",
    ts: 1_000,
  };
  const failed = failing({ expected: undefined, received: undefined });
  expect(first(causeOf(run(line, failed), run(passing({})), run(passing({}))))).toBe(
    "console_error: The page logged the warning: Service Worker registration blocked by Playwright",
  );
});

test("an answer under an encoding that no pass has, and that broke off, is told as one that could not be unpacked", () => {
  const script = (encoding: string | null, more: object = {}) =>
    exchange("/app/chat.js", {
      resource_type: "script",
      media_type: "text/javascript",
      ts: 4_000,
      headers: encoding === null ? [] : [{ name: "content-encoding", value: encoding }],
      ...more,
    });
  const broken = { error: "net::ERR_CONTENT_DECODING_FAILED" };
  const pass = run(...script(null), passing());
  expect(first(causeOf(run(...script("gzip", broken), failing()), pass, pass))).toBe(
    "script_failed: The script GET /app/chat.js came with Content-Encoding: “gzip”, which it has in no pass, and could not be read (net::ERR_CONTENT_DECODING_FAILED)",
  );
  expect(first(causeOf(run(...script("gzip", broken), failing())))).toStartWith(
    "script_failed: The script GET /app/chat.js came with Content-Encoding: “gzip” and could not be read",
  );
  const aborted = { error: "net::ERR_ABORTED" };
  expect(JSON.stringify(causeOf(run(...script("gzip", aborted), failing())))).not.toContain(
    "could not be read",
  );
  const packed = run(...script("gzip"), passing());
  expect(JSON.stringify(causeOf(run(...script("gzip", broken), failing()), packed, packed))).not.toContain(
    "in no pass",
  );
});

describe("calls on what is over", () => {
  const clicked = (message: string, more: object = {}) =>
    click("Click save", { ts: 5_000, duration_ms: 300, stack: at(SPEC, 3), error: { message }, ...more });

  test("are told as not awaited where the test had ended", () => {
    expect(first(causeOf(run(clicked("locator.click: Test ended."))))).toBe(
      "test_code: The test ended while “Click save” was still going on: nothing awaited it (tests/cart.spec.ts:3)",
    );
    const closed = "locator.click: Target page, context or browser has been closed";
    const hooks = click("After Hooks", { ts: 5_100, category: "hook" });
    const close = click("Close context", { ts: 5_110, parent_step_id: "After Hooks", category: "pw:api" });
    expect(first(causeOf(run(clicked(closed), hooks, close)))).toContain("nothing awaited it");
  });

  test("are told with what closed their page", () => {
    const close = click("Close page", { name: "page.close", ts: 4_000, page: "b", stack: at(SPEC, 2) });
    expect(first(causeOf(run(close, failing({ page: "b" }))))).toBe(
      "crash: The test itself closed the page (tests/cart.spec.ts:2) before “Expect \"toHaveText\" getByRole('heading')”",
    );
    expect(JSON.stringify(causeOf(run(close, failing({ page: "a" }))))).not.toContain("closed the page");
    const message = "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('heading')";
    const atOnce = { message, duration_ms: 50 };
    expect(first(causeOf(run(close, failing(atOnce))))).toContain("closed the page");
    expect(JSON.stringify(causeOf(run(close, failing({ message }))))).not.toContain("closed the page");
  });
});

test("an option that a list does not have is told with those that it has", () => {
  const log = [
    "waiting for element to be visible and enabled",
    "did not find some options",
    "retrying select option action",
  ];
  const picked = click("Select option getByLabel('Zone')", {
    ts: 5_000,
    duration_ms: 2_000,
    log,
    step_id: "check",
    error: timedOut,
    params: { options: [{ valueOrLabel: "Quito" }] },
  });
  const cause = causeOf(
    run(picked, page("<label>Zone <select><option>Lima</option><option>Oslo</option></select></label>")),
  );
  expect(first(cause)).toBe(
    "element_missing: getByLabel('Zone') has no such option as the step picks (“Quito”); it has the options “Lima”, “Oslo”",
  );
});

test("a frame that the page does not have is told with the frames that it has", () => {
  const target = "locator('iframe[title=Carrier]').contentFrame().getByRole('heading')";
  const message = `expect(locator).toHaveText(expected) failed\n\nLocator: ${target}\nError: element(s) not found`;
  const failed = failing({ title: `Expect "toHaveText" ${target}`, message, received: undefined });
  const cause = causeOf(run(failed, page('<h1>Order</h1><iframe title="Delivery"></iframe>')));
  expect(first(cause)).toBe(
    "element_missing: The page has no frame with the title “Carrier”; its frames have the title “Delivery”",
  );
});

test("a browser that the test sets up otherwise than in each pass is told with both calls", () => {
  const set = (day: string, ts: number) =>
    click(`Set fixed time "${day}"`, {
      name: "browserContext.clockSetFixedTime",
      params: { timeNumber: ts },
      ts: 500,
    });
  const [sunday, monday] = [
    set("Sun Nov 29 2026", 1_795_941_000_000),
    set("Mon Nov 30 2026", 1_796_027_400_000),
  ];
  const usual = run(monday, passing());
  expect(first(causeOf(run(sunday, failing()), usual, usual))).toBe(
    `test_code: The test set up its browser otherwise: “Set fixed time "Sun Nov 29 2026"”, in the last pass “Set fixed time "Mon Nov 30 2026"”`,
  );
  for (const passes of [
    [run(sunday, passing()), run(sunday, passing())],
    [usual, run(set("Tue Dec 1 2026", 1_796_113_800_000), passing())],
  ])
    expect(JSON.stringify(causeOf(run(sunday, failing()), ...passes))).not.toContain("set up its browser");
});

test("what the test's own set-up asked for otherwise comes before what its product says then", () => {
  const reset = (scope: string) =>
    exchange(`/api/test/reset?scope=${scope}`, {
      ...{ method: "POST", ts: 500, resource_type: "api", media_type: "application/json" },
      body: JSON.stringify({ scope }),
    });
  const slots = (taken: string) =>
    exchange("/api/slots", { ts: 2_000, media_type: "application/json", body: JSON.stringify({ taken }) });
  const check = { expected: '"Ear pain"', received: '"Recurring visit"' };
  const usual = run(...reset("all"), ...slots("Ear pain"), passing(check));
  const mine = run(...reset("patients"), ...slots("Recurring visit"), failing(check));
  expect(first(causeOf(mine, usual, usual))).toStartWith(
    "answer_changed: POST /api/test/reset?scope=patients, which was sent with the parameter scope “patients” where the last pass sent “all”",
  );
});

test("what never stands still slides under what stands beside it, which is not in the way", () => {
  const slid = ["element is not stable", "<button>Cancel</button> intercepts pointer events"];
  const told = (...log: string[]) =>
    causeOf(run(click("Click save", { ts: 5_000, duration_ms: 2_000, log, error: timedOut }))).suspects.map(
      ({ kind }) => kind,
    );
  expect(told("element is not stable", ...slid, "element is not stable")).not.toContain("element_covered");
  // A dialog that moves only as it opens stays in the way.
  expect(told(...slid, slid[1]!, slid[1]!)[0]).toBe("element_covered");
});
