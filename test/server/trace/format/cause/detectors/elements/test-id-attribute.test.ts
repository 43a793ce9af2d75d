import { describe, expect, test } from "bun:test";
import { causeOf, click, failing, page, passing, run, told } from "../../run.ts";

const check = { title: "Expect \"toHaveText\" getByTestId('total')", name: "toHaveText" };
const message =
  "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('total')\nExpected: \"105\"\nError: element(s) not found";
const missed = (more: object = {}) =>
  failing({ ...check, message, expected: '"105"', received: undefined, ...more });
const shown = (attribute: string) => page(`<main><h1>Stock</h1><strong ${attribute}>105</strong></main>`);
const usual = (attribute: string, more: object = {}) =>
  run({ ...shown(attribute), ts: 5_010 }, passing({ ...check, ...more }));
const BY = { test_id_attribute: "data-test" };

describe("a test id that the page has in another attribute than the test looks for", () => {
  test("is told with both attributes, with a pass that had looked for the page's and without", () => {
    const mine = run(shown(`data-testid="total"`), missed(BY));
    const said = `element_renamed: getByTestId('total') was not found: the test looks for data-test="total", and the page has <strong data-testid="total">`;
    expect(told(mine)[0]).toBe(said);
    expect(told(mine, usual(`data-testid="total"`))[0]).toBe(
      `${said}, for which the last pass looked: the test id attribute in the test's settings is another one`,
    );
  });

  test("is told as the page's own where that had the other one in the pass", () => {
    expect(told(run(shown(`data-qa="total"`), missed()), usual(`data-testid="total"`))[0]).toBe(
      `element_renamed: getByTestId('total') was not found: the test looks for data-testid="total", and the page has <strong data-qa="total">, where it had data-testid in the last pass`,
    );
  });

  test("is known of an action by what was recorded of its selector", () => {
    const press = click("Click getByTestId('total')", {
      ts: 5_000,
      name: "page.click",
      params: { selector: 'internal:testid=[data-test="total"s]' },
      duration_ms: 2_000,
      log: ["waiting for getByTestId('total')"],
      error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
    });
    expect(told(run(shown(`data-testid="total"`), press))[0]).toContain(
      'the test looks for data-test="total"',
    );
  });

  test("is not told where the attribute is the one that the test looks for, or where others go by it in a part of the page", () => {
    const silent = [
      run(shown(`data-test="total"`), missed(BY)),
      run(shown(`data-testid="sum"`), missed(BY)),
      run(
        page(`<main><p data-test="row">1</p><strong data-testid="total">105</strong></main>`),
        missed({
          ...BY,
          message: message.replace("getByTestId('total')", "getByTestId('row').getByTestId('total')"),
        }),
      ),
    ];
    for (const one of silent) expect(told(one).join("\n")).not.toContain("the test looks for data-test=");
  });

  test("is not guessed of a suite that looks for the page's attribute elsewhere", () => {
    const press = click("Click getByTestId('open')", {
      ts: 1_000,
      name: "page.click",
      params: { selector: 'internal:testid=[data-qa="open"s]' },
    });
    expect(told(run(press, shown(`data-qa="total"`), missed())).join("\n")).not.toContain(
      "the test looks for data-testid",
    );
  });
});

test("an element that has the very test id in the end is not told as another one in its place", () => {
  const titles = causeOf(run(shown(`data-testid="total"`), missed())).suspects.map(({ title }) => title);
  expect(titles[0]).toBe(
    "getByTestId('total') was not found, though the page has <strong> “105” (test id “total”) in the end: it came only then, or the test looks for test ids in another attribute",
  );
  expect(titles.join("\n")).not.toContain("in its place");
});
