import { describe, expect, test } from "bun:test";
import { click, failing, first, page, passing, run, told } from "../../run.ts";

const remove = click("Click getByRole('button', { name: 'Remove line 2' })", {
  ts: 3_000,
  step_id: "remove",
});
const sum = { title: "Expect \"toHaveText\" getByTestId('sum')", expected: '"124"', received: '"29"' };
const line = (text: string, at: number, mark = "") =>
  `<div role="group" aria-label="Line ${at}"><input value="${text}"><button aria-label="Remove line ${at}"${mark}>x</button></div>`;
const lines = (...texts: string[]) => texts.map((text, at) => line(text, at + 1)).join("");
const MARK = " __playwright_target__";
const met = (mark = [line("Support", 1), line("By mistake", 2, MARK), line("Cable", 3)].join("")) =>
  page(mark, { ts: 3_000, step_id: "remove", phase: "action" });
const usual = run(met(), remove, page(lines("Support", "Cable")), passing(sum));

describe("an action in one row of a list", () => {
  test("that took another one away is told with both, what fields hold too", () => {
    expect(first(run(met(), remove, page(lines("By mistake", "Cable")), failing(sum)), usual, usual)).toBe(
      "page_changed: “Click getByRole('button', { name: 'Remove line 2' })” took “Support” off the page and left “By mistake”, the row that it stands in and that it took off in the last pass",
    );
  });

  test("did as in the passes where the same row is gone, or nothing is", () => {
    for (const left of [["Support", "Cable"], ["Support", "By mistake", "Cable"], ["Cable"]])
      expect(told(run(met(), remove, page(lines(...left)), failing(sum)), usual).join()).not.toContain(
        "off the page",
      );
  });

  test("is not known to have meant its own where it stands in no row, or in that of the one that is gone", () => {
    const rows = (first: string, second: string) => line("Support", 1, first) + line("By mistake", 2, second);
    for (const before of [
      met(`${rows("", "")}${line("Cable", 3)}<p><button${MARK}>Tidy up</button></p>`),
      met(rows(MARK, "") + line("Cable", 3)),
    ]) {
      const failed = run(before, remove, page(lines("By mistake", "Cable")), failing(sum));
      expect(told(failed, usual).join()).not.toContain("off the page");
    }
  });
});
