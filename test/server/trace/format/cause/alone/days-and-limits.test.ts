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

test("a control that is held back is told with the field of its form that took a part of what it was given", () => {
  const note = click("Fill \"DN-204417-NW\" getByLabel('Note')", {
    name: "page.fill",
    ts: 3_000,
    params: { selector: 'internal:label="Note"i', value: "DN-204417-NW" },
  });
  const held = missed("getByRole('button', { name: 'Post' })", {
    name: "page.click",
    log: ["waiting for getByRole('button', { name: 'Post' })", "element is not enabled"],
    params: { selector: 'internal:role=button[name="Post"i]' },
  });
  const field = (limit: number, value: string) =>
    `<label>Note <input maxlength="${limit}" __playwright_value_="${value}"></label>`;
  const button = "<button disabled>Post</button>";
  const cause = (html: string) => first(run(note, held, page(html)));
  expect(cause(`<form>${field(10, "DN-204417-")}${button}</form>`)).toBe(
    "element_disabled: getByRole('button', { name: 'Post' }) was disabled, with every field of its form filled; the field “Note” took only “DN-204417-” of “DN-204417-NW”, which the test gave it: it has maxlength=\"10\"",
  );
  for (const html of [
    `<form>${field(20, "DN-204417-NW")}${button}</form>`,
    // Another form waits for something else.
    `<form>${field(10, "DN-204417-")}</form><form>${button}</form>`,
  ])
    expect(cause(html)).not.toContain("took only");
});
