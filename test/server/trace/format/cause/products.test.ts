import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, passing, run, SITE } from "./run.ts";

/** Rules that came of failures of products that are made elsewhere: an editor of flows, a file manager. */
const told = (...args: Parameters<typeof causeOf>) =>
  causeOf(...args).suspects.map(({ kind, title }) => `${kind}: ${title}`);
const first = (...args: Parameters<typeof causeOf>) => told(...args)[0];
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
  const typed = (text: string) =>
    click(`Type "${text}" locator('.search input')`, {
      name: "locator.pressSequentially",
      ts: 4_000,
      params: { text },
    });

  test("is the cause, before what the page made of it", () => {
    const passes = [run(typed("add tax"), passing()), run(typed("add tax"), passing())];
    expect(first(run(typed("add vat"), failing()), ...passes)).toBe(
      `test_code: The test itself did another thing than in the last pass: “Type "add vat" locator('.search input')” where that did “Type "add tax" locator('.search input')”`,
    );
  });

  test("is not told where each pass types something of its own, or figures alone differ", () => {
    const each = [run(typed("Ada Byron"), passing()), run(typed("Grace Hopper"), passing())];
    expect(told(run(typed("Mary Kenneth"), failing()), ...each).join()).not.toContain("The test itself");
    const numbered = [run(typed("order 7"), passing()), run(typed("order 7"), passing())];
    expect(told(run(typed("order 9"), failing()), ...numbered).join()).not.toContain("The test itself");
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

  test("comes before the error that it made the page throw", () => {
    const failed = run(...flows({ en: "add tax" }), thrown, failing(step));
    expect(told(failed, run(...flows("add tax"), passing(step))).slice(0, 2)).toEqual([
      'answer_changed: GET /flows answered “{"en":"add tax"}” for “0.name”, where the last pass had “add tax”',
      expect.stringContaining("page_error: The page threw TypeError: e.split is not a function"),
    ]);
  });

  test("is no such cause of an error that came before it, nor is another value of the same kind", () => {
    const before = run({ ...thrown, ts: 3_000 }, ...flows({ en: "add tax" }), failing(step));
    expect(first(before, run(...flows("add tax"), passing(step)))).toStartWith("page_error:");
    const alike = run(...flows("add vat"), thrown, failing(step));
    expect(first(alike, run(...flows("add tax"), passing(step)))).toStartWith("page_error:");
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
      "answer_changed: The style sheet GET /style.css changed since the last pass: “.button { pointer-events: none }”, which that has not",
    );
    const other = `${usual}\n.back { font-weight: bold }`;
    expect(
      first(run(...styles(other), drawing, covered), run(...styles(usual), drawing, clicked)),
    ).toStartWith("element_covered:");
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

describe("an action that had no effect", () => {
  const target = "getByRole('textbox', { name: 'New folder' })";
  const step = missing(target);
  const html = (dialog: string) => `<main><button>New</button><p>docs</p>${dialog}</main>`;
  const acted = click("Click New", { ts: 4_000 });
  const before = page(html(""), { ts: 3_990, step_id: "Click New", phase: "before" });
  const dialog = '<section><input aria-label="New folder"></section>';
  const script = (size: number) =>
    exchange("/app.js", {
      ts: 1_000,
      resource_type: "script",
      headers: [{ name: "content-length", value: String(size) }],
    });
  const pass = (size = 700) =>
    run(...exchange("/"), ...script(size), before, acted, page(html(dialog)), passing(step));
  const told =
    "“Click New” had no effect: the page stayed as it was before; in the last pass it came to show";

  test("explains an element that is missing", () => {
    const failed = run(...exchange("/"), ...script(700), before, acted, page(html("")), failing(step));
    expect(first(failed, pass())).toStartWith(`element_missing: ${told} a textbox “New folder”`);
  });

  test("is not told where the page shows something else", () => {
    const other = page(html("<section>No more folders</section>"));
    const failed = run(...exchange("/"), before, acted, other, failing(step));
    expect(
      causeOf(failed, pass())
        .suspects.map(({ title }) => title)
        .join(),
    ).not.toContain("had no effect");
  });

  test("comes of the one script that is another one", () => {
    const failed = run(...exchange("/"), ...script(790), before, acted, page(html("")), failing(step));
    expect(
      causeOf(failed, pass())
        .suspects.slice(0, 2)
        .map(({ title }) => title),
    ).toEqual([
      "The script GET /app.js changed since the last pass: it has 790 bytes instead of 700",
      expect.stringContaining(told),
    ]);
  });
});

test("a script without a length is told apart by its ETag", () => {
  const script = (value: string) =>
    exchange("/app.js", { ts: 1_000, resource_type: "script", headers: [{ name: "etag", value }] });
  expect(first(run(...script('"b"'), failing()), run(...script('"a"'), passing()))).toBe(
    "answer_changed: The script GET /app.js changed since the last pass: it has another ETag",
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
  const reload = exchange("/", { ts: 4_100, resource_type: "document", media_type: "text/html" });
  expect(
    told(run(opened, closed, ...reload, failing()), run(opened, ...reload, passing())).join(),
  ).not.toContain("WebSocket");
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
