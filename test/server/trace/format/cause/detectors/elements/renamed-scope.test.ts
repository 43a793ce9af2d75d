import { describe, expect, test } from "bun:test";
import { exchange, failing, page, passing, run, told } from "../../run.ts";

const LOCATOR = "getByRole('dialog', { name: 'Add member' }).getByLabel('Member')";
const check = {
  title: `Expect "toBeVisible" ${LOCATOR}`,
  message: `expect(locator).toBeVisible() failed\n\nLocator: ${LOCATOR}\nError: element(s) not found`,
  expected: undefined,
  received: undefined,
};
const FIELD = "<label>Member <select></select></label>";
const dialog = (name: string, within = FIELD) =>
  `<div class="dialog-back"><div role="dialog" aria-label="${name}">${within}</div></div>`;
/** What is told first of a page, by those of passes. */
const first = (html: string, ...passes: string[]): string | undefined =>
  told(run(page(html), failing(check)), ...passes.map((before) => run(page(before), passing(check))))[0];

describe("what a locator looks for its element within", () => {
  const words =
    "element_renamed: There is no dialog “Add member”, in which the step looks for a combobox “Member”: the page has a dialog “Join team” in its place, with that in it";

  test("is told to go by another name, with and without a pass", () => {
    expect(first(dialog("Join team"))).toBe(words);
    expect(first(dialog("Join team"), dialog("Add member"), dialog("Add member"))).toBe(words);
  });

  test("is told so whatever the page was answered besides", () => {
    const refused = exchange("/api/status", { ts: 4_950, status: 502 });
    const answered = exchange("/api/status", { ts: 4_950 });
    expect(
      told(
        run(...refused, page(dialog("Join team")), failing(check)),
        run(...answered, page(dialog("Add member")), passing(check)),
      )[0],
    ).toBe(words);
  });

  test("is not where nothing of it has what is looked for, several have, or a pass has it as well", () => {
    const isTold = (...given: Parameters<typeof first>) =>
      first(...given)?.includes("There is no dialog") ?? false;
    expect(isTold(dialog("Join team", "<p>Nothing yet</p>"))).toBe(false);
    expect(isTold(`${dialog("Join team")}${dialog("Leave team")}`)).toBe(false);
    expect(isTold(dialog("Join team"), `${dialog("Add member")}${dialog("Join team")}`)).toBe(false);
    expect(isTold(`${FIELD}<div role="dialog"><h2>Add member</h2></div>`)).toBe(false);
  });
});
