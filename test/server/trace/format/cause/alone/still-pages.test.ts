import { expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { around, told } from "./scene.ts";

const expected = failing({
  title: "Expect \"toHaveText\" getByTestId('state')",
  expected: '"Saved"',
  received: '"Draft"',
});
const STATE = '<div data-testid="state">Draft</div>';

test("a field past its limit is told to hold its form back, though the page tells another figure by now", () => {
  const html = (online: number, more = "") =>
    `<p>${online} online</p>${STATE}<form><label>Due <input type="date" max="2029-12-31" __playwright_value_="2030-05-14"></label>${more}<button type="submit" __playwright_target__="">Save</button></form>`;
  const save = click("Click getByRole('button', { name: 'Save' })", {
    ts: 4_000,
    step_id: "save",
    params: { selector: 'internal:role=button[name="Save"i]' },
  });
  expect(told(run(...around(save, html(1), html(2)), expected))[0]).toBe(
    "page_message: The browser did not send the form: its field “Due” has “2030-05-14”, which is after its max 2029-12-31",
  );
  expect(told(run(...around(save, html(1), html(2, "<p>Almost done</p>")), expected)).join()).not.toContain(
    "did not send the form",
  );
});

test("what cannot be dragged is told to have stayed, though the page tells another figure by now", () => {
  const html = (online: number, draggable: boolean) =>
    `<p>${online} online</p>${STATE}<ul><li __playwright_target__=""${draggable ? ' draggable="true"' : ""}>Seven</li></ul>`;
  const drag = click("Drag getByText('Seven') to getByText('Done')", {
    ts: 4_000,
    step_id: "drag",
    name: "page.dragAndDrop",
    params: { source: 'internal:text="Seven"i', selector: 'internal:text="Seven"i' },
  });
  const sayings = (draggable: boolean) =>
    told(run(...around(drag, html(0, draggable), html(1, draggable)), expected)).join("\n");
  expect(sayings(false)).toContain('it took hold of has no draggable="true"');
  expect(sayings(true)).not.toContain("seems to have done nothing");
});

test("what a page asks for time and again it did not ask for by an action", () => {
  const press = click("Click getByRole('button', { name: 'Save' })", { ts: 4_000, step_id: "save" });
  const html = `${STATE}<button>Save</button>`;
  const pulse = (...at: number[]) => at.flatMap((ts) => exchange("/pulse", { ts }));
  const sayings = (...at: number[]) => told(run(...around(press, html, html), ...pulse(...at), expected));
  expect(sayings(2_500, 4_200, 5_700, 6_900)[0]).toContain("seems to have done nothing");
  for (const at of [[4_200], [4_200, 5_700, 6_900], [2_500, 4_200]])
    expect(sayings(...at).join()).not.toContain("seems to have done nothing");
});
