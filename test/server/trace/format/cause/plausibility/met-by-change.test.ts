import { describe, expect, test } from "bun:test";
import { causeWithFiles, click, exchange, failing, page, passing, run } from "../run.ts";

const SPEC = "/work/tests/cart.spec.ts";
const file = (...lines: string[]) =>
  ["test('pays', async ({ page }) => {", ...lines.map((line) => `  ${line}`), "});"].join("\n");
const at = (line: number) => [{ file: SPEC, line, column: 3 }];
const titles = (...given: Parameters<typeof causeWithFiles>) =>
  causeWithFiles(...given).suspects.map(({ title }) => title);

describe("what a changed test met is told before that it was changed", () => {
  test("where its line found several elements", () => {
    const locator = "getByText('Open')";
    const files = [
      {
        file: SPEC,
        now: file(`await expect(page.${locator}).toBeVisible();`),
        before: file("await expect(page.getByTestId('state')).toBeVisible();"),
      },
    ];
    const html = '<p data-testid="count">21 open</p><b data-testid="state">Open</b>';
    const several = failing({
      title: `Expect "toBeVisible" ${locator}`,
      message: `expect(locator).toBeVisible() failed\n\nLocator: ${locator}\nError: strict mode violation: ${locator} resolved to 2 elements:`,
      expected: undefined,
      received: undefined,
      stack: at(2),
    });
    const usual = passing({ title: "Expect \"toBeVisible\" getByTestId('state')", stack: at(2) });
    expect(titles(files, run(page(html), several), run(page(html), usual))[0]).toBe(
      "getByText('Open') matched 2 elements where the test means one: <p> “21 open” (test id “count”) and <b> “Open” (test id “state”); the test was changed since the last pass, at tests/cart.spec.ts:2, where it failed: “await expect(page.getByText('Open')).toBeVisible();”, where it had “await expect(page.getByTestId('state')).toBeVisible();”",
    );
    // A change elsewhere in the test is not why.
    const elsewhere = [
      { file: SPEC, now: file("await open('/b');", "x();"), before: file("await open('/a');", "x();") },
    ];
    expect(
      titles(
        elsewhere,
        run(page(html), { ...several, stack: at(3) }),
        run(page(html), { ...usual, stack: at(3) }),
      ).join(),
    ).not.toContain("; the test was changed");
  });

  test("where its own code threw", () => {
    const upload = (name: string) => `await field.setInputFiles('${name}.log');`;
    const error = { message: "ENOENT: no such file or directory, stat '/work/app-2.log'" };
    const given = (more: object) =>
      click("Set input files", {
        ts: 4_000,
        name: "setInputFiles",
        category: "pw:api",
        stack: at(2),
        ...more,
      });
    const [told] = titles(
      [{ file: SPEC, now: file(upload("app-2")), before: file(upload("app")) }],
      run(given({ ok: false, error })),
      run(given({})),
    );
    expect(told).toStartWith(
      "The test's own code threw ENOENT: no such file or directory, stat '/work/app-2.log' at tests/cart.spec.ts:2; the test was changed since the last pass",
    );
  });

  test("where its route leaves out what the server gives, and not where that has all of it", () => {
    const asked = (body: object, handled?: "fulfilled") =>
      exchange("/api/report", {
        ts: 4_100,
        body: JSON.stringify(body),
        ...(handled && { handled }),
      });
    const route = "await page.route('**/report', (route) => route.fulfill({ json }));";
    const open = click("open", { ts: 4_000, stack: at(2) });
    const stack = { stack: at(4) };
    const given = (body: object) =>
      titles(
        [{ file: SPEC, now: file("open();", route, "check();"), before: file("open();", "check();") }],
        run(open, ...asked(body, "fulfilled"), failing(stack)),
        run(open, ...asked({ rows: [{ name: "Ann", wait: 18.4 }] }), passing(stack)),
      );
    expect(given({ rows: [{ name: "Bo" }] })[0]).toStartWith(
      "The test's own route answered GET /api/report without “rows.wait”, which the server gives in the last pass (“18.4”); the test was changed",
    );
    expect(given({ rows: [{ name: "Bo", wait: 1 }] }).join()).not.toContain("without “rows.wait”");
  });

  test("where a field lost what steps gave it that come in another order now", () => {
    const lines = ["await tab.click();", "await note.fill('Legacy');", "await add.click();"];
    const swapped = [lines[1]!, lines[0]!, lines[2]!];
    const tab = (line: number, ts: number) =>
      click("Click getByRole('tab')", {
        ts,
        name: "page.click",
        stack: at(line),
        page: "one",
        params: { selector: "tab" },
      });
    const fill = (line: number, ts: number) =>
      click("Fill \"Legacy\" getByLabel('Note')", {
        ts,
        name: "page.fill",
        stack: at(line),
        page: "one",
        params: { selector: 'internal:label="Note"i', value: "Legacy" },
      });
    const seen = (value: string, isOff: boolean, ts: number, step_id: string) =>
      page(
        `<label>Note <input __playwright_value_="${value}" value="${value}"></label><button${isOff ? " disabled" : ""}>Add</button>`,
        { ts, step_id, page: "one", phase: "after" },
      );
    const add = (more: object = {}) =>
      click("Click getByRole('button', { name: 'Add' })", {
        ts: 5_000,
        step_id: "add",
        stack: at(4),
        page: "one",
        ...more,
      });
    const failed = run(
      fill(2, 4_000),
      seen("Legacy", false, 4_050, "fill"),
      tab(3, 4_200),
      seen("", true, 4_250, "tab"),
      add({
        ok: false,
        error: {
          message:
            "TimeoutError: locator.click: Timeout 4000ms exceeded.\nCall log:\n  - element is not enabled",
        },
        duration_ms: 4_000,
      }),
      seen("", true, 8_900, "add"),
    );
    const pass = run(
      tab(2, 4_000),
      fill(3, 4_200),
      seen("Legacy", false, 4_250, "fill"),
      add(),
      seen("Legacy", false, 5_040, "add"),
    );
    const [told] = titles([{ file: SPEC, now: file(...swapped), before: file(...lines) }], failed, pass);
    expect(told).toContain("the field “Note” was empty: it lost what");
    expect(told).toContain("; the test was changed, and does these in another order than in the last pass");
    expect(told).toEndWith("was disabled, where the last pass has it enabled");
  });
});
