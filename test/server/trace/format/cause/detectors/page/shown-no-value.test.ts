import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const sum = {
  title: "Expect \"toHaveText\" getByTestId('sum')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('sum')",
  expected: '"€124.45"',
};
const shows = (text: string) => page(`<output data-testid="sum">${text}</output>`);
const usual = run(shows("€124.45"), passing(sum));
const failed = (text: string, ...more: Parameters<typeof run>) =>
  run(...more, shows(text), failing({ ...sum, received: `"${text}"` }));

describe("a page that shows what scripts write where they have no value", () => {
  test("is told to show that in the place of a value", () => {
    expect(first(failed("€NaN"), usual, usual)).toBe(
      "page_changed: getByTestId('sum') shows “€NaN”, which is no number: the script calculates with something that is none, where the last pass has “€124.45”",
    );
    expect(first(failed("[object Object]"), usual)).toContain("a whole object written as a text");
    expect(first(failed("undefined"), usual)).toContain("which is no value at all");
  });

  test("is told after the answer that has another value than in the passes", () => {
    const asked = (price: unknown) =>
      exchange("/api/cart", {
        ts: 4_500,
        body: JSON.stringify({ sum: price }),
        media_type: "application/json",
      });
    const pass = run(...asked(124.45), shows("€124.45"), passing(sum));
    expect(first(failed("€NaN", ...asked("none")), pass, pass)).toStartWith("answer_changed: GET /api/cart");
  });

  test("is another matter where it shows another value or an error's words, or the test reads none elsewhere", () => {
    for (const text of ["€29.40", "Cannot read properties of undefined (reading 'sum')"])
      expect(told(failed(text), usual).join()).not.toContain(", which is no");
    const read = run(shows("€124.45"), failing({ ...sum, received: "undefined" }));
    expect(told(read, usual).join()).not.toContain(", which is no");
  });
});
