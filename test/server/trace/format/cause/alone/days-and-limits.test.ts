import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { first, json, missed } from "./scene.ts";

test("days of a list that an answer says are no other clock", () => {
  const days = failing({
    expected: '["28 Feb 2027", "31 Mar 2027", "30 Apr 2027"]',
    received: '["03 Mar 2027", "31 Mar 2027", "01 May 2027"]',
  });
  const cause = (body: object) => first(run(...json("/api/invoices/7", body), days));
  expect(cause({ nextDates: ["2027-03-03", "2027-03-31", "2027-05-01"] })).toContain(
    "answer_changed: GET /api/invoices/7 answered “2027-03-03” for “nextDates.0” and “2027-05-01” for “nextDates.2”: the page shows these days",
  );
  expect(cause({ nextDates: ["2027-02-28", "2027-03-31", "2027-04-30"] })).not.toContain("these days");
  expect(cause({ from: "2027-03-03", to: "2027-05-01" })).not.toContain("these days");
});

test("a field that took a part for its maxlength is told with the write that was refused", () => {
  const html = (value: string) =>
    page(`<label>Account <input maxlength="5" __playwright_value_="${value}"></label>`);
  const enter = (name: string, given: object) =>
    click("Fill Account", { name, ts: 3_000, params: { selector: 'internal:label="Account"i', ...given } });
  const fill = enter("page.fill", { value: "1234567" });
  const type = enter("page.type", { text: "1234567" });
  const press = click("Click Pay", { ts: 4_000 });
  const cause = (value: string, status = 422, entered = fill) =>
    first(
      run(
        entered,
        press,
        ...exchange("/pay", { ts: 4_010, status, method: "POST" }),
        missed("getByText('Paid')"),
        html(value),
      ),
    );
  for (const entered of [fill, type])
    expect(cause("12345", 422, entered)).toContain(
      'The field “Account” took only “12345” of “1234567”, which the test gave it: it has maxlength="5"',
    );
  for (const silent of [cause("99999"), cause("1234"), cause("12345", 201)])
    expect(silent).not.toContain("took only");
});
