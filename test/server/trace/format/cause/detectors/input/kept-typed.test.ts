import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const fill = click("Fill \"wrong@b.example\" getByLabel('E-mail')", {
  name: "fill",
  ts: 3_000,
  step_id: "fill",
  params: { selector: 'internal:label="E-mail"i', value: "wrong@b.example" },
});
const cancel = click("Click getByRole('button', { name: 'Cancel' })", { ts: 4_000, step_id: "cancel" });
const row = { expected: '"buero@b.example"', received: '"Brandt wrong@b.example"' };
const list = (mail: string, more = "") => page(`<table><tr><td>Brandt ${mail}</td></tr></table>${more}`);
const usual = run(fill, cancel, list("buero@b.example"), passing(row));
const kept = "which was only typed";

test("a text that was typed and given up is told where the page shows it all the same", () => {
  expect(first(run(fill, cancel, list("wrong@b.example"), failing(row)), usual, usual)).toBe(
    "page_changed: The page shows “wrong@b.example”, which was only typed (“Fill \"wrong@b.example\" getByLabel('E-mail')”): nothing was sent of it, and after “Click getByRole('button', { name: 'Cancel' })” the last pass shows “buero@b.example” as before",
  );
});

test("it is not where it was sent, looked for, stands in its field still, or is shown by a pass as well", () => {
  const silent = (of: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
    expect(told(of, ...(passes.length > 0 ? passes : [usual])).join()).not.toContain(kept);
  const shown = list("wrong@b.example");
  const saved = exchange("/api/customers/7", { ts: 3_500, method: "PATCH", request: { body: "{}" } });
  silent(run(fill, ...saved, cancel, shown, failing(row)));
  silent(
    run(fill, ...exchange("/api/customers?q=wrong@b.example", { ts: 3_500 }), cancel, shown, failing(row)),
  );
  const field = `<label for="m">E-mail</label><input id="m" value="wrong@b.example">`;
  silent(run(fill, cancel, list("wrong@b.example", field), failing(row)));
  const shows = run(fill, cancel, list("buero@b.example", "<p>Not wrong@b.example</p>"), passing(row));
  silent(run(fill, cancel, shown, failing(row)), shows);
  silent(run(fill, cancel, shown, failing(row)), run(cancel, list("buero@b.example"), passing(row)));
});
