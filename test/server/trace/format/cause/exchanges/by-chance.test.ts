import { expect, test } from "bun:test";
import { causeOf, exchange, failing, page, passing, run, told } from "../run.ts";

const sum = (text: string) => ({
  title: "Expect \"toHaveText\" getByTestId('total')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('total')",
  expected: '"€ 64.75"',
  received: `"${text}"`,
});
const booked = (left: number, shown: string, end: typeof passing) =>
  run(
    ...exchange("/api/slots", { ts: 2_000, body: JSON.stringify({ left }) }),
    page(`<b data-testid="total">${shown}</b>`),
    end(sum(shown)),
  );
const cause = (now: number, before: number, usual: string) =>
  told(booked(now, "€ 37.00", failing), booked(before, usual, passing), booked(before, usual, passing)).join(
    "\n",
  );

test("a number that the page shows by chance is no value of it, where passes show there something else than they were answered", () => {
  expect(cause(37, 40, "€ 64.75")).not.toContain("that is what the page shows");
  const { suspects } = causeOf(booked(37, "€ 37.00", failing), booked(40, "€ 64.75", passing));
  expect(suspects.find(({ title }) => title.includes("/api/slots"))!.confidence).toBeLessThan(0.7);
});

test("it is one where passes show what they were answered", () => {
  expect(cause(37, 40, "€ 40.00")).toContain("GET /api/slots answered “37” for “left”");
  expect(cause(37, 64.75, "€ 64.75")).toStartWith("answer_changed: GET /api/slots answered “37” for “left”");
});
