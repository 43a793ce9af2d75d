import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const script = (size: number) =>
  exchange("/app.js", {
    ts: 500,
    resource_type: "script",
    headers: [{ name: "content-length", value: String(size) }],
  });
const check = {
  name: "toBeDisabled",
  title: "Expect \"toBeDisabled\" getByRole('radio', { name: '11:00 sold out' })",
  message:
    "expect(locator).toBeDisabled() failed\n\nLocator: getByRole('radio', { name: '11:00 sold out' })\nExpected: disabled\nReceived: enabled",
  expected: "disabled",
  received: "enabled",
};
const shown = (size: number, attribute: string, end: typeof passing, label = "11:00 sold out") =>
  run(...script(size), page(`<label><input type="radio" ${attribute}> ${label}</label>`), end(check));
const usual = shown(900, "disabled", passing);

test("an element that can be used where it cannot in the passes, and says the same, is told with the script that is another one", () => {
  expect(first(shown(901, "", failing), usual, usual)).toBe(
    "page_changed: The radio “11:00 sold out” is enabled, although it says the same as in the last pass, where it is disabled; the script GET /app.js changed since the last pass: it has 901 bytes instead of 900",
  );
});

test("it is not told where the script is the same, or a pass has it so", () => {
  const silent = (...given: Parameters<typeof told>) =>
    expect(told(...given).join()).not.toContain("although");
  silent(shown(900, "", failing), usual, usual);
  silent(shown(901, "", failing), usual, shown(900, "", passing));
  silent(shown(901, "", failing));
});
