import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const form = (title: string, limit = "", note = "") =>
  `<form><label>Title <input name="title" ${limit} value="${title}"></label><label>Note <input value="${note}"></label></form>`;

/** “Spring tour” typed key by key, and what was then sent of it. */
const typed = (before: string, after: string, title: string, more: object = {}, text = "Spring tour") => [
  click('Type "Spring tour" Title', { name: "page.type", ts: 2_000, step_id: "type", params: { text } }),
  page(before, { ts: 2_010, step_id: "type", phase: "action" }),
  page(after, { ts: 2_300, step_id: "type", phase: "after" }),
  ...exchange("/api/tours", {
    method: "POST",
    ts: 3_000,
    request: { body: JSON.stringify({ title }) },
    ...more,
  }),
];
const limit = 'maxlength="6"';
const refused = { status: 422, body: '{"message":"No such title"}', media_type: "application/json" };
const usual = run(...typed(form(""), form("Spring tour"), "Spring tour"), passing());
const wide = (text: string) => form(text, 'maxlength="200"');
const usualWide = run(...typed(wide(""), wide("Spring tour"), "Spring tour"), passing());

test("a text of which its field took only a part as it was typed is told with the limit, before what was refused for it", () => {
  const failed = run(...typed(form("", limit), form("Spring", limit), "Spring", refused), failing());
  const said =
    'page_changed: The field “Title” took only “Spring” of what “Type "Spring tour" Title” gave it: it has maxlength="6"';
  expect(first(failed, usual, usual)).toBe(said);
  expect(first(failed, usualWide, usualWide)).toBe(`${said}, where the last pass has maxlength="200"`);
  // Another refusal comes of something else.
  const other = typed(form("", limit), form("Spring", limit), "Autumn", refused);
  expect(first(run(...other, failing()), usual, usual)).toStartWith("request_failed: POST /api/tours");
});

test("a field that is full in passes too, or has room left, or changed beside another one, cuts nothing off", () => {
  const failed = (before: string, after: string) =>
    run(...typed(before, after, "Spring", refused), failing());
  const short = run(...typed(form("", limit), form("Spring", limit), "Spring"), passing());
  for (const silent of [
    told(failed(form("", limit), form("Spring", limit)), usual, short),
    told(failed(form("", 'maxlength="9"'), form("Spring", 'maxlength="9"')), usual, usual),
    told(failed(form("", limit), form("Spring", limit, "tour")), usual, usual),
    told(failed(form("", limit), form("Summer", limit)), usual, usual),
  ])
    expect(silent.join()).not.toContain("took only");
});
