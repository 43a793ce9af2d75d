import { expect, test } from "bun:test";
import { click, exchange, first, page, run, savedInVain } from "../../run.ts";

const said = (state: string, message: string) =>
  `<p role="alert">${message}</p><label>Card <input></label><button ${state}>Save</button>`;
const press = (more: Record<string, unknown> = {}) =>
  click("Click getByRole('button', { name: 'Save' })", {
    ...{ ts: 1_000, name: "page.click", step_id: "first" },
    params: { selector: 'internal:role=button[name="Save"i]' },
    ...more,
  });
const fill = click("Fill “4000”", {
  ...{ ts: 2_000, name: "page.fill", step_id: "fill" },
  params: { selector: 'internal:label="Card"i', value: "4000" },
});
const inVain = savedInVain({
  log: ["locator resolved to <button disabled>Save</button>", "element is not enabled"],
});
const seen = (state: string) => page(said(state, ""), { ts: 2_000, step_id: "fill", phase: "action" });
const end = page(said("disabled", "The card was refused"), { ts: 7_000, step_id: "save" });
const SINCE =
  "; it has been so since “Click getByRole('button', { name: 'Save' })”, which had used it, and the page says “The card was refused”: it was not enabled again";

test("a button that an earlier press had used is told to be disabled since then, with what the page says", () => {
  expect(first(run(press(), inVain, end))).toBe(
    `element_disabled: getByRole('button', { name: 'Save' }) was disabled${SINCE}`,
  );
  expect(first(run(press(), seen("disabled"), fill, inVain, end))).toEndWith(SINCE);
});

test("since when a button is disabled nobody knows that nothing had pressed, that was enabled meanwhile, or that is on a page opened since", () => {
  const isTold = (...events: Parameters<typeof run>) =>
    (first(run(...events, inVain, end)) ?? "").includes("it has been so since");
  expect(isTold(press())).toBeTrue();
  expect(isTold(fill)).toBeFalse();
  expect(isTold(press(), seen(""), fill)).toBeFalse();
  expect(isTold(press(), fill)).toBeFalse();
  expect(isTold(press({ error: { message: "TimeoutError" } }))).toBeFalse();
  expect(isTold(press(), ...exchange("/pay", { ts: 1_500, resource_type: "document" }))).toBeFalse();
});
