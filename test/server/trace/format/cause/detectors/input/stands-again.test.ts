import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const check = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" locator('.hint')",
  message: "expect(locator).toHaveCount(expected) failed\n\nLocator: locator('.hint')",
  expected: "0",
  received: undefined,
};
const close = click("Click getByRole('button', { name: 'Got it' })", {
  name: "page.click",
  ts: 3_000,
  step_id: "close",
  params: { selector: 'internal:role=button[name="Got it"i]' },
});
const next = exchange("/next", { ts: 4_000, resource_type: "document" });
const hint = '<div class="hint">New here? <button>Got it</button></div>';
const seen = (html: string) => page(`<h1>Next</h1>${html}`);
const usual = run(close, ...next, seen(""), passing(check));
const words = "again, though";

test("what was pressed and stands there again after another document came was not remembered", () => {
  expect(first(run(close, ...next, seen(hint), failing({ ...check, received: "1" })), usual, usual)).toBe(
    "page_changed: The page has a button “Got it” again, though “Click getByRole('button', { name: 'Got it' })” had been done before GET /next was loaded, and no pass has it by then: that was not remembered in the browser's storage or a cookie, since nothing is sent of it",
  );
});

test("it is none where no document came since, something was sent of it, a pass has it too, or the step looks at something else", () => {
  const silent = (of: ReturnType<typeof run>, pass = usual) =>
    expect(told(of, pass).join()).not.toContain(words);
  const failed = failing({ ...check, received: "1" });
  silent(run(close, seen(hint), failed));
  const sent = exchange("/hints/1/seen", { ts: 3_050, method: "POST" });
  silent(run(close, ...sent, ...next, seen(hint), failed));
  silent(run(close, ...next, seen(hint), failed), run(close, ...next, seen(hint), passing(check)));
  const title = {
    ...check,
    title: "Expect \"toHaveCount\" locator('.news')",
    message: "expect(locator).toHaveCount(expected) failed\n\nLocator: locator('.news')",
  };
  silent(run(close, ...next, seen(hint), failing({ ...title, received: "1" })));
  const whole = {
    name: "toHaveAttribute",
    title: "Expect \"toHaveAttribute\" locator('html')",
    message: "expect(locator).toHaveAttribute(expected) failed\n\nLocator: locator('html')",
    expected: '"dark"',
    received: '"light"',
  };
  const html = (inner: string) => page(`<html><body><h1>Next</h1>${inner}</body></html>`);
  silent(run(close, ...next, html(hint), failing(whole)), run(close, ...next, html(""), passing(whole)));
});
