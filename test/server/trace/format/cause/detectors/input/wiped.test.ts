import { expect, test } from "bun:test";
import { click, failing, first, page, passing, run, told } from "../../run.ts";

const fill = (label: string, value: string, ts: number) =>
  click(`Fill "${value}" ${label}`, {
    name: "locator.fill",
    ts,
    params: { selector: `getByLabel('${label}')`, value },
  });
const form = (amount: string, to: string) =>
  `<form><label>Amount <input name="amount" value="${amount}"></label><label>To <input name="to" value="${to}"></label><button __playwright_target__="">Send</button></form>`;
const send = (html: string) => [
  click("Click Send", { name: "locator.click", ts: 4_000, step_id: "send" }),
  page(html, { ts: 4_010, step_id: "send", phase: "action" }),
];
const filled = [fill("Amount", "750", 3_000), fill("To", "Ben", 3_200)];

test("a field that was empty when the form was sent, though it had been filled", () => {
  const failed = run(...filled, ...send(form("", "Ben")), failing());
  const usual = run(...filled, ...send(form("750", "Ben")), passing());
  expect(first(failed, usual, usual)).toBe(
    'page_changed: The field “Amount” was empty when “Click Send” came, though “Fill "750" Amount” had filled it; in the last pass it kept that: the page drew it anew or set it back meanwhile',
  );
  expect(first(failed)).toBe(
    'page_changed: The field “Amount” was empty when “Click Send” came, though “Fill "750" Amount” had filled it: the page drew it anew or set it back meanwhile',
  );
});

test("a field that formats what it holds, or was written into again, lost nothing", () => {
  const wiped = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("had filled it");
  const formatted = run(...filled, ...send(form("750.00", "Ben")), failing());
  expect(wiped(formatted)).toBe(false);
  expect(wiped(formatted, run(...filled, ...send(form("750.00", "Ben")), passing()))).toBe(false);
  const again = [
    ...filled,
    click("Clear", { name: "locator.clear", ts: 3_300, params: { selector: "getByLabel('Amount')" } }),
  ];
  expect(wiped(run(...again, ...send(form("", "Ben")), failing()))).toBe(false);
  // What is pressed in between may take a text over.
  const added = [
    ...filled,
    click("Press Enter", { name: "page.keyboard.press", ts: 3_300, params: { key: "Enter" } }),
  ];
  expect(wiped(run(...added, ...send(form("750", "")), failing()))).toBe(false);
  const secret = form("750", "Ben").replace('name="to"', 'type="password"');
  expect(wiped(run(...filled, ...send(secret), failing()))).toBe(false);
});

test("a field that takes no more letters is told with what it took, and with the limit of the passes", () => {
  const field = (value: string, most: number) =>
    form(value, "Ben").replace('name="amount"', `name="amount" maxlength="${most}"`);
  const failed = run(...filled, ...send(field("75", 2)), failing());
  const usual = run(...filled, ...send(field("750", 3)), passing());
  expect(first(failed, usual, usual)).toBe(
    'page_changed: The field “Amount” took only “75” of what “Fill "750" Amount” gave it: it has maxlength="2", where the last pass has maxlength="3"',
  );
});
