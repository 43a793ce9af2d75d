import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, passing, run, savedInVain, told } from "../../run.ts";

const DEPLOY = "Click locator('#deploy')";
const before = page('<main><button id="deploy">Deploy</button></main>', {
  ts: 4_000,
  step_id: DEPLOY,
  phase: "before",
});
const after = (box: string) => page(`<main><button id="deploy">Deploy</button></main>${box}`);
const deploy = click(DEPLOY, { name: "page.click", ts: 4_000 });
const saved = failing({
  title: "Expect \"toBeVisible\" locator('.note').filter({ hasText: 'Saved' })",
  params: { selector: '.note >> internal:has-text="Saved"i' },
  message: "expect(locator).toBeVisible() failed\nLocator: locator('.note').filter({ hasText: 'Saved' })",
  expected: "visible",
  received: "<element(s) not found>",
});
const QUESTION =
  '<div class="note"><p>Some nodes are not set up.</p><p>Are you sure?</p><button>Cancel</button><button>Go on</button></div>';

test("what the page asked in a box after the last action comes first, without what can be pressed in it", () => {
  const empty = exchange("/plugins", { body: "[]" });
  const [first] = causeOf(run(...empty, before, deploy, after(QUESTION), saved)).suspects;
  expect(first).toMatchObject({
    kind: "page_message",
    title: "The page said “Some nodes are not set up. Are you sure?”",
    detail: `It came after ${DEPLOY}.`,
  });
});

test("a box that stood there before the action, or that passes show too, explains nothing", () => {
  const there = page(`<main><button id="deploy">Deploy</button></main>${QUESTION}`, {
    ts: 4_000,
    step_id: DEPLOY,
    phase: "before",
  });
  const titles = (cause: ReturnType<typeof causeOf>) => cause.suspects.map(({ title }) => title).join("\n");
  expect(titles(causeOf(run(there, deploy, after(QUESTION), saved)))).not.toContain("Are you sure");
  const failed = run(before, deploy, after(QUESTION), saved);
  expect(titles(causeOf(failed, run(before, deploy, after(QUESTION), { ...saved, ok: true })))).not.toContain(
    "Are you sure",
  );
});

const form = (objection = "", value = "") =>
  `<dialog open><h2>New visit</h2><form><label>Reason (required)<input name="reason" value="${value}"></label>${objection}<button>Book</button></form></dialog>`;
const book = click("Click getByRole('button', { name: 'Book' })", { name: "page.click", ts: 4_000 });
const opened = (html: string) => page(html, { ts: 4_000, step_id: book.step_id, phase: "before" });

test("of a form in a dialog what it objects to is what the page said, and an open one says nothing", () => {
  const said = (before: string, now: string) =>
    causeOf(run(opened(before), book, page(now), saved)).suspects.flatMap(({ kind, title }) =>
      kind === "page_message" ? title : [],
    );
  expect(said(form(), form("<p>A reason is required</p>"))).toEqual(["The page said “A reason is required”"]);
  expect(said(form(), form("<p role=alert>Choose another time</p>"))[0]).toBe(
    "The page said “Choose another time”",
  );
  expect(said("<h1>Calendar</h1>", form())).toEqual([]);
  expect(said("<h1>Calendar</h1>", form("<small>At most 20 characters</small>"))).toEqual([]);
  // What asks no more than a press, and an alert with a field in it, say all that is in them.
  expect(
    said("<h1>Calendar</h1>", "<dialog open><p>Leave without saving?</p><button>Leave</button></dialog>"),
  ).toEqual(["The page said “Leave without saving?”"]);
  expect(
    said(
      "<h1>Calendar</h1>",
      "<div role=alertdialog><p>Type the name to delete it</p><input name=name></div>",
    )[0],
  ).toBe("The page said “Type the name to delete it”");
});

test("a box that only says that all is well stays behind what went wrong", () => {
  const [first] = causeOf(
    run(
      before,
      deploy,
      ...exchange("/flows", { ts: 4_500, method: "POST", status: 500 }),
      after('<div class="toast">The flows were opened in a new tab</div>'),
      saved,
    ),
  ).suspects;
  expect(first).toMatchObject({ kind: "request_failed" });
});

test("what a page asks for at once while it loads is no race between its answers", () => {
  const open = click("Navigate /", { name: "page.goto", ts: 1_000, duration_ms: 3_000 });
  const both = (gap: number) => [
    ...exchange("/locales?lng=de-DE", { ts: 1_500, duration_ms: 900 }),
    ...exchange("/locales?lng=de", { ts: 1_500 + gap, duration_ms: 100 }),
  ];
  const order = (cause: ReturnType<typeof causeOf>) =>
    cause.suspects.find(({ kind }) => kind === "out_of_order")?.confidence ?? 0;
  expect(order(causeOf(run(open, ...both(5), failing())))).toBe(0);
  expect(order(causeOf(run(open, ...both(200), failing()), run(passing())))).toBeLessThan(0.5);
});

test("a field that is required and empty holds back a form that was to be sent, and no other", () => {
  const form = page('<form><label>Reason <input name="reason" required></label><button>Save</button></form>');
  const press = click("Click Save", { ts: 4_000 });
  const cause = (...events: Parameters<typeof run>) =>
    causeOf(run(...events, form, failing())).suspects.map(({ title }) => title);
  const held = "The form could not be sent: the field “Reason” is required and stands empty";
  expect(cause(press)).toContain(held);
  expect(cause()).not.toContain(held);
  expect(cause(press, ...exchange("/visits", { method: "POST", ts: 4_100 }))).not.toContain(held);
  const met = (html: string) => page(html, { ts: 4_010, step_id: press.step_id, phase: "action" });
  const field = '<label>Reason <input name="reason" required></label>';
  const button = '<button type="button" __playwright_target__="">Save</button>';
  expect(cause(press, met(`<form>${field}${button}</form>`))).toContain(held);
  expect(cause(press, met(`<form>${field}</form>${button}`))).not.toContain(held);
});

test("a field of another form than what was pressed holds nothing back, though only the last page is known", () => {
  const tick = click("Check getByLabel('Concession')", {
    name: "page.check",
    ts: 4_000,
    params: { selector: 'internal:label="Concession"i' },
  });
  const box = '<label><input type="checkbox" name="concession">Concession</label>';
  const ask = '<label>Question <textarea name="text" required></textarea></label>';
  const cause = (html: string) => told(run(tick, page(html), failing())).join("\n");
  expect(cause(`<form>${box}</form><form>${ask}</form>`)).not.toContain("could not be sent");
  expect(cause(`<form>${box}${ask}</form>`)).toContain("could not be sent: the field “Question”");
});

test("a button that the step never found was not pressed, and no form waits for it", () => {
  const form = page('<form><label>Reason <input name="reason" required></label></form>', {
    step_id: "save",
    ts: 8_000,
  });
  const inVain = savedInVain({ log: ["waiting for getByRole('button', { name: 'Save' })"] });
  const cause = (...events: Parameters<typeof run>) => told(run(...events, form)).join("\n");
  expect(cause(inVain)).not.toContain("could not be sent");
  expect(cause(savedInVain({ log: ["  performing click action"] }))).toContain("could not be sent");
});
