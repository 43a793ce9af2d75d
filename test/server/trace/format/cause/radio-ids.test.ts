import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];

test("radio buttons of one id: the label leads to the first of them, which was ticked already", () => {
  const radios = (ids: readonly string[], found = "") =>
    `<form>${["post", "desk", "locker"]
      .map(
        (value, at) =>
          `<p><input type="radio" ${value === "desk" ? found : ""} name="way" id="${ids[at]}" value="${value}"><label for="${ids[at]}">By ${value}</label></p>`,
      )
      .join("")}</form>`;
  const title = "Check getByLabel('By desk')";
  const ticked = (html: string, phase: string, way: string, end = failing(), more: object = {}) => {
    const params = { selector: 'internal:label="By desk"i' };
    const action = click(title, { name: "page.check", ts: 4_000, step_id: title, params, ...more });
    return run(
      action,
      page(html.replace(" found", ' __playwright_target__=""'), { ts: 4_010, step_id: title, phase }),
      ...exchange("/delivery", {
        ...{ method: "POST", ts: 4_200, resource_type: "document" },
        request: { body: `way=${way}`, headers: FORM },
      }),
      end,
    );
  };
  const usual = ticked(radios(["w-0", "w-1", "w-2"], "found"), "action", "desk", passing());
  const one = ["w-0", "w-0", "w-0"];
  expect(first(ticked(radios(one), "after", "post"), usual, usual)).toBe(
    `page_changed: “${title}” went to another field than the one beside the label “By desk”: the id “w-0” stands 3 times on the page, and the label leads to the first of them, whose value is “post” in the place of “desk”; POST /delivery was sent with the field way “post” where the last pass sent “desk”`,
  );
  expect(first(ticked(radios(one), "after", "post"))).toContain("the id “w-0” stands 3 times");
  // Of ids of their own each label leads to its own, and what had nothing to do was ticked before.
  expect(told(ticked(radios(["w-0", "w-1", "w-2"]), "after", "desk")).join()).not.toContain("stands");
  // The picture of an action that failed shows no element for another reason.
  expect(
    told(
      ticked(radios(one), "after", "post", failing(), { error: { message: "Timeout" }, ok: false }),
    ).join(),
  ).not.toContain("stands 3 times");
});
