import { expect, test } from "bun:test";
import { document } from "./alone/scene.ts";
import { click, first, page, run, save, savedInVain, told } from "./run.ts";

/** A served page without what the step looks for, and what it has there. */
const IN_VAIN = savedInVain({ ts: 5_000, log: ["waiting for getByRole('button', { name: 'Save' })"] });
const desk = (form: string) => `<main><h1>Desk</h1>${form}</main><p>Open until six</p>`;
const opened = (html: string, step: ReturnType<typeof click>, ...before: ReturnType<typeof click>[]) =>
  run(...document("/desk", html), ...before, step, page(html, { step_id: "save", ts: 8_000 }));
const FORM = `<form><label>Note <input></label><button>Save</button></form>`;
const usual = opened(desk(FORM), save({ ts: 5_000 }));

test("what a served page says in the place of what the step looks for is told with it", () => {
  expect(first(opened(desk("<p>The desk takes no notes today</p>"), IN_VAIN), usual, usual)).toContain(
    "GET /desk came without “Save”, which it has in the last pass",
  );
  const bare = opened(desk("<button>Save</button>"), save({ ts: 5_000 }));
  expect(first(opened(desk("<p>The desk takes no notes today</p>"), IN_VAIN), bare, bare)).toBe(
    "answer_changed: GET /desk came with “The desk takes no notes today”, where the last pass had “Save”",
  );
  const more = desk("<button>Save</button><button>Print</button>");
  const both = opened(more, save({ ts: 5_000 }));
  expect(first(opened(desk("<p>The desk takes no notes today</p>"), IN_VAIN), both, both)).toBe(
    "answer_changed: GET /desk came with “The desk takes no notes today”, where the last pass had “Save”",
  );
});

test("a text elsewhere on the page, and one that passes have as well, is not in its place", () => {
  const both = opened(desk("<button>Save</button>"), save({ ts: 5_000 }));
  const elsewhere = `${desk("")}<p>We moved</p>`;
  expect(told(opened(elsewhere, IN_VAIN), both, both).join("\n")).toContain(
    "GET /desk came without “Save”, which it has in the last pass",
  );
  expect(told(opened(desk(""), IN_VAIN), both, both).join("\n")).not.toContain("came with “Open");
});

test("an action on a page that was served without what the step looks for did not fail to bring it", () => {
  const tick = click("Check getByLabel('Urgent')", {
    name: "page.check",
    ts: 4_000,
    params: { selector: "getByLabel('Urgent')" },
  });
  const box = `<label><input type="checkbox">Urgent</label>`;
  const seen = (html: string) => page(html, { ts: 3_900, phase: "action", step_id: tick.step_id });
  const failed = run(
    ...document("/desk", desk(box)),
    seen(desk(box)),
    tick,
    IN_VAIN,
    page(desk(box), { step_id: "save", ts: 8_000 }),
  );
  const whole = desk(`${box}<button>Save</button>`);
  const pass = run(
    ...document("/desk", whole),
    tick,
    save({ ts: 5_000 }),
    page(whole, { step_id: "save", ts: 5_000 }),
  );
  expect(first(failed, pass, pass)).toBe(
    "answer_changed: GET /desk came without “Save”, which it has in the last pass",
  );
});
