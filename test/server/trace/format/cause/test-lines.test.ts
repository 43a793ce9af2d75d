import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  depthOf,
  isLeftAlone,
  namedIn,
  statementAt,
} from "../../../../../server/trace/format/cause/test-code/statements.ts";
import {
  causeWithSources,
  click,
  exchange,
  failing,
  page,
  passing,
  run,
  waitedInVain,
  waiting,
} from "./run.ts";

const SPEC = "tests/stock.spec.ts";
const linesOf = (source: string) => source.split("\n");
const at = (line: number, column = 5) => [{ file: SPEC, line, column }];
const first = (...given: Parameters<typeof causeWithSources>) =>
  causeWithSources(...given).suspects.map(({ kind, title }) => `${kind}: ${title}`)[0];

describe("a call of the test's own code that nothing waits for", () => {
  const source = `import { test } from "./base";
test("the stock is counted", async ({ page, request }) => {
  request.post("/api/stock", { data: { set: 7 } });
  await page.goto("/stock");
});
`;
  const post = (more: object = {}) =>
    click("POST /api/stock", {
      name: "apiRequestContext.fetch",
      step_id: "post",
      ts: 1_000,
      duration_ms: 900,
      stack: at(3, 11),
      ...more,
    });
  const open = (more: object = {}) =>
    click("Navigate /stock", { name: "page.goto", step_id: "open", ts: 1_010, stack: at(4, 14), ...more });

  test("is not told of a fixture, which the runner waits for", () => {
    expect(
      first(
        { [SPEC]: source },
        run(post({ category: "fixture", title: 'Fixture "stock"' }), open(), failing()),
      ),
    ).not.toContain("does not wait");
  });

  test("is told where the test went on before it was done", () => {
    expect(first({ [SPEC]: source }, run(post(), open(), failing()))).toBe(
      "test_code: The test does not wait for “POST /api/stock”: there is no await at tests/stock.spec.ts:3, and “Navigate /stock” began 890 ms before it was done",
    );
  });

  test("is told where it need not go well only of an action that the page was opened anew under", () => {
    const taken = source.replace(/request\.post\(.*\)/, "page.click('#off').catch(() => {})");
    const off = (more: object = {}) =>
      post({
        name: "page.click",
        title: "Click #off",
        error: { message: "TimeoutError: page.click: Timeout 4000ms exceeded." },
        ok: false,
        stack: at(3, 8),
        ...more,
      });
    const cause = (...events: Parameters<typeof run>) => first({ [SPEC]: taken }, run(...events, failing()));
    expect(cause(off(), open())).toContain(
      "The test does not wait for “Click #off”: there is no await at tests/stock.spec.ts:3, and “Navigate /stock” began",
    );
    expect(cause(off({ ok: true, error: undefined }), open())).not.toContain("no await");
    expect(cause(off(), open({ name: "page.click", title: "Click Next" }))).not.toContain("no await");
  });

  test("is told beside passes in which it happened to be done in time", () => {
    const inTime = run(post({ duration_ms: 5 }), open(), passing());
    expect(first({ [SPEC]: source }, run(post(), open(), failing()), inTime)).toContain("there is no await");
    const alike = run(post(), open(), passing());
    expect(
      JSON.stringify(causeWithSources({ [SPEC]: source }, run(post(), open(), failing()), alike)),
    ).not.toContain("there is no await");
  });

  test("is less sure where it only sets something up", () => {
    const route = post({ name: "page.route", title: "Route" });
    const [first, set] = [post(), route].map(
      (call) => causeWithSources({ [SPEC]: source }, run(call, open(), failing())).suspects[0]!.confidence,
    );
    expect(set).toBeLessThan(first!);
  });

  test("is none where it was done in time, where something takes its promise, or where no source was kept", () => {
    const told = (text: string, events = run(post(), open(), failing())) =>
      JSON.stringify(causeWithSources(text === "" ? {} : { [SPEC]: text }, events));
    expect(told(source, run(post({ duration_ms: 5 }), open(), failing()))).not.toContain("no await");
    expect(told("")).not.toContain("no await");
    for (const taken of ["await request", "const sent = request", "return request", "void request"])
      expect(told(source.replace("  request", `  ${taken}`))).not.toContain("no await");
  });

  test("is none where a value is expected, which is done as soon as it is said", () => {
    const [value, element] = ["toBeTruthy", "toBeVisible"].map((name) =>
      JSON.stringify(
        causeWithSources(
          { [SPEC]: source.replace(/request\.post\(.*\)/, `expect(stock.ok()).${name}()`) },
          run(post({ title: "the stock is set", stack: at(3, 22) }), open(), failing()),
        ),
      ),
    );
    expect(value).not.toContain("no await");
    expect(element).toContain("no await");
  });

  test("is seen by its text alone: calls within functions and arguments are somebody else's", () => {
    const alone = (text: string, line = 1) => {
      const lines = linesOf(text);
      return isLeftAlone(lines, line, lines[line - 1]!.indexOf("CALL") + 1);
    };
    for (const text of [
      "page.CALL('#a');",
      "  this.request.CALL('/api', {\n    data: 1,\n  });",
      "expect(page.locator('a (b')).CALL();",
      "items.CALL(async (item) => {\n  await page.fill(item);\n});",
    ])
      expect([text, alone(text)]).toEqual([text, true]);
    expect(alone("page\n  .locator('a')\n  .CALL();", 3)).toBe(true);
    for (const text of [
      "await page.CALL('#a');",
      "page.on('dialog', (dialog) => dialog.CALL());",
      "Promise.all([page.CALL()]);",
      "page.CALL('#a').catch(() => {});",
      "isOpen && page.CALL();",
      "first = page.CALL();",
      "if (isOpen) page.CALL();",
    ])
      expect([text, alone(text)]).toEqual([text, false]);
    expect(alone("await Promise.all([\n  page.CALL(),\n]);", 2)).toBe(false);
    expect(alone("await\n  page.CALL();", 2)).toBe(false);
  });
});

describe("a wait for a response", () => {
  const source = `await page.getByLabel("Role").selectOption("editor");
await page.waitForResponse((r) => r.url().includes("/api/members/7") && r.request().method() === "PUT");
`;
  const wait = waitedInVain({ stack: at(2, 12) });
  const put = (more: object = {}) => exchange("/api/members/7", { method: "PUT", ts: 2_950, ...more });
  const pick = click("Select editor", { name: "locator.selectOption", ts: 2_940, step_id: "pick" });
  const told = (...events: object[]) =>
    first({ [SPEC]: source }, run(...(events as Parameters<typeof run>), wait)) ?? "";

  test("that began after it had come is told with what had come", () => {
    expect(told(pick, ...put())).toBe(
      "test_code: The response that the test waits for had come 40 ms before it began to wait: PUT /api/members/7, answered with 200",
    );
  });

  test("came though it ended the wait in every pass, which no later word of the page explains", () => {
    const usual = run(waiting({ duration_ms: 150 }), { ...pick, ts: 3_010 }, ...put({ ts: 3_100 }));
    const failed = run(pick, ...put(), wait, page("<p role=alert>Saved</p>"));
    expect(first({ [SPEC]: source }, failed, usual)).toContain("had come 40 ms before it began to wait");
    expect(JSON.stringify(causeWithSources({ [SPEC]: source }, failed, usual))).not.toContain("never sent");
  });

  test("is another thing where nothing of that address came, it came again, was refused, or came long before", () => {
    for (const other of [
      [pick, ...exchange("/api/members/8", { method: "PUT", ts: 2_950 })],
      [pick, ...exchange("/api/members/7", { ts: 2_950 })],
      [pick, ...put(), ...put({ ts: 3_500 })],
      [pick, ...put({ status: 409 })],
      [{ ...pick, ts: -20_000 }, ...put({ ts: -19_000 })],
    ])
      expect(told(...other)).not.toContain("before it began to wait");
  });

  test("is for what an action brings about: what came before that action, or of one before, is another one", () => {
    const later = click("Save", { name: "locator.click", ts: 3_020, step_id: "save" });
    for (const other of [[...put(), pick, { ...pick, ts: 2_990 }], [pick, ...put(), later], [...put()]])
      expect(told(...other)).not.toContain("before it began to wait");
  });

  test("is known by globs, templates and expressions as by texts", () => {
    const parts = (text: string) => namedIn({ text, line: 1 });
    expect(parts('page.waitForResponse("**/api/cart/*")')).toEqual([["/api/cart/"]]);
    expect(parts("page.waitForResponse(`/api/orders/${id}/lines`)")).toEqual([["/api/orders/", "/lines"]]);
    expect(parts("page.waitForResponse(/\\/api\\/cart\\?page=\\d+$/)")).toEqual([["/api/cart?page="]]);
  });
});

test("any text and any place in it are read without an error", () => {
  const code = fc.stringMatching(/^[\n "'`(){}[\].=>&|?:;,/\\*$a-c]{0,200}$/);
  fc.assert(
    fc.property(
      code,
      fc.integer({ min: -2, max: 60 }),
      fc.integer({ min: 0, max: 80 }),
      (text, line, column) => {
        const lines = linesOf(text);
        const found = statementAt(lines, line);
        expect(typeof isLeftAlone(lines, line, column)).toBe("boolean");
        if (!found) return;
        expect(text).toContain(found.text);
        for (const part of namedIn(found).flat()) expect(part).not.toBe("");
      },
    ),
  );
});

test("lines of a bundle are looked at once and in a straight line", () => {
  const long = `x(${'"a",'.repeat(60_000)}`;
  const source = [long, long, long].join("\n");
  const steps = Array.from({ length: 300 }, (_, at) =>
    click(`Click ${at}`, {
      step_id: `s${at}`,
      ts: 1_000 + at,
      duration_ms: 50,
      stack: [{ file: SPEC, line: 2, column: 2 + (at % 3) }],
    }),
  );
  expect(causeWithSources({ [SPEC]: source }, run(...steps, failing())).suspects.length).toBeGreaterThan(0);
});

test("a text that its line opens and never closes is read as code, whatever is escaped in it", () => {
  expect(depthOf(`await page.click("(", { timeout: 1 }`)).toBe(1);
  // An engine that tries too many ways gives up and finds no text at all, not even the one at the end.
  expect(depthOf(`const quote = /"${"\\\\d".repeat(60)}/.exec(text, '(')`)).toBe(0);
});
