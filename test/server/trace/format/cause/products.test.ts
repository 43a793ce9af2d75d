import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const json = (url: string, body: unknown, more: object = {}) =>
  exchange(url, { ts: 4_000, body: JSON.stringify(body), media_type: "application/json", ...more });

const missing = (locator: string, more: object = {}) => ({
  name: "toBeVisible",
  title: `Expect "toBeVisible" ${locator}`,
  message: `expect(locator).toBeVisible() failed\n\nLocator: ${locator}\nError: element(s) not found`,
  expected: "visible",
  received: undefined,
  ...more,
});

describe("a test that does another thing than in its passes", () => {
  const opened = (name: string) => click(`Click getByRole('row', { name: '${name}' })`, { ts: 4_000 });

  test("is told where every pass does the same", () => {
    const passes = [run(opened("Orders"), passing()), run(opened("Orders"), passing())];
    expect(first(run(opened("Returns"), failing()), ...passes)).toBe(
      `test_code: The test itself did another thing than in the last pass: “Click getByRole('row', { name: 'Returns' })” where that did “Click getByRole('row', { name: 'Orders' })”`,
    );
  });

  test("is not told where each pass does something of its own, or figures alone differ", () => {
    const each = [run(opened("Ada Byron"), passing()), run(opened("Grace Hopper"), passing())];
    expect(told(run(opened("Mary Kenneth"), failing()), ...each).join()).not.toContain("The test itself");
    const numbered = [run(opened("order 7"), passing()), run(opened("order 7"), passing())];
    expect(told(run(opened("order 9"), failing()), ...numbered).join()).not.toContain("The test itself");
  });

  test("is not told of what the test only tried again, or did besides", () => {
    const pass = run(click("Click Open", { ts: 3_000 }), click("Click Save", { ts: 4_000 }), passing());
    const again = [click("Click Open", { ts: 3_000 }), click("Click Open", { ts: 3_100 })];
    const failed = run(...again, click("Click Close hint", { ts: 3_500 }), click("Click Save"), failing());
    expect(told(failed, pass).join()).not.toContain("The test itself");
  });

  test("looks for an element by another name, where the former one is there as ever", () => {
    const html = `<button title="Move">F6</button><button title="Delete">F8</button>`;
    const step = (name: string) => `getByTitle('${name}', { exact: true })`;
    const pass = run(page(html), passing(missing(step("Delete"))));
    expect(first(run(page(html), failing(missing(step("Remove")))), pass)).toBe(
      `test_code: The test itself did another thing than in the last pass: “Expect "toBeVisible" ${step("Remove")}” where that did “Expect "toBeVisible" ${step("Delete")}”, which the page has still`,
    );
    const many = `strict mode violation: ${step("Remove")} resolved to 2 elements`;
    expect(first(run(page(html), failing(missing(step("Remove"), { message: many }))), pass)).toStartWith(
      `test_code: The test itself did another thing than in the last pass: “Expect "toBeVisible" ${step("Remove")}”, which matched 2 elements, where that did`,
    );
    const gone = `<button title="Move">F6</button>`;
    expect(told(run(page(gone), failing(missing(step("Remove")))), pass).join()).not.toContain("has still");
  });
});

test("an element that is looked for by its title is told by its title", () => {
  const html = (title: string) => `<main><button title="${title}">F8</button><a title="Help">?</a></main>`;
  const step = missing("getByTitle('Delete file')");
  expect(
    told(run(page(html("Delete files")), failing(step)), run(page(html("Delete file")), passing(step))),
  ).toContain(
    "element_renamed: getByTitle('Delete file') was not found; the page has a button “F8” (title “Delete files”) in its place",
  );
});

test("of a list that has more items, the one that the page shows is named", () => {
  const files = (...names: string[]) => json("/api/files", { files: names.map((name) => ({ name })) });
  const rows = (...names: string[]) => page(names.map((name) => `<li>${name}</li>`).join(""));
  const count = { name: "toHaveCount", title: `Expect "toHaveCount" locator('li')` };
  expect(
    first(
      run(
        ...files("a.txt", "b.txt", "~lock"),
        rows("a.txt", "b.txt", "~lock"),
        failing({ ...count, expected: "2", received: "3" }),
      ),
      run(...files("a.txt", "b.txt"), rows("a.txt", "b.txt"), passing(count)),
    ),
  ).toBe(
    "answer_changed: GET /api/files answered with 3 items for “files” instead of 2 items, with “~lock”, which that had not",
  );
});

describe("a value of another kind", () => {
  const flows = (name: unknown) => json("/flows", [{ id: "n1", name, wires: [] }]);
  const thrown = {
    kind: "console.error",
    source: "page",
    text: "TypeError: e.split is not a function",
    ts: 4_100,
  };
  const step = missing("getByText('order log')");

  test("is told with the error that it made the page throw", () => {
    const failed = run(...flows({ en: "add tax" }), thrown, failing(step));
    const of = '; GET /flows answered “{"en":"add tax"}” for “0.name”, where the last pass had “add tax”';
    const [error] = told(failed, run(...flows("add tax"), passing(step)));
    expect(error).toStartWith("page_error: The page threw TypeError: e.split is not a function");
    expect(error).toEndWith(of);
  });

  test("is no such cause of an error that came before it, nor is another value of the same kind", () => {
    const before = run({ ...thrown, ts: 3_000 }, ...flows({ en: "add tax" }), failing(step));
    expect(first(before, run(...flows("add tax"), passing(step)))).not.toContain("GET /flows");
    const alike = run(...flows("add vat"), thrown, failing(step));
    expect(first(alike, run(...flows("add tax"), passing(step)))).not.toContain("GET /flows");
  });
});

describe("what covers an element", () => {
  const target = "locator('.button')";
  const covered = click(`Click ${target}`, {
    step_id: "check",
    ts: 5_000,
    duration_ms: 2_000,
    error: { message: "locator.click: Timeout 2000ms exceeded." },
    log: [`waiting for ${target}`, '  <rect class="back"></rect> intercepts pointer events'],
  });
  const clicked = click(`Click ${target}`, { step_id: "check", ts: 5_000 });
  const drawing = page(`<svg><g><rect class="back"/><rect class="button"/><text>new order</text></g></svg>`);
  const socket = {
    kind: "network.websocket_frame",
    opcode: 8,
    direction: "received",
    text: "1011 overloaded",
    ts: 4_500,
  };

  test("and covers nothing in passes, where it is as well, comes after what else is new", () => {
    const failed = run(drawing, socket, covered);
    expect(first(failed, run(drawing, clicked))).toStartWith("websocket_closed:");
    expect(first(failed, run(page("<p>Orders</p>"), clicked))).toStartWith("element_covered:");
  });

  test("does so by a rule that was written into a style sheet", () => {
    const styles = (text: string) =>
      exchange("/style.css", { ts: 1_000, resource_type: "stylesheet", media_type: "text/css", body: text });
    const usual = ".button { color: red } .back { color: blue }";
    const now = `${usual}\n.button { pointer-events: none }`;
    expect(first(run(...styles(now), drawing, covered), run(...styles(usual), drawing, clicked))).toBe(
      "element_covered: <rect class=\"back\"></rect> covered locator('.button') and took the pointer; the style sheet GET /style.css changed since the last pass: “.button { pointer-events: none }”, which that has not",
    );
    const other = `${usual}\n.back { font-weight: bold }`;
    const failed = run(...styles(other), drawing, covered);
    expect(told(failed, run(...styles(usual), drawing, clicked)).join()).not.toContain(
      "pointer; the style sheet",
    );
  });
});

test("a text in a drawing is on the page", () => {
  const step = missing("getByText('new order')");
  const drawn = (text: string) =>
    page(`<svg><defs><text>none</text></defs><g><text>${text}</text></g></svg>`);
  expect(first(run(drawn("new orders"), failing(step)), run(drawn("new order"), passing(step)))).toBe(
    "element_renamed: getByText('new order') was not found; the page has <text> “new orders” in its place",
  );
});

describe("who is refused after an answer", () => {
  const settings = (status: number, ts: number) => exchange("/settings", { ts, status });
  const usual = run(...settings(401, 1_000), ...settings(200, 2_000), ...settings(200, 4_000), passing());

  test("is let in no more, though the passes are refused before they sign in", () => {
    const failed = run(...settings(401, 1_000), ...settings(200, 2_000), ...settings(401, 4_000), failing());
    expect(first(failed, usual)).toStartWith(
      "request_failed: GET /settings was answered with 401, though it had been answered before",
    );
  });

  test("in the passes as well, is no news", () => {
    const failed = run(...settings(200, 2_000), ...settings(401, 4_000), failing());
    expect(
      told(failed, run(...settings(200, 2_000), ...settings(401, 4_000), passing())).join(),
    ).not.toContain("401");
  });
});

describe("a page's fragment", () => {
  const at = (hash: string) => page("<main>Orders</main>", { url: `${SITE}/app${hash}` });

  test("that leads to another view is a part of its address", () => {
    expect(first(run(at("#/login"), failing()), run(at("#/board"), passing()))).toBe(
      "redirected: The page was at shop.example/app#/login instead of shop.example/app#/board",
    );
  });

  test("that is a place within the page is no other address", () => {
    const suspects = causeOf(run(at("#flow/691eae29"), failing()), run(at("#flow/tab1"), passing())).suspects;
    expect(suspects.filter(({ kind, confidence }) => kind === "redirected" && confidence > 0.45)).toEqual([]);
  });
});

describe("messages that come in one frame", () => {
  const url = `${SITE.replace("http", "ws")}/comms`;
  const socket = (...frames: [number, unknown][]) => [
    {
      kind: "network.request",
      request_id: "ws",
      method: "GET",
      url,
      resource_type: "websocket",
      headers: [],
      ts: 1_000,
    },
    ...frames.map(([ts, messages]) => ({
      kind: "network.websocket_frame",
      request_id: "ws",
      opcode: 1,
      direction: "received",
      text: JSON.stringify(messages),
      ts,
    })),
  ];
  const status = { topic: "status/n1", data: {} };
  const debug = { topic: "debug", data: { msg: "order 42" } };

  test("are messages each: it is no news that they come together, and one that never comes is", () => {
    const usual = run(...socket([2_000, [status]], [5_500, [status, debug]]), passing());
    expect(told(run(...socket([2_000, [status, debug]]), failing()), usual).join()).not.toContain(
      "WebSocket",
    );
    expect(first(run(...socket([2_000, [status, status]]), failing()), usual)).toStartWith(
      "answer_changed: The WebSocket /comms brought no message of topic “debug” before the step gave up",
    );
  });
});

test("of two long statements of a script the place in which they part is told", () => {
  const script = (word: string) =>
    exchange("/app.js", {
      ts: 1_000,
      resource_type: "script",
      media_type: "text/javascript",
      body: `${"a.b(1),".repeat(60)}add("${word}"),${"c.d(2),".repeat(60)}`,
    });
  expect(first(run(...script("deployed"), failing()), run(...script("deploy"), passing()))).toContain(
    `GET /app.js changed since the last pass: “…`,
  );
  expect(first(run(...script("deployed"), failing()), run(...script("deploy"), passing()))).toContain(
    `add("deployed")`,
  );
});

test("a script that is too large to be read is another one all the same", () => {
  const script = (hash: string) =>
    exchange("/app.js", {
      ts: 1_000,
      resource_type: "script",
      media_type: "text/javascript",
      body: `sha256:${hash.repeat(64)}`,
    });
  expect(first(run(...script("a"), failing()), run(...script("b"), passing()))).toContain(
    "The script GET /app.js changed since the last pass",
  );
  expect(told(run(...script("a"), failing()), run(...script("a"), passing())).join()).not.toContain(
    "/app.js",
  );
});

test("what a page asks for again and again and never was so in a pass has not stood still", () => {
  const config = (value: boolean) =>
    [1_000, 2_000, 3_000].flatMap((ts) => json("/config", { dots: value }, { ts }));
  expect(first(run(...config(false), failing()), run(...config(true), passing()))).toBe(
    "answer_changed: GET /config answered “false” for “dots”, 3 times in a row; in the last pass it was “true”",
  );
});

test("a key that is pressed and leads to nothing any more is told as an action that did nothing", () => {
  const step = missing("getByRole('textbox', { name: 'Search' })");
  const html = (dialog: string) => page(`<main><button>New</button><p>docs</p>${dialog}</main>`);
  const pressed = click('Press "Control+f"', { name: "page.keyboardPress", ts: 4_000 });
  const before = page("<main><button>New</button><p>docs</p></main>", {
    ts: 3_990,
    step_id: 'Press "Control+f"',
  });
  const pass = run(before, pressed, html('<section><input aria-label="Search"></section>'), passing(step));
  expect(first(run(before, pressed, html(""), failing(step)), pass)).toStartWith(
    'page_changed: “Press "Control+f"” did nothing: the page stayed as it was and sent no request',
  );
});

test("an answer that lacks what was saved before it is told, though the answer before it was the same", () => {
  const flows = (...types: string[]) => ({ flows: types.map((type) => ({ type })) });
  const step = missing("locator('.node').nth(2)");
  const asked = (...last: string[]) => [
    ...json("/flows?_=1795474199366", flows("inject", "debug"), { ts: 1_000 }),
    ...json("/flows?_=1795474205601", flows(...last), { ts: 4_000 }),
  ];
  const usual = run(...asked("inject", "debug", "catch"), passing(step));
  expect(first(run(...asked("inject", "debug"), failing(step)), usual)).toBe(
    "answer_changed: GET /flows?_=1795474205601 answered with 2 items for “flows” instead of 3 items, without “catch”",
  );
  const once = run(...json("/flows?_=1795474199367", flows("inject", "debug")), failing(step));
  expect(told(once, usual).join()).not.toContain("answer_changed");
});

test("what a form holds back after another input follows from that", () => {
  const filled = (value: string) =>
    click(`Fill "${value}" getByLabel('JSON')`, {
      name: "fill",
      ts: 3_000,
      params: { selector: "#json", value },
    });
  const target = "getByRole('button', { name: 'Import' })";
  const disabled = click(`Click ${target}`, {
    step_id: "check",
    ts: 5_000,
    duration_ms: 2_000,
    error: { message: "locator.click: Timeout 2000ms exceeded." },
    log: [`waiting for ${target}`, "element is not enabled"],
  });
  const usual = run(filled("[]"), click(`Click ${target}`, { step_id: "check", ts: 5_000 }));
  expect(told(run(filled("[{ id }"), disabled), usual, usual).map((one) => one.split(":")[0])).toEqual([
    "test_code",
    "element_disabled",
    "assertion",
  ]);
});

test("a script without a length is told apart by its ETag", () => {
  const script = (value: string) =>
    exchange("/app.js", { ts: 1_000, resource_type: "script", headers: [{ name: "etag", value }] });
  expect(first(run(...script('"b"'), failing()), run(...script('"a"'), passing()))).toBe(
    "answer_changed: The script GET /app.js changed since the last pass: it has another ETag; the page says “Checkout” where the test wants “Thank you”",
  );
});

test("a WebSocket ends with the page that is loaded anew, which is no news", () => {
  const opened = {
    kind: "network.request",
    request_id: "ws",
    url: "ws://shop.example/live",
    resource_type: "websocket",
    ts: 1_000,
  };
  const closed = {
    kind: "network.websocket_frame",
    request_id: "ws",
    opcode: 8,
    direction: "received",
    text: "",
    ts: 4_000,
  };
  const reload = exchange("/", { ts: 3_900, resource_type: "document", media_type: "text/html" });
  expect(
    told(run(opened, closed, ...reload, failing()), run(opened, ...reload, passing())).join(),
  ).not.toContain("WebSocket");
  const left = exchange("/sign-in", { ts: 4_100, resource_type: "document", media_type: "text/html" });
  expect(told(run(opened, closed, ...left, failing()), run(opened, passing())).join()).toContain(
    "websocket_closed:",
  );
  expect(first(run(opened, closed, failing()), run(opened, passing()))).toStartWith("websocket_closed:");
});

test("a name that is to be met to the letter is not met by another case", () => {
  const step = missing("getByRole('link', { name: 'docs', exact: true })");
  const link = (name: string) => page(`<a href="/fs/docs">${name}</a>`);
  expect(first(run(link("Docs"), failing(step)), run(link("docs"), passing(step)))).toBe(
    "element_renamed: getByRole('link', { name: 'docs', exact: true }) was not found; the page has a link “Docs” in its place",
  );
});

test("an assertion that wants another value than in its passes, which the page shows as ever, is the test's own", () => {
  const count = (expected: string) => ({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" locator('li')",
    expected,
  });
  const failed = run(failing({ ...count("4"), received: "3" }));
  expect(first(failed, run(passing(count("3"))))).toBe(
    "test_code: The test itself wants “4” where it wanted “3” in the last pass, which the page shows still",
  );
  expect(told(failed, run(passing(count("5")))).join()).not.toContain("The test itself");
});

test("of a list with fewer items the file is told that is called after what the test looks for", () => {
  const tree = (...paths: string[]) =>
    exchange("/tree", { ts: 1_000, body: JSON.stringify({ tree: paths.map((path) => ({ path })) }) });
  const all = ["pages/hours.yml", "pages/prices.yml", "tours/knots.json", "tours/night-watch.json"];
  const wanted = { title: "Expect \"toBeVisible\" getByRole('row', { name: 'Night watch' })" };
  const failed = run(...tree(all[0]!), failing(wanted));
  expect(told(failed, run(...tree(...all), passing(wanted))).join("\n")).toContain(
    "answered with 1 item for “tree” instead of 4 items, without “tours/night-watch.json”, which the test looks for",
  );
});

test("a request that fails in the passes as well is not told as slow", () => {
  const text = (duration: number, status: number) =>
    exchange("http://cdn.example/en-GB.json", { duration_ms: duration, status }).map((event, at) => ({
      ...event,
      ts: 2_000 + at * duration,
    }));
  const failed = (status: number) =>
    told(run(...text(3_900, status), failing()), run(...text(300, status), passing()));
  expect(failed(404).join()).not.toContain("instead of");
  expect(failed(200).join()).toContain("took 3.9 s instead of 300 ms");
});
