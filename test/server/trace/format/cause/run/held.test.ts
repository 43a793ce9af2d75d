import { describe, expect, test } from "bun:test";
import {
  failing as asserted,
  causeOf,
  exchange,
  first,
  page,
  run,
  save,
  savedInVain,
  told,
  waitedInVain,
  waiting,
} from "../run.ts";

const ended = waiting({ duration_ms: 150 });
const OUT_OF_TIME = 'Timeout 4000ms exceeded while waiting for event "response"';
/** The runner says which of two errors failed the test: the wait's, which came first. */
const failing = (message: string): ReturnType<typeof save>[] => [
  waitedInVain({ error: { message } }),
  { kind: "console.error", source: "runner", text: message, ts: 3_000 },
];
const failed = failing(OUT_OF_TIME);
const saved = exchange("/api/orders/2", { method: "PUT", ts: 3_120 });
const COVERED = [
  "waiting for getByRole('button', { name: 'Save' })",
  '  <div class="veil">…</div> intercepts pointer events',
  "retrying click action",
  "  waiting 500ms",
];
const inVain = (more: object = {}) => savedInVain({ log: COVERED, ...more });
const usual = run(ended, save(), ...saved);
const veiled = /^element_covered: <div class="veil">…<\/div> covered .*'Save'.* and took the pointer/;

describe("a wait that ran out of time while the action beside it had not got through", () => {
  test("is told by what held the action up, which ended after it, and the failed step stays the wait", () => {
    expect(first(run(...failed, inVain()), usual, usual)).toMatch(veiled);
    expect(first(run(...failed, inVain()))).toMatch(veiled);
    expect(told(run(...failed, inVain()), usual, usual).join()).not.toContain("was never sent");
    expect(causeOf(run(...failed, inVain()), usual).failed_step).toEqual({
      step_id: "wait",
      title: 'Wait for event "response"',
    });
  });

  test("is told so where no event says that the action ended, or the end of the test cut it off, and where the action had begun before it", () => {
    const open = inVain({ error: undefined, is_unfinished: true });
    expect(first(run(...failed, open), usual, usual)).toMatch(veiled);
    for (const message of ["locator.click: Test ended.", "Target page, context or browser has been closed"])
      expect(first(run(...failed, inVain({ error: { message } })), usual, usual)).toMatch(veiled);
    const before = run(inVain({ ts: 2_995 }), ...failed);
    expect(first(before, run(save({ ts: 2_995 }), ended, ...saved))).toMatch(veiled);
  });

  test("is told by the page that the action looked at", () => {
    const elsewhere = inVain({ log: ["waiting for getByRole('button', { name: 'Save' })"] });
    const shown = page("<button>Keep</button>", { ts: 3_020, step_id: "save" });
    const before = page("<button>Save</button>", { ts: 3_015, step_id: "save", phase: "action" });
    const after = page("<h1>Saved</h1>", { ts: 3_140, step_id: "save", phase: "after" });
    const site = exchange("/checkout", { ts: 100, resource_type: "document" });
    expect(
      first(run(...site, ...failed, elsewhere, shown), run(...site, ended, save(), before, ...saved, after)),
    ).toBe(
      "element_renamed: getByRole('button', { name: 'Save' }) was not found; where the last pass has a button “Save”, the page has a button “Keep”",
    );
  });

  test("is no other than the wait where the action went well, had just begun, or the wait did not run out of time", () => {
    expect(first(run(...failed, save()), usual, usual)).toContain("was never sent");
    const late = inVain({ ts: 6_900, duration_ms: 200, error: { message: "Target page has been closed" } });
    expect(first(run(...failed, save(), late), usual, usual)).toContain("was never sent");
    const closed = failing("page.waitForResponse: Target page, context or browser has been closed");
    expect(told(run(...closed, inVain()), usual).join()).not.toContain("covered");
  });

  test("is the wait's own failure where the passes had what it waits for before they came to that action", () => {
    const next = { ts: 3_400, step_id: "next", title: "Click getByText('Next')" };
    const well = run(ended, save(), ...saved, save(next));
    const stuck = inVain({ ...next, duration_ms: 3_700 });
    expect(first(run(...failed, save(), stuck), well, well)).toContain("PUT /api/orders/2");
  });

  test("without a pass is the wait's own where another action went well meanwhile and nothing held the last one up", () => {
    const next = { ts: 3_400, step_id: "next", title: "Click getByText('Next')", duration_ms: 3_700 };
    const sought = inVain({ ...next, log: ["waiting for getByText('Next')"] });
    expect(told(run(...failed, save(), sought)).join()).toContain("The response that the test waits for");
    expect(told(run(...failed, save(), inVain(next))).join()).not.toContain("The response");
  });

  test("is no other than the wait where the action had begun long before it, or does not get through in the passes either", () => {
    const aside = inVain({ ts: 2_000, duration_ms: 5_100, title: "Click getByText('Accept')" });
    expect(first(run(aside, ...failed, save()), usual, usual)).toContain("was never sent");
    const beside = inVain({ title: "Click getByText('Accept')" });
    const pass = run(ended, beside, save(), ...saved);
    expect(first(run(...failed, beside, save()), pass, pass)).toContain("was never sent");
  });
});

test("an assertion that was tried beside an action is told by what held that up", () => {
  const matcher = "expect(locator).toHaveText(expected)";
  const pass = run(asserted({ ts: 3_000, duration_ms: 150, ok: true }), save());
  for (const said of [`${matcher} failed\n\nTimeout: 4000ms`, `Timed out 4000ms waiting for ${matcher}`]) {
    const check = asserted({ ts: 3_000, duration_ms: 4_000, message: said });
    const verdict = { kind: "console.error", source: "runner", text: said, ts: 3_000 };
    expect(first(run(check, verdict, inVain()), pass)).toMatch(veiled);
    expect(first(run(check, verdict, save()), pass)).not.toContain("covered");
  }
});
