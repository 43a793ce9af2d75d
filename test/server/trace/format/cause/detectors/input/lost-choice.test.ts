import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run } from "../../run.ts";

/** A form with options of which one was picked, and none is when it is sent. */
const form = (picked = "") =>
  `<form><label><input type="radio" required name="berth" value="a">Berth A</label><label><input type="radio" required name="berth" value="b" ${picked}>Berth B</label><button __playwright_target__="">Reserve</button></form>`;
const tick = (name: string) =>
  click(`Check getByLabel('${name}')`, {
    name: "page.check",
    ts: 3_000,
    params: { selector: `getByLabel('${name}')` },
  });
const send = (html: string) => [
  click("Click Reserve", { name: "page.click", ts: 4_000, step_id: "send" }),
  page(html, { ts: 4_010, step_id: "send", phase: "action" }),
];
const berths = (ts: number) => exchange("/api/berths?size=9", { ts, body: "[]" });
const PICKED = form('__playwright_checked_="true"');
const usual = run(...berths(2_000), tick("Berth B"), ...send(PICKED), passing(), page(PICKED));
const held = (...between: ReturnType<typeof exchange>) =>
  first(
    run(...berths(2_000), tick("Berth B"), ...between, ...send(form()), failing(), page(form())),
    usual,
    usual,
  );

test("a form that was held back for a choice is told with the step that had made it", () => {
  expect(held()).toBe(
    "page_message: The browser did not send the form: its field “Berth A” needs one of its options, and none is picked: what “Check getByLabel('Berth B')” had picked there was lost",
  );
});

test("what the page read anew after the choice, and in no pass, is told with it", () => {
  expect(held(...berths(3_500))).toEndWith(
    "was lost; the page asked for GET /api/berths?size=9 again after it, as in no pass, and may have drawn its options anew",
  );
  // What was never asked for before draws nothing anew.
  expect(held(...exchange("/api/prices", { ts: 3_500, body: "[]" }))).toEndWith("was lost");
});

test("what every pass reads anew as well is not told", () => {
  const reads = run(
    ...berths(2_000),
    tick("Berth B"),
    ...berths(3_500),
    ...send(PICKED),
    passing(),
    page(PICKED),
  );
  const failed = run(
    ...berths(2_000),
    tick("Berth B"),
    ...berths(3_500),
    ...send(form()),
    failing(),
    page(form()),
  );
  expect(first(failed, reads, reads)).toEndWith("was lost");
});

test("nothing was lost where no step had picked", () => {
  const failed = run(...send(form()), failing(), page(form()));
  expect(first(failed, usual, usual)).toEndWith("and none is picked");
});
