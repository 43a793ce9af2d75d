import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const mark = click("Click getByRole('button', { name: 'Mark' })", {
  ts: 4_000,
  step_id: "mark",
  name: "page.click",
});
const count = {
  title: "Expect \"toHaveText\" getByTestId('unread')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('unread')",
  expected: '"2"',
  received: '"1"',
};
const shows = (unread: string, more: Record<string, unknown> = {}) =>
  page(`<main><b data-testid="unread">${unread}</b><button>Mark</button></main>`, more);
const post = (status: number) => exchange("/api/read/7", { ts: 4_050, method: "POST", status });
const whole = (before: string, status: number, after: string, end: ReturnType<typeof passing>) =>
  run(
    shows(before, { ts: 4_000, step_id: "mark", phase: "action" }),
    mark,
    ...post(status),
    shows(after),
    end,
  );
const usual = whole("2", 503, "2", passing(count));
const isTold = (...args: Parameters<typeof told>) =>
  told(...args)
    .join()
    .includes("did not roll back");

describe("what a page shows ahead of an answer that refuses it", () => {
  const failed = whole("2", 503, "1", failing(count));

  test("is told where every pass is refused as well and shows again what was before", () => {
    expect(first(failed, usual, usual)).toBe(
      "page_changed: getByTestId('unread') shows “1” since “Click getByRole('button', { name: 'Mark' })”, and “2” before it: POST /api/read/7 was refused with 503, as in the last pass, and the page did not roll back what it had shown ahead of the answer, as it does there",
    );
  });

  test("is another thing where a pass is not refused, nothing is refused, or it was not shown before", () => {
    expect(isTold(failed, usual, whole("2", 200, "2", passing(count)))).toBeFalse();
    expect(isTold(whole("2", 200, "1", failing(count)), usual)).toBeFalse();
    expect(isTold(whole("1", 503, "1", failing(count)), usual)).toBeFalse();
    expect(isTold(failed)).toBeFalse();
  });

  test("is told of the state of one element among others of its name, which stand elsewhere", () => {
    const target = "getByRole('article', { name: 'Garden' }).getByRole('button', { name: 'Keep' })";
    const state = {
      title: `Expect "toHaveAttribute" ${target}`,
      message: `expect(locator).toHaveAttribute(expected) failed\n\nLocator: ${target}`,
      expected: '"false"',
      received: '"true"',
    };
    const cards = (pressed: boolean, more: Record<string, unknown> = {}) =>
      page(
        `${["Single", "Garden"].map((name) => `<article aria-label="${name}"><button aria-pressed="${name === "Single" || pressed}">Keep</button></article>`).join("")}`,
        more,
      );
    const keeps = (before: boolean, after: boolean, end: typeof passing) =>
      run(
        cards(before, { ts: 4_000, step_id: "mark", phase: "action" }),
        mark,
        ...post(409),
        cards(after),
        end(state),
      );
    const rolled = keeps(false, false, passing);
    expect(first(keeps(false, true, failing), rolled, rolled)).toStartWith(
      `page_changed: ${target} shows “true” since “Click getByRole('button', { name: 'Mark' })”, and “false” before it: POST /api/read/7 was refused with 409`,
    );
    expect(isTold(keeps(true, true, failing), rolled)).toBeFalse();
  });
});
