import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const COVER = 'internal:label="Cover"i';
const check = click("Check getByLabel('Cover')", {
  ts: 1_000,
  step_id: "check",
  name: "page.check",
  params: { selector: COVER },
});
const next = click("Click getByRole('button', { name: 'Continue' })", { ts: 2_000, step_id: "next" });
const back = click("Click getByRole('button', { name: 'Back' })", { ts: 3_000, step_id: "back" });
const box = (checked: boolean, more = "") =>
  `<label><input type="checkbox" name="cover"${checked ? " checked" : ""}> Cover</label>${more}`;
const met = (html: string) => page(html, { ts: 3_005, step_id: "back", phase: "action" });
const left = (html: string) => page(html, { ts: 6_990, step_id: "is checked", phase: "after" });
const asserted = {
  step_id: "is checked",
  name: "toBeChecked",
  title: "Expect \"toBeChecked\" getByLabel('Cover')",
  message:
    "expect(locator).toBeChecked() failed\n\nLocator: getByLabel('Cover')\nExpected: checked\nReceived: unchecked",
  expected: "checked",
  received: "unchecked",
};
const lost = failing(asserted);
const kept = passing(asserted);
const elsewhere = "<p>Your address</p>";
const usual = run(check, next, back, met(elsewhere), kept, left(box(true)));
const words =
  "page_changed: After “Click getByRole('button', { name: 'Back' })” the field “Cover” came back unchecked: it lost what “Check getByLabel('Cover')” had given it";

describe("a field without what an action had given it", () => {
  test("is told with the last action, where it had it when that came, or was not on the page then", () => {
    expect(first(run(check, next, back, met(elsewhere), lost, left(box(false))), usual, usual)).toBe(
      `${words}, which it kept in the last pass`,
    );
    expect(first(run(check, next, back, met(box(true)), lost, left(box(false))), usual)).toContain(
      "the field “Cover” was unchecked: it lost",
    );
    expect(first(run(check, next, back, met(elsewhere), lost, left(box(false))))).toBe(words);
  });

  test("is told of a text and of a picked option too, and with the other fields of which that holds", () => {
    const fill = click("Fill \"Ada\" getByLabel('Name')", {
      ts: 1_100,
      step_id: "fill",
      name: "page.fill",
      params: { selector: 'internal:label="Name"i', value: "Ada" },
    });
    const pick = click("Select getByLabel('Level')", {
      ts: 1_200,
      step_id: "pick",
      name: "page.selectOption",
      params: { selector: 'internal:label="Level"i', options: [{ valueOrLabel: "Beginner" }] },
    });
    const form = (name: string, isPicked: boolean) =>
      `<label>Name <input value="${name}"></label><label>Level <select><option${isPicked ? "" : " selected"}>All</option><option value="b"${isPicked ? " selected" : ""}>Beginner</option></select></label>`;
    const pass = run(check, fill, pick, next, back, met(elsewhere), kept, left(box(true, form("Ada", true))));
    const all = run(check, fill, pick, next, back, met(elsewhere), lost, left(box(false, form("", false))));
    expect(first(all, pass)).toEndWith("which it kept in the last pass; so did “Level”, “Name”");
    const one = run(check, fill, pick, next, back, met(elsewhere), lost, left(box(false, form("Ada", true))));
    expect(first(one, pass)).toEndWith("which it kept in the last pass");
  });

  test("is not told where the passes have it so too, the test took it back, or it was lost before", () => {
    const mine = (...steps: ReturnType<typeof click>[]) => run(...steps, lost, left(box(false)));
    const emptied = run(check, next, back, met(elsewhere), kept, left(box(false)));
    expect(told(mine(check, next, back, met(elsewhere)), emptied).join()).not.toContain("it lost what");
    const again = click("Click getByLabel('Cover')", {
      ts: 1_500,
      step_id: "again",
      name: "page.click",
      params: { selector: COVER },
    });
    expect(told(mine(check, again, back, met(elsewhere)), usual).join()).not.toContain("it lost what");
    expect(told(mine(check, next, back, met(box(false))), usual).join()).not.toContain("it lost what");
    const opened = click("Reload", { ts: 2_500, step_id: "reload", name: "page.reload" });
    expect(told(mine(check, opened, back, met(elsewhere)), usual).join()).not.toContain("it lost what");
  });

  test("without a pass is told only where the test expects of that very field what it gave", () => {
    const other = failing({
      ...asserted,
      title: "Expect \"toBeVisible\" getByText('Sent')",
      message: "expect(locator).toBeVisible() failed\n\nLocator: getByText('Sent')",
      expected: "visible",
      received: "hidden",
    });
    const emptied = failing({ ...asserted, expected: "indeterminate" });
    for (const one of [other, emptied])
      expect(told(run(check, next, back, met(elsewhere), one, left(box(false)))).join()).not.toContain(
        "it lost what",
      );
  });

  test("comes after a write of that action that was never sent, and is told where that was sent", () => {
    const opened = exchange("/checkout", { ts: 500, resource_type: "document" });
    const put = exchange("/api/draft", { ts: 3_020, method: "PUT" });
    const mine = (...sent: typeof put) =>
      run(...opened, check, next, back, met(elsewhere), ...sent, lost, left(box(false)));
    const pass = run(...opened, check, next, back, met(elsewhere), ...put, kept, left(box(true)));
    expect(first(mine(), pass)).toStartWith("request_unsent: PUT /api/draft was never sent");
    expect(first(mine(...put), pass)).toStartWith(words);
  });

  test("comes after a write of that action that failed, and is told with the script that changed", () => {
    const refused = exchange("/api/draft", { ts: 3_020, method: "PUT", status: 500 });
    expect(
      first(run(check, next, back, met(elsewhere), ...refused, lost, left(box(false))), usual),
    ).toContain("PUT /api/draft was answered with 500");
    const script = (size: number) =>
      exchange("/wizard.js", {
        ts: 100,
        resource_type: "script",
        headers: [{ name: "content-length", value: String(size) }],
      });
    const pass = run(...script(900), check, next, back, met(elsewhere), kept, left(box(true)));
    expect(
      first(run(...script(910), check, next, back, met(elsewhere), lost, left(box(false))), pass),
    ).toContain("; the script GET /wizard.js changed since the last pass");
  });
});
