import { expect, test } from "bun:test";
import { causeOf, click, failing, page, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

/** What a page says or shows that is but what came of something else. */
const SAVE = click("Click Save", { ts: 4_000 });
const thrown = (ts: number) => ({
  kind: "console.error",
  source: "page",
  text: "TypeError: Cannot read properties of null (reading 'name')",
  ts,
});
const alert = (text: string) => page(`<h1>Report</h1><p role="alert">${text}</p>`);

test("a page that only says that it broke down is told by what it threw", () => {
  const broken = alert("This page has crashed. Please reload.");
  expect(first(run(SAVE, thrown(4_200), broken, failing()))).toStartWith(
    "page_error: The page threw TypeError",
  );
  expect(first(run(thrown(2_000), SAVE, broken, failing()))).toStartWith("page_message: The page said");
  const sureOf = (text: string) =>
    causeOf(run(SAVE, thrown(4_200), alert(text), failing())).suspects.find(
      ({ kind }) => kind === "page_message",
    )!.confidence;
  expect(sureOf("This page has crashed. Please reload.")).toBeLessThan(sureOf("The report is missing"));
});

test("a count that says another number now was not taken away", () => {
  const wanted = failing({
    name: "toBeVisible",
    title: "Expect \"toBeVisible\" getByText('12 reports')",
    message: "expect(locator).toBeVisible() failed\n\nError: element(s) not found",
    expected: "visible",
    received: null,
    params: { selector: 'internal:text="12 reports"i' },
  });
  const cause = (before: string, after: string) =>
    told(run(page(before, { ts: 4_000, step_id: "before" }), wanted, page(after, { ts: 6_900 }))).join();
  expect(cause("<p>12 reports</p>", "<p>13 reports</p>")).not.toContain("took");
  expect(cause("<p>12 reports</p>", "<p>No reports</p>")).toContain("The page took <p> “12 reports” away");
  expect(cause("<p>12 reports</p>", "<b>13 reports</b>")).toContain("The page took");
});

test("a date that an answer says, and that no zone comes to, was not made by a clock", () => {
  const leave = (from: string) => json("/api/leave", { requests: [{ id: "l1", from }] }, { ts: 4_800 });
  const shown = (expected: string, received: string) =>
    failing({ title: "Expect \"toContainText\" getByTestId('leave')", expected, received });
  expect(
    first(run(...leave("2027-01-11"), shown('"21 Dec 2026"', '"Annual leave 11 Jan 2027"'))),
  ).toStartWith("answer_changed: GET /api/leave answered “2027-01-11”");
  expect(first(run(shown('"21 Dec 2026"', '"Annual leave 20 Dec 2026"')))).toStartWith("time: Another day");
});

test("a state that no look at the page told is no value that the page lacks", () => {
  const looked = (expected: string) =>
    told(
      run(
        ...json("/api/orders/7", { number: 7 }, { ts: 4_500 }),
        failing({ title: "Expect \"toBeVisible\" getByText('Thank you')", expected, received: "undefined" }),
      ),
    ).join();
  expect(looked("visible")).not.toContain("The page had no value");
  expect(looked('"Order 7"')).toContain("The page had no value");
});
