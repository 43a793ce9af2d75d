import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const theme = {
  name: "toHaveAttribute",
  title: "Expect \"toHaveAttribute\" locator('html')",
  message: "expect(locator).toHaveAttribute(expected) failed\n\nLocator: locator('html')",
  expected: '"dark"',
  received: '"light"',
};
const dark = click("Click getByRole('button', { name: 'Dark theme' })", { ts: 3_000, step_id: "dark" });
const reload = click("Reload", { name: "reload", ts: 4_000, step_id: "reload" });
const usual = run(dark, reload, passing(theme));
const lost = "lost “dark”";

test("a state that was chosen and that the document opened afterwards lacks is told with both actions", () => {
  expect(first(run(dark, reload, failing(theme)), usual, usual)).toBe(
    "page_changed: “Reload” lost “dark” of locator('html'): “Click getByRole('button', { name: 'Dark theme' })” had chosen it, and the page that came then has “light”, where it was kept in the last pass, in the browser's storage or a cookie, since nothing is sent of it",
  );
  const saved = exchange("/api/me", { ts: 3_100, method: "PATCH", request: { body: '{"theme":"dark"}' } });
  const led = click("Click getByRole('link', { name: 'Home' })", {
    ts: 4_000,
    duration_ms: 200,
    step_id: "led",
  });
  const home = exchange("/", { ts: 4_050, resource_type: "document" });
  const passes = run(dark, ...saved, led, ...home, passing(theme));
  const told = first(run(dark, ...saved, led, ...home, failing(theme)), passes, passes);
  expect(told).toContain("“Click getByRole('link', { name: 'Home' })” lost “dark” of locator('html')");
  expect(told).not.toContain("nothing is sent");
});

test("it is not where nothing chose it, no document came after, or a pass did not choose it", () => {
  const silent = (of: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
    expect(told(of, ...(passes.length > 0 ? passes : [usual])).join()).not.toContain(lost);
  const other = click("Click getByRole('button', { name: 'Save' })", { ts: 3_000 });
  silent(run(other, reload, failing(theme)), run(other, reload, passing(theme)));
  silent(run(dark, failing(theme)));
  silent(run(dark, reload, failing(theme)), run(reload, passing(theme)));
  silent(run(reload, { ...dark, ts: 4_500 }, failing(theme)));
});
