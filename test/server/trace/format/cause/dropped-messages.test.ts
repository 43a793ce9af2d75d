import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, run, SITE, told } from "./run.ts";

const missing = failing({
  title: "Expect \"toBeVisible\" getByTestId('card')",
  name: "toBeVisible",
  message:
    "expect(locator).toBeVisible() failed\n\nLocator: getByTestId('card')\nError: element(s) not found",
  expected: "visible",
  received: undefined,
  log: ["waiting for getByTestId('card')"],
});
const document = exchange("/pay", { ts: 100, resource_type: "document" });
const use = click("Click getByRole('button', { name: 'Use this card' })", { ts: 4_000 });
const PAY = "https://pay.example";
const MISMATCH = `Failed to execute 'postMessage' on 'DOMWindow': The target origin provided ('${PAY}') does not match the recipient window's origin ('${SITE}').`;
const says = (text: string, ts: number, level = "warning") => ({
  kind: `console.${level}`,
  source: "console",
  text,
  ts,
});
const shown = page("<h1>Pay</h1>");
const usual = run(...document, use, { ...missing, ok: true }, page('<p data-testid="card">Card</p>'));
const dropped = `browser_policy: The browser dropped a message between frames (postMessage): it was for the origin “${PAY}”, and the window that it went to is at “${SITE}”`;

test("a message between frames that the browser dropped is told first where nothing stronger stands", () => {
  const failed = run(...document, use, says(MISMATCH, 4_050), missing, shown);
  expect(first(failed, usual, usual)).toBe(dropped);
  expect(first(failed)).toBe(dropped);
  expect(told(failed, usual).join()).not.toContain("The page logged");
  const refused = run(
    ...document,
    use,
    ...exchange("/api/card", { ts: 4_100, method: "POST", status: 500 }),
    says(MISMATCH, 4_050),
    missing,
    shown,
  );
  expect(first(refused, usual)).toContain("POST /api/card was answered with 500");
});

test("it is told in the words of every browser", () => {
  const words = [
    `Failed to execute ‘postMessage’ on ‘DOMWindow’: The target origin provided (‘${PAY}’) does not match the recipient window’s origin (‘${SITE}’).`,
    `Unable to post message to ${PAY}. Recipient has origin ${SITE}.`,
  ];
  for (const text of words)
    expect(first(run(...document, use, says(text, 4_050, "error"), missing, shown), usual)).toBe(dropped);
});

test("it is no cause where passes have it too, and hardly one that came too early for a frame that is there", () => {
  const line = says(MISMATCH, 4_050);
  const failed = run(...document, use, line, missing, shown);
  const same = run(...document, use, line, { ...missing, ok: true });
  expect(told(failed, same).join()).not.toContain("dropped a message");
  const player = exchange(`${PAY}/embed`, { ts: 3_900, resource_type: "document" });
  expect(first(run(...document, ...player, use, line, missing, shown))).toContain("was nowhere on the page");
  const long = run(...document, says(MISMATCH, 200), use, missing, shown);
  expect(first(long)).toContain("was nowhere on the page");
});
