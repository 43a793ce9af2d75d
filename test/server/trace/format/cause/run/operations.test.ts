import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../run.ts";

const asked = (ts: number, operationName: string, data: object, url = "/api/data") =>
  exchange(url, {
    ts,
    method: "POST",
    request: { body: JSON.stringify({ operationName, variables: {} }) },
    media_type: "application/json",
    body: JSON.stringify({ data }),
  });

test("operations of one address are told apart by what was asked, whatever the address is called", () => {
  const visit = (open: number) => [
    ...asked(3_000, "Viewer", { viewer: { name: "Ada" } }),
    ...asked(3_100, "Invoices", { invoices: { open } }),
  ];
  // The pass asked in another order.
  const usual = run(
    ...asked(3_000, "Invoices", { invoices: { open: 4 } }),
    ...asked(3_100, "Viewer", { viewer: { name: "Ada" } }),
    passing(),
  );
  expect(first(run(...visit(3), failing()), usual, usual)).toBe(
    "answer_changed: POST /api/data (Invoices) answered “3” for “data.invoices.open”, where the last pass had “4”",
  );
});

test("a form with a field of that name asks for no operation, and a body without anything in it for none", () => {
  const form = (body: string) =>
    exchange("/api/forms", { ts: 3_000, method: "POST", status: 500, request: { body } });
  const told = (body: string) => first(run(...form(body), failing()), run(passing()));
  expect(told('{"operationName":"Renovation"}')).toStartWith("request_failed: POST /api/forms was answered");
  for (const body of ["[]", "[null]", "null", "7"])
    expect(told(body)).toStartWith("request_failed: POST /api/forms was answered");
});

test("what was sent otherwise comes before the question that reads it, asked at an address for all", () => {
  const kept = (minutes: number) => [
    ...exchange("/api/timesheet/cells", {
      ts: 3_000,
      method: "PUT",
      request: { body: JSON.stringify({ minutes }) },
      body: "{}",
    }),
    ...asked(3_500, "Timesheet", { timesheet: { days: [minutes] } }),
  ];
  const usual = run(...kept(450), passing());
  expect(first(run(...kept(420), failing()), usual, usual)).toStartWith(
    "page_changed: PUT /api/timesheet/cells was sent with the field minutes “420” where the last pass sent “450”",
  );
  // A question that says another thing was not answered so for what was sent.
  const beside = (minutes: number, open: number) => [
    ...kept(minutes).slice(0, 2),
    ...asked(3_500, "Invoices", { invoices: { open } }),
  ];
  const both = run(...beside(450, 4), passing());
  expect(first(run(...beside(420, 3), failing()), both, both)).toContain("(Invoices) answered “3”");
});
