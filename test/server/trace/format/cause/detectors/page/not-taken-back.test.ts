import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

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

describe("likewise", () => {
  const field = (value: string, more: Record<string, unknown> = {}) =>
    page(`<label for="g">Points</label><input id="g" value="${value}">`, more);
  const fill = click("Fill \"25\" getByLabel('Points')", { ts: 3_900, step_id: "fill", name: "fill" });
  const enter = click("Press \"Enter\" getByLabel('Points')", { ts: 4_000, step_id: "enter", name: "press" });
  const points = {
    title: "Expect \"toHaveValue\" getByLabel('Points')",
    message: "expect(locator).toHaveValue(expected) failed\n\nLocator: getByLabel('Points')",
    expected: '"11"',
    received: '"25"',
  };
  const graded = (body: object, after: string, end: typeof passing) =>
    run(
      field("11", { ts: 3_900, step_id: "fill", phase: "action" }),
      fill,
      field("25", { ts: 4_000, step_id: "enter", phase: "action" }),
      enter,
      ...exchange("/graphql", { ts: 4_050, method: "POST", body: JSON.stringify(body) }),
      field(after),
      end(points),
    );
  const refusal = { data: null, errors: [{ message: "Points must be between 0 and 20" }] };

  test("a value is told that was typed before it was sent, and refused within an answer of success", () => {
    const usual = graded(refusal, "11", passing);
    expect(first(graded(refusal, "25", failing), usual, usual)).toBe(
      "page_changed: getByLabel('Points') shows “25” since “Fill \"25\" getByLabel('Points')”, and “11” before it: POST /graphql was refused, as in the last pass, and the page did not roll back what it had shown ahead of the answer, as it does there",
    );
    const taken = { data: { points: 25 } };
    expect(isTold(graded(taken, "25", failing), graded(taken, "11", passing))).toBeFalse();
  });

  test("what the answer that refused it says is told where the page does not take it over", () => {
    const refused = (after: string, end: typeof passing, holder: string) =>
      run(
        field("", { ts: 3_900, step_id: "fill", phase: "action" }),
        fill,
        ...exchange("/api/grade", {
          ts: 4_050,
          method: "PUT",
          status: 409,
          body: JSON.stringify({ error: "conflict", grade: { points: holder } }),
        }),
        field(after),
        end(points),
      );
    const usual = refused("11", passing, "11");
    expect(first(refused("25", failing, "11"), usual, usual)).toBe(
      "page_changed: getByLabel('Points') shows “25” since “Fill \"25\" getByLabel('Points')”: PUT /api/grade was refused with 409, as in the last pass, and the page did not take over what the answer says of it (“11” for “grade.points”), as it does there",
    );
    const silent = told(refused("25", failing, "12"), usual, usual).join();
    expect(silent).not.toContain("take over");
  });

  test("a list is told that has more than it had", () => {
    const seats = {
      title: "Expect \"toHaveText\" getByRole('listitem')",
      message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('listitem')",
      expected: '[ "C-1" ]',
      received: '[ "C-1", "C-2" ]',
    };
    const picked = (names: string[], more: Record<string, unknown> = {}) =>
      page(`<ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`, more);
    const held = (before: string[], after: string[], end: typeof passing) =>
      run(
        picked(before, { ts: 4_000, step_id: "mark", phase: "action" }),
        mark,
        ...post(409),
        picked(after),
        end(seats),
      );
    const usual = held(["C-1"], ["C-1"], passing);
    expect(first(held(["C-1"], ["C-1", "C-2"], failing), usual, usual)).toStartWith(
      "page_changed: getByRole('listitem') shows “[ \"C-1\", \"C-2\" ]” since “Click getByRole('button', { name: 'Mark' })”, and “[ \"C-1\" ]” before it: POST /api/read/7 was refused with 409",
    );
    expect(isTold(held(["C-2"], ["C-1", "C-2"], failing), usual)).toBeFalse();
  });

  test("an element is told that is gone since, where every pass has it again", () => {
    const cards = (names: string[], more: Record<string, unknown> = {}) =>
      page(names.map((name) => `<article aria-label="${name}"></article>`).join(""), more);
    const card = {
      title: "Expect \"toBeVisible\" getByRole('article', { name: 'Licence' })",
      name: "toBeVisible",
      message:
        "expect(locator).toBeVisible() failed\n\nLocator: getByRole('article', { name: 'Licence' })\nExpected: visible\nError: element(s) not found",
      expected: undefined,
      received: undefined,
    };
    const moved = (after: string[], end: typeof passing, status = 422) =>
      run(
        cards(["Licence", "Rent"], { ts: 4_000, step_id: "mark", phase: "action" }),
        mark,
        ...post(status),
        cards(after),
        end(card),
      );
    const usual = moved(["Rent", "Licence"], passing);
    expect(first(moved(["Rent"], failing), usual, usual)).toStartWith(
      "page_changed: getByRole('article', { name: 'Licence' }) is gone since “Click getByRole('button', { name: 'Mark' })”, before which it was there: POST /api/read/7 was refused with 422",
    );
    expect(isTold(moved(["Rent"], failing, 200), usual)).toBeFalse();
    expect(isTold(moved(["Rent", "Licence"], failing), usual)).toBeFalse();
  });
});

test("what was typed into a form that came back as a page is no page's to take back", () => {
  const value = {
    title: "Expect \"toHaveValue\" getByLabel('Purpose')",
    name: "toHaveValue",
    message: "expect(locator).toHaveValue(expected) failed\n\nLocator: getByLabel('Purpose')",
    expected: '"Fair"',
    received: '""',
  };
  const form = (purpose: string, more: Record<string, unknown> = {}) =>
    page(`<label>Purpose <input value="${purpose}"></label><button>Mark</button>`, more);
  const sent = (after: string, end: ReturnType<typeof passing>) =>
    run(
      form("Fair", { ts: 4_000, step_id: "mark", phase: "action" }),
      mark,
      ...exchange("/claims", { ts: 4_050, method: "POST", status: 422, media_type: "text/html" }),
      form(after),
      end,
    );
  expect(isTold(sent("", failing(value)), sent("Fair", passing(value)))).toBeFalse();
});
