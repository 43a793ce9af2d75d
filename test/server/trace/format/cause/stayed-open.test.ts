import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, savedInVain, told } from "./run.ts";

const confirm = click("Click getByRole('dialog').getByRole('button', { name: 'Confirm' })", {
  ts: 3_000,
  step_id: "confirm",
});
const hidden = {
  name: "toBeHidden",
  title: "Expect \"toBeHidden\" getByRole('dialog')",
  message: "expect(locator).toBeHidden() failed\n\nLocator: getByRole('dialog')",
  expected: "hidden",
  received: "visible",
};
const dialog = (more = "", mark = "") =>
  `<div role="dialog" aria-label="Confirm booking">${more}<button${mark}>Confirm</button></div>`;
const list = "<main><h1>Sessions</h1></main>";
const met = (box = dialog("", " __playwright_target__")) =>
  page(`${list}${box}`, { ts: 3_000, step_id: "confirm", phase: "action" });
const booked = (status = 201) => exchange("/api/bookings", { ts: 3_050, method: "POST", status });
const usual = run(met(), confirm, ...booked(), page(list), passing(hidden));

describe("a dialog that stays open", () => {
  test("is told by its name, with the write that went well, where every pass closed it", () => {
    const failed = run(met(), confirm, ...booked(), page(list + dialog()), failing(hidden));
    expect(first(failed, usual, usual)).toBe(
      "page_changed: The dialog “Confirm booking” stayed open after “Click getByRole('dialog').getByRole('button', { name: 'Confirm' })”, where it closed in the last pass, though POST /api/bookings was answered with 201",
    );
  });

  test("is told with what the answer to that write says otherwise", () => {
    const answered = (said: object) =>
      exchange("/api/bookings", { ts: 3_050, method: "POST", body: JSON.stringify(said) });
    const failed = run(
      met(),
      confirm,
      ...answered({ success: true }),
      page(list + dialog()),
      failing(hidden),
    );
    const pass = run(met(), confirm, ...answered({ ok: "Booked" }), page(list), passing(hidden));
    expect(first(failed, pass, pass)).toEndWith(
      "though POST /api/bookings was answered with 200; POST /api/bookings answered “true” for “success”, where the last pass had nothing",
    );
  });

  test("is told with what it covers", () => {
    const covered = savedInVain({
      ts: 5_000,
      step_id: "check",
      log: ['<div class="shade">…</div> intercepts pointer events'],
    });
    const saves = savedInVain({ ts: 5_000, step_id: "check", error: undefined, duration_ms: 20 });
    const failed = run(met(), confirm, ...booked(), page(list + dialog()), covered);
    const pass = run(met(), confirm, ...booked(), page(list, { phase: "action" }), saves);
    expect(first(failed, pass, pass)).toContain(
      "was answered with 201; <div class=\"shade\">…</div> covered getByRole('button', { name: 'Save' })",
    );
  });

  test("may be a drawer that has no role, of which the heading is the name", () => {
    const drawer = (mark = "") =>
      `<aside class="filter-drawer"><div class="drawer-body"><h2>Filters</h2><button${mark}>Confirm</button></div></aside>`;
    const before = met(drawer(" __playwright_target__"));
    const failed = run(before, confirm, page(list + drawer()), failing(hidden));
    const pass = run(before, confirm, page(list), passing(hidden));
    expect(first(failed, pass)).toStartWith("page_changed: The drawer “Filters” stayed open after");
  });

  test("is not the cause where a pass has it as well, or the write was refused, never answered, or never sent", () => {
    const stays = (...between: ReturnType<typeof exchange>) =>
      run(met(), confirm, ...between, page(list + dialog()), failing(hidden));
    const open = run(met(), confirm, ...booked(), page(list + dialog()), passing(hidden));
    for (const [failed, pass] of [
      [stays(...booked()), open],
      [stays(...booked(409)), usual],
      [stays(booked()[0]!), usual],
      [stays(), usual],
    ] as const)
      expect(told(failed, usual, pass).join()).not.toContain("stayed open");
  });

  test("has a reason of its own where it objects to what was entered, or was not yet there", () => {
    const objects = dialog('<p role="alert">Pick a seat</p>');
    for (const failed of [
      run(met(), confirm, ...booked(), page(list + objects), failing(hidden)),
      run(
        met("<button __playwright_target__>Confirm</button>"),
        confirm,
        page(list + dialog()),
        failing(hidden),
      ),
    ])
      expect(told(failed, usual).join()).not.toContain("stayed open");
  });
});
