import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, save, told } from "./run.ts";

/** Fields that a form sends once for each of several things. */
const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const post = (body: string, more: object = {}) =>
  exchange("/titles/bulk", {
    method: "POST",
    ts: 3_000,
    resource_type: "document",
    status: 303,
    request: { body, headers: FORM },
    ...more,
  });
const shown = (said: string) =>
  exchange("/titles", {
    ts: 3_200,
    resource_type: "document",
    media_type: "text/html",
    body: `<h1>Titles</h1><p role="status">${said}</p><table><tr><td>Nemo</td></tr></table>`,
  });
const ids = (...all: string[]) => `csrf=x&${all.map((id) => `ids%5B%5D=${id}`).join("&")}&action=move`;

describe("a field that is sent several times", () => {
  const check = { expected: '"2 titles withdrawn"', received: '"4 titles withdrawn"' };
  const usual = run(...post(ids("t1", "t2")), passing(check));
  const rows = (hidden: string) =>
    page(
      `<form>${["t1", "t2", "t3", "t4"].map((id, at) => `<div ${at > 1 ? hidden : ""}><input type="checkbox" name="ids[]" value="${id}" checked></div>`).join("")}<button __playwright_target__="">Save</button></form>`,
      { ts: 2_910, step_id: "save", phase: "action" },
    );
  const cause = (hidden: string) =>
    first(
      run(save({ ts: 2_900 }), rows(hidden), ...post(ids("t1", "t2", "t3", "t4")), failing(check), page("")),
      usual,
      usual,
    );

  test("is compared by how many times it was", () => {
    expect(cause("")).toBe(
      "page_changed: POST /titles/bulk was sent with the field ids[] “4 items” where the last pass sent “2 items”",
    );
  });

  test("is told with those that are ticked where nobody sees them", () => {
    expect(cause("hidden")).toEndWith(
      "where the last pass sent “2 items”: 2 of them are ticked in hidden parts of the page",
    );
  });

  test("is none where the first value only says that a tick box is off", () => {
    const ticked = run(...post("active=0&active=1&action=move"), passing(check));
    const unticked = run(...post("active=0&action=move"), failing(check));
    expect(first(unticked, ticked, ticked)).toContain("the field active “0” where the last pass sent “1”");
  });
});

describe("a page that counts fewer things than were sent", () => {
  const check = { expected: '"North"', received: '"Centre"' };
  const usual = run(...post(ids("t1", "t2")), ...shown("2 titles moved"), passing(check));
  const cause = (sent: string, said: string) =>
    told(run(...post(sent), ...shown(said), failing(check)), usual, usual).join("\n");

  test("is told with the list that was sent as in every pass", () => {
    expect(cause(ids("t1", "t2"), "1 titles moved")).toStartWith(
      "answer_changed: GET /titles came with “1 titles moved”, where the last pass had “2 titles moved”, though POST /titles/bulk was sent with 2 values for the field ids[] as it is there",
    );
  });

  test("is none where another list was sent, or where it counts as many", () => {
    expect(cause(ids("t1"), "1 titles moved")).not.toContain("though");
    expect(cause(ids("t1", "t2"), "2 titles moved")).not.toContain("though");
    expect(cause(ids("t1", "t2"), "12 titles moved")).not.toContain("though");
  });
});
