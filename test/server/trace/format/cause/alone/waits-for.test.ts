import { describe, expect, test } from "bun:test";
import { click, page, run } from "../run.ts";
import { fill, first, told } from "./scene.ts";

const held = (target: string) =>
  click(`Click ${target}`, {
    ts: 5_000,
    step_id: "check",
    duration_ms: 2_000,
    log: [`waiting for ${target}`, "  - element is not enabled"],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
    ok: false,
  });
const pay = "getByRole('button', { name: 'Pay' })";
const cause = (html: string, ...events: Parameters<typeof run>) =>
  first(run(...events, held(pay), page(html)));
const form = (inner: string) => `<form>${inner}<button disabled>Pay</button></form>`;

describe("a control that is disabled", () => {
  test("is told with the box that is to be ticked first", () => {
    expect(cause(form("<label><input type=checkbox>I accept the house rules</label>"))).toBe(
      `element_disabled: ${pay} was disabled, while “I accept the house rules” is not ticked`,
    );
    for (const silent of [
      cause(form("<label><input type=checkbox checked>I accept the house rules</label>")),
      cause(form("<label><input type=checkbox>Send me news</label>")),
      cause(`<form><label><input type=checkbox required>Rules</label></form>${form("")}`),
    ])
      expect(silent).not.toContain("is not ticked");
  });

  test("is told with the field that stands empty though it is required, or the test had filled it", () => {
    expect(cause(form("<label>Name <input required></label>"))).toEndWith(
      "was disabled, while “Name”, which is required, stands empty",
    );
    const note = fill("Note", "Call back", 1_000);
    const tab = click("Click getByRole('tab', { name: 'Internal' })", { ts: 2_000, name: "page.click" });
    expect(cause("<label>Note <input value=''></label><button disabled>Pay</button>", note, tab)).toEndWith(
      "was disabled, while “Note” stands empty, which the test had filled with “Call back” before “Click getByRole('tab', { name: 'Internal' })”",
    );
    expect(
      cause("<label>Note <input value='Call back'></label><button disabled>Pay</button>", note, tab),
    ).not.toContain("stands empty");
  });

  test("is told by its whole name, where that says more", () => {
    const slot = "getByRole('radio', { name: '12:00' })";
    const label = "<label><input type=radio disabled>12:00 sold out</label>";
    expect(told(run(held(slot), page(label)))[0]).toEndWith(
      "was disabled; the page calls it “12:00 sold out”",
    );
  });

  test("is not so for the title of the page, which scripts have read out", () => {
    const title = (text: string) => `<h1>Book Loom</h1>${form("")}<div aria-live=assertive>${text}</div>`;
    expect(cause(title("Book Loom · City Museum"))).not.toContain("City Museum");
    expect(cause(title("Book by noon"))).toContain("the page said “Book by noon”");
  });
});
