import { describe, expect, test } from "bun:test";
import { findCause } from "../../../../../server/trace/format/cause/find-cause.ts";
import { causeOf, causeWithFiles, click, evidenceIn, exchange, failing, passing, run } from "./run.ts";

/** What the test's own files say otherwise than in the last pass. */
const first = ({ suspects: [one] }: ReturnType<typeof causeOf>) => `${one?.kind}: ${one?.title}`;
const at = (file: string, line: number) => [{ file, line, column: 5 }];

const SPEC = "/work/tests/cart.spec.ts";
const spec = (...body: string[]) =>
  [
    'test("pays", async ({ page }) => {',
    ...body.map((line) => `  ${line}`),
    "});",
    'test("other", async () => {',
    "  await other();",
    "});",
  ].join("\n");

describe("the test's own files", () => {
  const before = spec('await page.goto("/cart");', 'await expect(total).toHaveText("1");');
  const stack = { stack: at(SPEC, 3) };
  const opened = click("open", { ts: 4_000, stack: at(SPEC, 2) });
  const pass = run(opened, passing({ expected: '"1"', ...stack }));

  test("are told where a change stands at the place that failed", () => {
    const now = spec('await page.goto("/cart");', 'await expect(total).toHaveText(["2"]);');
    const cause = causeWithFiles(
      [{ file: SPEC, now, before }],
      run(opened, failing({ expected: undefined, received: undefined, ...stack })),
      pass,
    );
    expect(first(cause)).toBe(
      'test_code: The test was changed since the last pass, at tests/cart.spec.ts:3, where it failed: “await expect(total).toHaveText(["2"]);”, where it had “await expect(total).toHaveText("1");”',
    );
  });

  test("are told where a line before the failure is gone, and not where another test changed", () => {
    const handled = spec(
      'await page.goto("/cart");',
      "await context.setOffline(false);",
      'await expect(total).toHaveText("1");',
    );
    const gone = causeWithFiles(
      [{ file: SPEC, now: before, before: handled }],
      run(opened, failing(stack)),
      pass,
    );
    expect(first(gone)).toContain("before it failed: “await context.setOffline(false);” is gone");
    const elsewhere = before.replace("await other();", "await another();");
    const other = causeWithFiles([{ file: SPEC, now: elsewhere, before }], run(opened, failing(stack)), pass);
    expect(JSON.stringify(other)).not.toContain("The test was changed");
  });

  test("are told before what the product no longer sends along since then", () => {
    const cart = { title: "Expect \"toBeVisible\" getByText('api cart')", ...stack };
    const reads = (...headers: object[]) => exchange("/api/cart", { ts: 4_950, request: { headers } });
    const refused = exchange("/api/cart", {
      ts: 4_950,
      status: 401,
      request: { headers: [{ name: "x-app", value: "cart" }] },
    });
    const known = run(opened, ...reads({ name: "authorization", value: "Bearer a1" }), passing(cart));
    const now = spec(
      'await page.clock.setFixedTime(new Date("2031-01-01"));',
      'await page.goto("/cart");',
      'await expect(total).toHaveText("1");',
    );
    const told = (files: Parameters<typeof causeWithFiles>[0], ...before: ReturnType<typeof exchange>) =>
      first(causeWithFiles(files, run(...before, opened, ...refused, failing(cart)), known));
    expect(told([{ file: SPEC, now, before }])).toStartWith("test_code: The test was changed");
    expect(told([])).toContain("was sent without an Authorization header");
  });

  test("are told with what the test itself prepared twice since then", () => {
    const seeded = () =>
      exchange("/dev/seed", {
        ts: 4_050,
        method: "POST",
        resource_type: "api",
        status: 201,
        request: { body: "{}" },
      });
    const now = before.replace("  await expect", "  await seed(2);\n  await expect");
    const cause = causeWithFiles(
      [{ file: SPEC, now, before }],
      run(...seeded(), opened, ...seeded(), failing({ stack: at(SPEC, 4) })),
      run(...seeded(), opened, passing({ stack })),
    );
    expect(first(cause)).toEndWith(
      "“await seed(2);” is new; the test itself sent POST /dev/seed twice, in the last pass once",
    );
  });

  test("are told as moved where the same lines stand elsewhere now", () => {
    const lines = [
      'await page.goto("/cart");',
      "await pick();",
      "await apply();",
      'await expect(total).toHaveText("1");',
    ];
    const swapped = [lines[0]!, lines[2]!, lines[1]!, lines[3]!];
    const end = { stack: at(SPEC, 5) };
    const done = ["pick", "apply"].map((title, nth) =>
      click(title, { ts: 4_100 + nth, stack: at(SPEC, 3 + nth) }),
    );
    const told = (now: string[], then: string[]) =>
      causeWithFiles(
        [{ file: SPEC, now: spec(...now), before: spec(...then) }],
        run(opened, ...done, failing(end)),
        run(opened, ...done, passing(end)),
      ).suspects.flatMap(({ kind, title }) => (kind === "test_code" ? [title] : []));
    const down = told(swapped, lines);
    expect(down).toHaveLength(1);
    expect(down[0]).toEndWith(
      "before it failed: “await pick();” was moved: it comes after “await apply();” now, and came before it",
    );
    expect(told(swapped.slice(0, 3), lines).join()).not.toContain("is new");
    expect(told([lines[0]!, "await other();", lines[2]!, lines[3]!], lines).join()).not.toContain(
      "was moved",
    );
  });

  test("are told with what was refused where a text is set anew for all tests that a step entered", () => {
    const file = (day: string) =>
      [
        `const DAY = ${day};`,
        ...spec('await page.goto("/cart");', "await ask(DAY);", "await seen();").split("\n"),
      ].join("\n");
    const entered = (value: string) =>
      click("Fill", { ts: 4_100, name: "page.fill", params: { value }, stack: at(SPEC, 4) });
    const asked = (status: number) =>
      exchange("/api/rooms", {
        ts: 4_200,
        status,
        body: status === 422 ? '{"message":"It lies in the past."}' : "{}",
      });
    const end = { stack: at(SPEC, 5) };
    const told = (value: string) =>
      causeWithFiles(
        [{ file: SPEC, now: file('"2026-10-12"'), before: file("soon()") }],
        run(opened, entered(value), ...asked(422), failing(end)),
        run(opened, entered("2026-12-21"), ...asked(200), passing(end)),
      );
    expect(first(told("2026-10-12"))).toBe(
      'test_code: The test was changed since the last pass, at tests/cart.spec.ts:1, before it failed: “const DAY = "2026-10-12";”, where it had “const DAY = soon();”; GET /api/rooms was answered with 422: It lies in the past.',
    );
    expect(first(told("2026-12-21"))).toStartWith("request_failed: GET /api/rooms");
  });

  test("are told with the line that is gone, in a hook above other tests too, where the rest changed for it alone", () => {
    const hook = (given: string, ...lines: string[]) =>
      [`test.beforeEach(async ({ ${given} }) => {`, ...lines, "  await signIn(page);", "});"].join("\n");
    const tests = [
      'test("other", async () => {',
      "  await other();",
      "});",
      'test("pays", async () => {',
      "  await pay();",
      "});",
    ].join("\n");
    const now = `${hook("page")}\n${tests}`;
    const then = `${hook("page, request", '  await request.post("/reset");')}\n${tests}`;
    const steps = [
      click("hook", { ts: 3_000, stack: at(SPEC, 1) }),
      click("sign in", { ts: 3_100, stack: at(SPEC, 2) }),
    ];
    const end = { stack: at(SPEC, 8) };
    const cause = causeWithFiles(
      [{ file: SPEC, now, before: then }],
      run(...steps, failing(end)),
      run(...steps, passing(end)),
    );
    expect(first(cause)).toBe(
      'test_code: The test was changed since the last pass, at tests/cart.spec.ts:1, before it failed: “await request.post("/reset");” is gone',
    );
    // Another change beside it is the change.
    const other = causeWithFiles(
      [{ file: SPEC, now: now.replace("signIn(page)", "signIn(page, bo)"), before: then }],
      run(...steps, failing(end)),
      run(...steps, passing(end)),
    );
    expect(first(other)).toContain("where it had");
  });

  test("come before that nothing could be reached, where every pass went offline as well", () => {
    const offline = click("Set offline", {
      ts: 4_200,
      name: "browserContext.setOffline",
      stack: at(SPEC, 2),
    });
    const lost = exchange("/cart/total", {
      ts: 4_900,
      status: null,
      error: "net::ERR_INTERNET_DISCONNECTED",
    });
    const waited = spec('await page.goto("/cart"); await kept();', 'await expect(total).toHaveText("1");');
    const cause = causeWithFiles(
      [{ file: SPEC, now: before, before: waited }],
      run(opened, offline, ...lost, failing(stack)),
      run(opened, offline, passing({ expected: '"1"', ...stack })),
    );
    expect(first(cause)).toStartWith("test_code: The test was changed since the last pass");
    const alone = causeOf(run(opened, offline, ...lost, failing(stack)), pass);
    expect(first(alone)).toStartWith("request_failed: GET /cart/total failed: the browser was offline");
  });

  test("come before what is answered otherwise, with the first request that went another way, unless the product's own code changed too", () => {
    const now = before.replace('"/cart"', '"/cart?as=guest"');
    const went = (total: string, answer: string, script: number) => [
      ...exchange("/app.js", {
        resource_type: "script",
        media_type: "text/javascript",
        ts: 3_900,
        headers: [{ name: "content-length", value: String(script) }],
      }),
      opened,
      ...exchange("/api/guests", {
        method: "POST",
        ts: 4_010,
        request: {
          headers: [{ name: "content-type", value: "application/json" }],
          body: JSON.stringify({ kind: answer }),
        },
      }),
      ...exchange("/api/cart", { ts: 4_020, body: JSON.stringify({ total }) }),
    ];
    const check = { expected: '"1"', received: '"2"', ...stack };
    const told = (script: number) =>
      first(
        causeWithFiles(
          [{ file: SPEC, now, before }],
          run(...went("2", "guest", script), failing(check)),
          run(...went("1", "member", 10), passing({ expected: '"1"', ...stack })),
        ),
      );
    expect(told(10)).toBe(
      'test_code: The test was changed since the last pass, at tests/cart.spec.ts:2, before it failed: “await page.goto("/cart?as=guest");”, where it had “await page.goto("/cart");”; POST /api/guests was sent with the field kind “guest” where the last pass sent “member”',
    );
    expect(told(12)).toStartWith("page_changed: POST /api/guests was sent with");
  });

  test("are told where a page object names what the failed step looks for", () => {
    const file = "/work/pages/cart.ts";
    const object = (name: string) =>
      `class Cart {\n  pay = () => this.page.getByRole("button", { name: "${name}" });\n  async go() {\n    await this.pay().click();\n  }\n}\n`;
    const clicked = (name: string, more: object) =>
      click(`Click getByRole('button', { name: '${name}' })`, {
        ts: 5_000,
        stack: [...at(file, 4), ...at(SPEC, 3)],
        ...more,
      });
    const cause = causeWithFiles(
      [{ file, now: object("Pay now, please"), before: object("Pay") }],
      run(
        opened,
        clicked("Pay now, please", {
          duration_ms: 3_000,
          error: { message: "locator.click: Timeout 3000ms exceeded." },
        }),
      ),
      run(opened, clicked("Pay", {})),
    );
    expect(cause.suspects.map(({ title }) => title).join("\n")).toContain(
      "at pages/cart.ts:2, where it failed",
    );
  });

  test("are told where what the browser is set up with changed for that test, and not for another group", () => {
    const file = (zone: string, other: string) =>
      [
        'test.describe("a", () => {',
        `  test.use({ timezoneId: "${other}" });`,
        "});",
        'test.describe("b", () => {',
        `  test.use({ timezoneId: "${zone}" });`,
        '  test("shows the day", async ({ page }) => {',
        '    await expect(total).toHaveText("1");',
        "  });",
        "});",
      ].join("\n");
    const failed = run(failing({ stack: at(SPEC, 7) }));
    const told = (now: string) =>
      first(causeWithFiles([{ file: SPEC, now, before: file("UTC", "UTC") }], failed, pass));
    expect(told(file("Asia/Tokyo", "UTC"))).toStartWith(
      'test_code: The test was changed since the last pass, at tests/cart.spec.ts:5, in what its browser is set up with: “test.use({ timezoneId: "Asia/Tokyo" });”',
    );
    expect(told(file("UTC", "Asia/Tokyo"))).not.toContain("The test was changed");
  });

  test("are told with a request that a changed route holds back", () => {
    const routed = spec(
      'await page.route("**/api/cart", async (route) => {',
      "  await route.continue();",
      "});",
      'await page.goto("/cart");',
    );
    const now = routed.replace("    await route.continue();\n", "");
    const [asked] = exchange("/api/cart", { ts: 4_100 });
    const begun = click("Route", { ts: 3_000, stack: at(SPEC, 2) });
    const cause = causeWithFiles(
      [{ file: SPEC, now, before: routed }],
      run(begun, asked!, failing({ stack: at(SPEC, 4), expected: undefined, received: undefined })),
      run(begun, ...exchange("/api/cart", { ts: 4_100 }), passing({ stack: at(SPEC, 5) })),
    );
    expect(first(cause)).toMatch(
      /^request_pending: GET \/api\/cart .*the test was changed since the last pass.*“await route.continue\(\);” is gone$/,
    );
  });

  describe("that no longer wait for a call", () => {
    const file = (call: string) =>
      spec(call, 'await page.goto("/cart");', 'await expect(total).toHaveText("1");');
    const put = (took: number) =>
      click("POST /api/cart", { ts: 1_000, duration_ms: took, stack: at(SPEC, 2) });
    const gone = click("Navigate /cart", { ts: 1_010, stack: at(SPEC, 3) });
    const read = (text: string) => exchange("/api/cart", { ts: 1_020, body: `{"total":"${text}"}` });
    const failed = (took: number) =>
      run(put(took), gone, ...read("0"), failing({ expected: '"1"', received: '"0"', stack: at(SPEC, 4) }));
    const usual = run(put(5), gone, ...read("1"), passing({ expected: '"1"', stack: at(SPEC, 4) }));
    const told = (now: string, before: string, took = 900) =>
      first(
        causeWithFiles([{ file: SPEC, now: file(now), before: file(before) }], failed(took), usual, usual),
      );

    test("are told before what the page then shows", () => {
      expect(told("add(1);", "await add(1);")).toBe(
        "test_code: The test was changed since the last pass, at tests/cart.spec.ts:2, before it failed: “add(1);”, where it had “await add(1);”, so that it went on to “Navigate /cart” before “POST /api/cart” was done",
      );
      expect(told("void add(1);", "await add(1);")).toContain("so that it went on to");
      expect(told("const one = add(1);", "const one = await add(1);")).toContain("so that it went on to");
    });

    test("are not where the call was done by then, waits by other words, or is another call", () => {
      expect(told("add(1);", "await add(1);", 5)).not.toContain("went on");
      expect(told("await Promise.all([add(1)]);", "await add(1);")).not.toContain("went on");
      expect(told("add(2);", "await add(1);")).not.toContain("went on");
      expect(told("await add(1);", "add(1);")).not.toContain("went on");
    });
  });

  test("say nothing without a pass, and nothing of comments and blank lines", () => {
    const now = spec('await page.goto("/cart");', "// the total", 'await expect(total).toHaveText("1");');
    const told = causeWithFiles(
      [{ file: SPEC, now, before }],
      run(opened, failing({ stack: at(SPEC, 4) })),
      pass,
    );
    expect(JSON.stringify(told)).not.toContain("The test was changed");
    const alone = causeWithFiles([{ file: SPEC, now: "a", before: "b" }], run(failing(stack)));
    expect(JSON.stringify(alone)).not.toContain("The test was changed");
  });
});

describe("a helper of the test", () => {
  const HELPERS = "/work/tests/support.ts";
  const helpers = (place: string, login: string) =>
    [
      "export function cell(page, day) {",
      `  return page.getByRole("cell").nth(${place});`,
      "}",
      `export async function signIn(page, login = "${login}") {`,
      '  await page.getByLabel("Login").fill(login);',
      "}",
      "export function unused(page) {",
      `  return page.getByText(${place});`,
      "}",
    ].join("\n");
  const before = helpers("day", "mara");
  const code = spec('await cell(page, 1).fill("7");', 'await expect(total).toHaveText("1");');
  const fill = click("Fill 7", { ts: 4_000, stack: at(SPEC, 2) });
  const signedIn = click("Fill login", { ts: 3_000, stack: [...at(HELPERS, 5), ...at(SPEC, 2)] });
  const told = (now: string, ...steps: ReturnType<typeof click>[]) => {
    const evidence = evidenceIn(
      [],
      run(...steps, failing({ stack: at(SPEC, 3) })),
      run(...steps, passing({ stack: at(SPEC, 3) })),
    );
    evidence.testFiles = [{ file: HELPERS, now, before }];
    evidence.run.sources = new Map([
      [SPEC, code],
      [HELPERS, now],
    ]);
    return first(findCause(evidence));
  };

  test("that builds what a step acts on is told where the run called it, and not one that it never called", () => {
    expect(told(helpers("day + 1", "mara"), fill)).toStartWith(
      "test_code: The test was changed since the last pass, at tests/support.ts:2, before it failed: ",
    );
    expect(told(helpers("day + 1", "mara"), click("Open", { ts: 4_000, stack: at(SPEC, 3) }))).not.toContain(
      "support.ts",
    );
  });

  test("is told by what it is given where nobody gives it anything", () => {
    expect(told(helpers("day", "tom"), signedIn)).toStartWith(
      "test_code: The test was changed since the last pass, at tests/support.ts:4, before it failed: ",
    );
  });
});

test("an assertion is told to want something else where the page has what it wanted, in whatever it stands", () => {
  const check = (name: string, expected: string, received: string) => ({
    name,
    title: `Expect "${name}" getByRole('row')`,
    expected,
    received,
  });
  const cause = (now: Record<string, unknown>, usual: Record<string, unknown>) =>
    first(causeOf(run(failing(now)), run(passing(usual))));
  const row = (expected: string) => check("toContainText", expected, '"Certificate €52.74 Pay"');
  expect(cause(row('"€51.45"'), row('"€52.74"'))).toStartWith("test_code: The test itself wants “€51.45”");
  const not = (expected: string) => check("not toHaveText", expected, '"…"');
  expect(cause(not('not "…"'), not('"…"'))).not.toContain("The test itself wants");
});

describe("lines of a changed test that stop the page's clock", () => {
  const before = spec('await page.getByLabel("Find").fill("crab");', "await expect(total).toHaveText();");
  const pause = "await page.clock.pauseAt(noon);";
  const filled = (line: number) => click("Fill crab", { name: "fill", ts: 4_000, stack: at(SPEC, line) });
  const paused = click("Pause clock", {
    ...{ name: "browserContext.clockPauseAt", ts: 3_000 },
    stack: at(SPEC, 2),
  });
  const asked = exchange("/api/dishes?q=crab", { ts: 4_600, body: "[]" });
  const pass = run(filled(2), ...asked, passing({ stack: at(SPEC, 3) }));

  test("are told as one with what came of it", () => {
    const now = before.replace("  await page.getBy", `  ${pause}\n  await page.getBy`);
    const cause = causeWithFiles(
      [{ file: SPEC, now, before }],
      run(paused, filled(3), failing({ stack: at(SPEC, 4) })),
      pass,
    );
    expect(first(cause)).toStartWith("test_code: The test had stopped the page's clock (“Pause clock”)");
    expect(first(cause)).toEndWith(
      `the test was changed since the last pass, at tests/cart.spec.ts:2, before it failed: “${pause}” is new`,
    );
  });

  test("are told alone where the page went on", () => {
    const now = before.replace("  await page.getBy", `  ${pause}\n  await page.getBy`);
    const cause = causeWithFiles(
      [{ file: SPEC, now, before }],
      run(paused, filled(3), ...asked, failing({ stack: at(SPEC, 4) })),
      pass,
    );
    expect(first(cause)).toStartWith("test_code: The test was changed since the last pass");
  });
});
