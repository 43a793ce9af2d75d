import { describe, expect, test } from "bun:test";
import { failing, page, passing, run, told } from "../../run.ts";

/** What is told of a locator that matched several elements, each page as its markup says it. */
function ambiguous(locator: string, lines: string[], html: string, ...passes: string[]): string | undefined {
  const check = {
    title: `Expect "toBeVisible" ${locator}`,
    message: [
      `expect(locator).toBeVisible() failed\n\nLocator: ${locator}`,
      `Error: strict mode violation: ${locator} resolved to ${lines.length} elements:`,
      ...lines.map((line, at) => `    ${at + 1}) ${line}`),
    ].join("\n"),
    expected: undefined,
    received: undefined,
  };
  const seen = (markup: string, end: typeof passing) => run(page(markup), end(check));
  return told(seen(html, failing), ...passes.map((markup) => seen(markup, passing))).find((one) =>
    one.startsWith("element_ambiguous"),
  );
}

const MATCHED = (locator: string, count: number) =>
  `element_ambiguous: ${locator} matched ${count} elements where the test means one`;

describe("elements that a locator matched, of which it means one", () => {
  const field = "getByLabel('Seat')";
  const both =
    "<label>Seat <select></select></label><label>Seat map <select></select></label><button>Book seat</button>";
  const lines = [
    "<select>…</select> aka getByLabel('Seat', …)",
    "<select>…</select> aka getByLabel('Seat map')",
  ];

  test("are named by what tells them apart, with and without a pass", () => {
    expect(ambiguous(field, lines, both)).toBe(
      `${MATCHED(field, 2)}: a combobox “Seat” and a combobox “Seat map”`,
    );
    const pass = "<label>Seat <select></select></label><button>Book seat</button>";
    expect(ambiguous(field, lines, both, pass, pass)).toBe(
      `${MATCHED(field, 2)}: a combobox “Seat” and a combobox “Seat map”, which stands there in no pass`,
    );
  });

  test("are named as the call log does where the recorded page has not as many", () => {
    const said = [
      "<p class=\"n\">3 seats</p> aka getByTestId('left')",
      "<select>…</select> aka getByLabel('Seat map')",
    ];
    expect(ambiguous(field, said, "<p>3 seats</p>")).toBe(
      `${MATCHED(field, 2)}: “3 seats” getByTestId('left') and getByLabel('Seat map')`,
    );
  });

  test("are told with the part of the page that each stands in where they are called alike", () => {
    const button = "getByRole('button', { name: 'Close' })";
    const html =
      '<nav aria-label="Menu"><button>Close</button></nav><section aria-label="Chat"><button>Close</button></section>';
    expect(ambiguous(button, ["<button>", "<button>"], html)).toBe(
      `${MATCHED(button, 2)}: a button “Close” in a navigation “Menu” and a button “Close” in a region “Chat”`,
    );
  });

  test("are told with what stands in their place in the last pass where they are all the same", () => {
    const locator = "getByRole('region', { name: 'Friday' }).getByRole('button', { name: /Yoga/ })";
    const day = (...names: string[]) =>
      `<section aria-label="Friday">${names.map((name) => `<button>${name}</button>`).join("")}</section>`;
    const html = day("9:00 Yoga", "9:00 Yoga", "9:00 Yoga");
    const log = ["<button>", "<button>", "<button>"];
    const pass = day("9:00 Yoga", "10:00 Pilates", "11:00 Boxing");
    expect(ambiguous(locator, log, html, pass, pass)).toBe(
      `${MATCHED(locator, 3)}: each is a button “9:00 Yoga”, where the last pass has “10:00 Pilates” and “11:00 Boxing” in the place of 2`,
    );
    // Where more stand there than in the pass, none took another's place.
    const fewer = day("9:00 Yoga", "10:00 Pilates");
    expect(ambiguous(locator, log, html, fewer, fewer)).not.toContain("in the place of");
  });
});
