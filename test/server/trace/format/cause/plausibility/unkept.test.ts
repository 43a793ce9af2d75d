import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../run.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const phone = (number: string, ts: number, type = "document") =>
  exchange("/members/7", {
    ts,
    resource_type: type,
    media_type: "text/html",
    body: `<h1>Ann</h1><p>Phone</p><b data-testid="phone">${number}</b>`,
  });
const sends = exchange("/members/7/phone", {
  ts: 3_000,
  method: "POST",
  status: 303,
  request: { body: "phone=0160+987+6543", headers: FORM },
});
const check = (received: string) => ({
  title: "Expect \"toHaveText\" getByTestId('phone')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('phone')",
  expected: '"0160 987 6543"',
  received: `"${received}"`,
});
const edited = (after: string, end: typeof passing) =>
  run(...phone("0171 555 0100", 2_000), ...sends, ...phone(after, 4_000, "fetch"), end(check(after)));
const usual = edited("0160 987 6543", passing);

test("a served page that has what it had before a form was taken still reads the old value", () => {
  expect(first(edited("0171 555 0100", failing), usual, usual)).toEndWith(
    "POST /members/7/phone had been sent with it and answered with 303: the value read is still the old one",
  );
  expect(first(edited("0199 111 2222", failing), usual, usual)).toEndWith(
    "it was not kept, or another one is read",
  );
});
