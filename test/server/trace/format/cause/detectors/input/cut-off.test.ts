import { describe, expect, test } from "bun:test";
import { click, failing, first, page, passing, run, told } from "../../run.ts";

const note = (value: string) => `<input aria-label="Note" value="${value}">`;
const DIALOG =
  '<div role="dialog" aria-label="Book appointment"><select><option>09:00</option></select></div>';
const TEXT = "Rash on both arms";

const types = (met: string, left: string, name = "page.keyboardType") => [
  click(`Type "${TEXT}"`, { step_id: "typed", name, ts: 3_000, params: { text: TEXT }, duration_ms: 100 }),
  page(met, { ts: 3_001, step_id: "typed", phase: "action" }),
  page(left, { ts: 3_099, step_id: "typed", phase: "after" }),
];
const read = { expected: `"${TEXT}"`, received: '"Rash on "' };
const SAID =
  "page_changed: Of “Rash on both arms”, which the test typed, only “Rash on” arrived: at “b” the dialog “Book appointment” opened and took the focus, as a shortcut of the page or by itself";

describe("a dialog that opened at a letter of what the test typed", () => {
  const opened = types(note(""), note("Rash on ") + DIALOG);

  test("is told with what the field got before, with passes and without", () => {
    expect(first(run(...opened, failing(read)))).toBe(SAID);
    const usual = () =>
      run(...types(note(""), note(TEXT)), page(note(TEXT)), passing({ expected: `"${TEXT}"` }));
    expect(first(run(...opened, failing(read)), usual(), usual())).toBe(SAID);
  });

  test("is told by the page alone where the test reads something else", () => {
    const left = note("Rash on ") + DIALOG;
    expect(first(run(...types(note(""), left, "locator.pressSequentially"), page(left), failing()))).toBe(
      SAID,
    );
  });

  test("took nothing where the text arrived, the dialog stood there before, or none came", () => {
    const isTold = (...given: Parameters<typeof types>) =>
      told(run(...types(...given), page(given[1]), failing()))
        .join()
        .includes("took the focus,");
    expect(isTold(note(""), note(TEXT) + DIALOG)).toBeFalse();
    expect(
      isTold(note(""), `${note("R")}${DIALOG.replace("<select>", `<input value="${TEXT}"><select>`)}`),
    ).toBeFalse();
    expect(isTold(note("") + DIALOG, note("Rash on ") + DIALOG)).toBeFalse();
    expect(isTold(note(""), note("Rash on "))).toBeFalse();
    expect(isTold(note(""), note("") + DIALOG)).toBeFalse();
    expect(isTold(note(""), note("Rash on ") + DIALOG.replace("<div", "<div hidden"))).toBeFalse();
  });

  test("is nothing new where a pass lost the same", () => {
    const usual = run(...opened, passing());
    const cause = told(run(...opened, failing()), usual);
    expect(cause.join()).not.toContain("took the focus,");
  });
});
