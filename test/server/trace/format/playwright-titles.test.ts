import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { describeSelector } from "../../../../server/trace/format/playwright/locator.ts";
import { createSpool } from "../../../../server/trace/format/playwright/spool.ts";
import { before, lines, options, read } from "./playwright-harness.ts";

describe("selectors", () => {
  test.each([
    ["#pay", "#pay"],
    ['internal:testid=[data-testid="add-kettle"s]', "getByTestId('add-kettle')"],
    ['internal:role=button[name="Pay now"i]', "getByRole('button', { name: 'Pay now' })"],
    ['internal:role=button[name="Pay"s]', "getByRole('button', { name: 'Pay', exact: true })"],
    ["internal:role=heading[level=1]", "getByRole('heading', { level: 1 })"],
    ["internal:role=link", "getByRole('link')"],
    ['internal:label="Card number"i', "getByLabel('Card number')"],
    ['internal:text="It\'s here"s', "getByText('It\\'s here', { exact: true })"],
    ["internal:text=/order \\d+/i", "getByText(/order \\d+/i)"],
    ['internal:attr=[placeholder="Search"i]', "getByPlaceholder('Search')"],
    ["li >> nth=0", "locator('li').first()"],
    ["li >> nth=-1", "locator('li').last()"],
    ["li >> nth=4", "locator('li').nth(4)"],
    ['#count >> internal:has-text="1"i', "locator('#count').filter({ hasText: '1' })"],
    [
      'iframe[title="Card details"] >> internal:control=enter-frame >> internal:label="Card number"i',
      "locator('iframe[title=\"Card details\"]').contentFrame().getByLabel('Card number')",
    ],
    ['aria-ref=e5 >> internal:describe="Order now"', "locator('aria-ref=e5').describe('Order now')"],
    ['[title="a >> b"] >> nth=1', "locator('[title=\"a >> b\"]').nth(1)"],
  ])("%s reads as %s", (selector, locator) => {
    expect(describeSelector(selector)).toBe(locator);
  });

  test("any text gives a text, quickly", () => {
    const piece = fc.constantFrom(
      "internal:role=",
      "[",
      "]",
      '"',
      "\\",
      " >> ",
      "name=",
      "a",
      "/",
      "i",
      "nth=",
      "(",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        expect(typeof describeSelector(pieces.join(""))).toBe("string");
      }),
    );
  });
});

test("calls that carry no title, or one that says too little, get one from what they did", async () => {
  const calls: [Record<string, unknown>, string, string][] = [
    [{ method: "goto", params: { url: "/cart" } }, "page.goto", "Go to /cart"],
    [{ method: "fill", params: { selector: "#email", value: "" } }, "page.fill", 'Fill #email with ""'],
    [{ method: "press", params: { selector: "#q", key: "Enter" } }, "page.press", 'Press "Enter" on #q'],
    [{ method: "evaluateExpression", params: {} }, "page.evaluate", "Evaluate"],
    [{ class: "BrowserContext", method: "newPage", params: {} }, "browserContext.newPage", "Open a page"],
    [
      { class: "Page", method: "ariaSnapshot", params: {} },
      "page.ariaSnapshot",
      "Read the accessibility tree",
    ],
    [
      { method: "ariaSnapshot", params: { selector: "#cart" } },
      "page.ariaSnapshot",
      "Read the accessibility tree of #cart",
    ],
    [{ class: "Page", method: "consoleMessages", params: {} }, "page.consoleMessages", "Read the console"],
    [{ class: "Page", method: "doNew", params: {} }, "page.doNew", "page.doNew"],
    [{ method: "fill", params: {} }, "page.fill", "page.fill"],
    [{ apiName: "locator.click", title: "locator.click" }, "locator.click", "Click #pay"],
    [
      { method: "dragAndDrop", title: "Drag and drop", params: { source: "#card", target: "#done" } },
      "page.dragAndDrop",
      "Drag #card to #done",
    ],
  ];
  const { events } = await read({
    "trace.trace": lines(options, ...calls.map(([call], index) => before(`c@${index}`, 1100 + index, call))),
  });
  expect(events.map(({ name, title }) => [name, title])).toEqual(
    calls.map(([, name, title]) => [name, title]),
  );
});

test.each([
  ["document.readyState", "Evaluate document.readyState"],
  ["() => document.title", "Evaluate document.title"],
  ["() => {\n  scrollTo(0, 9);\n}", "Evaluate scrollTo(0, 9);"],
  ["n => n + 1", "Evaluate n => n + 1"],
])("a script is told by its short text: %j", async (expression, title) => {
  const given = { class: "Frame", method: "evaluateExpression", title: "Evaluate", params: { expression } };
  const { events } = await read({ "trace.trace": lines(options, before("c@1", 1100, given)) });
  expect(events.map((event) => event.title)).toContain(title);
});

test("a parameter that a call was not given is left out of Playwright's title, and stays in a title of the test's own", async () => {
  const titleOf = async (title: string, method: string) => {
    const call = before("c@1", 1100, { class: "Test", method, title, params: {} });
    const { events } = await read({ "trace.trace": lines(options, call) });
    return events.map((event) => String(event.title)).find((one) => one.startsWith("Install"));
  };
  const title = 'Install clock "{timeNumber|timeString}"';
  expect(await titleOf(title, "pw:api")).toBe("Install clock");
  expect(await titleOf('Install clock "2027"', "pw:api")).toBe('Install clock "2027"');
  expect(await titleOf(title, "test.step")).toBe(title);
});

test("the spool gives back every event, in any order, of any size", () => {
  const spool = createSpool();
  const sizes = Array.from({ length: 3000 }, (_, index) => (index % 500 === 7 ? 300_000 : index % 97));
  sizes.forEach((size, index) => {
    spool.add(index % 3, index / 2, index % 2 === 0, { index, text: "é".repeat(size) });
  });
  expect(spool.length).toBe(sizes.length);
  for (let step = 0; step < sizes.length; step++) {
    const index = (step * 1237) % sizes.length;
    const event = spool.event(index) as { index: number; text: string };
    expect(event.index).toBe(index);
    expect(event.text.length).toBe(sizes[index]!);
    expect(spool.head(index)).toEqual({ context: index % 3, time: index / 2, isWall: index % 2 === 0 });
  }
});
