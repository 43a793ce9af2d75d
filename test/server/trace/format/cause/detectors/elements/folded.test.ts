import { describe, expect, test } from "bun:test";
import { exchange, first, page, run, save, savedInVain, told } from "../../run.ts";

describe("an element that stands in a closed <details>", () => {
  const menu = (attributes = "") =>
    `<details${attributes}><summary>More</summary><button>Save</button></details>`;
  const at = (html: string) => page(html, { ts: 3_015, step_id: "save", phase: "action" });
  const sought = savedInVain({ log: ["waiting for getByRole('button', { name: 'Save' })"] });
  const closed = run(sought, at(menu()));
  const words = "the step could not see it: it is hidden in the closed <details> “More”";

  test("is told with it, and with the one answer that says something else than in the passes", () => {
    const open = run(save(), at("<button>Save</button>"));
    expect(first(closed, open, open)).toEndWith(`${words}, and in the last pass in none`);
    expect(first(closed, run(save(), at(menu(" open"))))).toEndWith(
      `${words}, which is open in the last pass`,
    );
    expect(first(closed)).toEndWith(words);
    const flags = (isOn: boolean) =>
      exchange("/api/flags", {
        ts: 100,
        body: JSON.stringify({ menu: isOn }),
      });
    const withFlag = (isOn: boolean, ...rest: ReturnType<typeof save>[]) =>
      run(...flags(isOn), ...flags(isOn), ...rest);
    const off = withFlag(false, save(), at("<button>Save</button>"));
    expect(first(withFlag(true, sought, at(menu())), off, off)).toMatch(
      /in the last pass in none; GET \/api\/flags answered “true” for “menu”/,
    );
  });

  test("is told so by its label too, which finds what is not visible", () => {
    const log = [
      "waiting for getByLabel('Note')",
      '  locator resolved to <input name="note"/>',
      "  element is not visible",
      "retrying fill action",
    ];
    const fill = savedInVain({ title: "Fill getByLabel('Note')", log });
    const form = at('<details><summary>More</summary><label>Note <input name="note"></label></details>');
    expect(first(run(fill, form))).toContain(
      "in the page but not visible: it is hidden in the closed <details> “More”",
    );
  });

  test("is not told of what is open, of the summary itself, or where another is meant", () => {
    const log = [
      "waiting for getByLabel('Note')",
      "  locator resolved to <input/>",
      "  element is not visible",
    ];
    const two = at(`<details><label>Note <input></label></details><label>Note <input></label>`);
    expect(told(run(savedInVain({ log }), two)).join()).not.toContain("<details>");
    for (const html of [menu(" open"), "<details><summary><button>Save</button></summary></details>"])
      expect(told(run(sought, at(html))).join()).not.toContain("<details>");
  });
});
