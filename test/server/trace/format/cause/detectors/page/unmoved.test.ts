import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const tick = click("Check getByLabel('Only mine')", { name: "check", ts: 4_000, step_id: "tick" });
const count = {
  title: "Expect \"toHaveText\" getByTestId('shown')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('shown')",
  expected: '"1 cards"',
  received: '"2 cards"',
};
const cards = (shown: string, more: Record<string, unknown> = {}) =>
  page(`<label><input type="checkbox">Only mine</label><b data-testid="shown">${shown}</b>`, more);
const before = (shown: string) => cards(shown, { ts: 4_000, step_id: "tick", phase: "action" });
const usual = run(tick, cards("1 cards"), passing(count));

test("a text that an action left as it was is told where passes have another without asking for it", () => {
  expect(first(run(before("2 cards"), tick, cards("2 cards"), failing(count)), usual, usual)).toBe(
    "page_changed: “Check getByLabel('Only mine')” left “2 cards” as it was, where the last pass has “1 cards” by then; neither asks a server for it",
  );
});

test("it is not where it was another before, something was asked for, or a pass asks for it", () => {
  const silent = (of: ReturnType<typeof run>, pass = usual) =>
    expect(told(of, pass).join()).not.toContain("as it was, where");
  silent(run(before("3 cards"), tick, cards("2 cards"), failing(count)));
  const asked = exchange("/api/cards?mine=1", { ts: 4_050 });
  silent(run(before("2 cards"), tick, ...asked, cards("2 cards"), failing(count)));
  silent(run(before("2 cards"), tick, cards("2 cards"), failing(count)), run(tick, ...asked, passing(count)));
});

test("a text that was another one than in the passes before is told with the action that it came of, or before which it stood", () => {
  const two = click("Fill \"2\" getByLabel('Places')", { name: "fill", ts: 3_000, step_id: "two" });
  const met = (first: string, last: string) => [
    cards(first, { ts: 3_000, step_id: "two", phase: "action" }),
    two,
    before(last),
    tick,
  ];
  const pass = run(...met("48.50", "97.00"), cards("1 cards"), passing(count));
  const cause = (...events: ReturnType<typeof met>) =>
    first(run(...events, cards("2 cards"), failing(count)), pass, pass);
  expect(cause(...met("48.50", "2 cards"))).toBe(
    "page_changed: After “Fill \"2\" getByLabel('Places')” the page had “2 cards”, where the last pass has “97.00”",
  );
  expect(cause(...met("48.00", "2 cards"))).toBe(
    "page_changed: The page had “48.00” before “Fill \"2\" getByLabel('Places')” already, where the last pass has “48.50”",
  );
  // In the passes it was as here until the last action.
  const same = run(...met("48.50", "2 cards"), cards("1 cards"), passing(count));
  expect(first(run(...met("48.50", "2 cards"), cards("2 cards"), failing(count)), same, same)).toContain(
    "left “2 cards” as it was",
  );
});
