import { expect, test } from "bun:test";
import { click, first, page, run } from "../../run.ts";

const target = "getByRole('button', { name: 'Send' })";
const press = (more: object = {}) => click(`Click ${target}`, { ts: 5_000, step_id: "check", ...more });
const inVain = press({
  ok: false,
  duration_ms: 2_000,
  log: [`waiting for ${target}`, "element is not enabled"],
  error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
});
const form = (fields: string, button: string) =>
  page(
    `<form><label>Name <input name="name" value="Ana"></label>${fields}<button ${button}>Send</button></form>`,
    {
      step_id: "check",
    },
  );
const agree = (attributes = "") => `<label><input type="checkbox" name="terms" ${attributes}>I agree</label>`;
const cause = (now: string, before: string) =>
  first(run(inVain, form(now, "disabled")), run(press(), form(before, "")));

test("a disabled button is told with what its form asks for since then, and has not been given", () => {
  expect(cause(agree(), "")).toBe(
    `element_disabled: ${target} was disabled; its form has a new checkbox “I agree”, which is not ticked`,
  );
  expect(cause('<label>Site <input name="site" required value=""></label>', "")).toBe(
    `element_disabled: ${target} was disabled; its form has a new textbox “Site”, which is empty`,
  );
});

test("a disabled button is told with a hidden field that its form has since then, and that nobody can fill in", () => {
  const hidden = (value: string) => `<input type="hidden" name="phone" value="${value}">`;
  expect(cause(hidden(""), "")).toBe(
    `element_disabled: ${target} was disabled; its form has a new hidden field “phone”, which is empty`,
  );
  for (const silent of [
    cause(hidden("12"), ""),
    cause(hidden(""), hidden("")),
    cause(hidden(""), hidden("12")),
  ])
    expect(silent).toMatch(/was disabled(?:, [^;]+)?$/);
});

test("what is ticked, need not be filled in, or stood there before, holds no button back", () => {
  for (const silent of [
    cause(agree("checked"), ""),
    cause('<label>Site <input name="site" value=""></label>', ""),
    cause(agree(), agree()),
  ])
    expect(silent).toMatch(/was disabled(?:, [^;]+)?$/);
});
