import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

type Told = Record<string, unknown>;
const press = click("Click getByRole('button', { name: 'Save' })", { ts: 4_000, step_id: "press" });
const answer = (more: Told = {}) => exchange("/things/1", { ts: 4_050, method: "PUT", ...more });
const note = {
  title: "Expect \"toHaveText\" getByTestId('note')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('note')",
  expected: '"Thing saved"',
  received: '""',
};
const alert = {
  title: "Expect \"toHaveText\" getByRole('alert')",
  message:
    "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('alert')\nError: element(s) not found",
  expected: '"Please give a name"',
  received: undefined,
};
const html = (text: string) => `<main><p data-testid="note">${text}</p></main>`;
const came = (events: ReturnType<typeof exchange>, shown: string, end: typeof passing, more: Told = note) =>
  run(press, ...events, page(html(shown)), end(more));
const isTold = (...given: Parameters<typeof told>) =>
  told(...given)
    .join()
    .includes("did not take the answer over");

const saved = answer({ body: JSON.stringify({ name: "A", note: "Thing saved" }) });
const usual = came(saved, "Thing saved", passing);

test("what an answer says as in every pass and the page shows nothing of is told, though its scripts are the same", () => {
  expect(first(came(saved, "", failing), usual, usual)).toBe(
    "page_changed: PUT /things/1 answered “Thing saved” for “note”, as in the last pass, but getByTestId('note') is empty, where that has it: the page did not take the answer over",
  );
});

test("what a header tells the page's scripts is told with its name", () => {
  const headers = [{ name: "HX-Trigger", value: JSON.stringify({ notify: { text: "Thing saved" } }) }];
  const told = answer({ headers, body: "<p>1</p>", media_type: "text/html" });
  expect(first(came(told, "", failing), came(told, "Thing saved", passing))).toContain(
    "PUT /things/1 answered “Thing saved” for “notify.text” in its header hx-trigger, as in the last pass, but getByTestId('note') is empty",
  );
});

test("markup that an answer brought and the page did not swap in is told, also of a refusal that passes have", () => {
  const refused = answer({
    status: 422,
    media_type: "text/html",
    body: '<form><p role="alert">Please give a name</p></form>',
  });
  const shown = '</p><p role="alert">Please give a name';
  expect(first(came(refused, "", failing, alert), came(refused, shown, passing, alert))).toContain(
    "PUT /things/1 was refused with 422 and “Please give a name”, as in the last pass, but the page does not show it anywhere",
  );
});

test("nothing is told where passes were answered otherwise, it is a mere number, the page showed it once, was opened anew, or was told something else since", () => {
  const other = came(answer({ body: JSON.stringify({ note: "Thing kept" }) }), "Thing saved", passing);
  expect(isTold(came(saved, "", failing), usual)).toBeTrue();
  expect(isTold(came(saved, "", failing))).toBeFalse();
  expect(isTold(came(saved, "", failing), usual, other)).toBeFalse();
  expect(isTold(came(saved, "Another", failing, { ...note, received: '"Another"' }), usual)).toBeFalse();
  const number = { ...note, expected: '"75 %"' };
  const percent = answer({ body: JSON.stringify({ percent: 75 }) });
  expect(isTold(came(percent, "", failing, number), came(percent, "75 %", passing, number))).toBeFalse();
  const look = click("Click getByRole('button', { name: 'More' })", { ts: 4_500, step_id: "more" });
  const gone = run(
    press,
    ...saved,
    page(html("Thing saved"), { ts: 4_500, step_id: "more", phase: "before" }),
    look,
    page(html("")),
    failing(note),
  );
  const stays = run(press, ...saved, look, page(html("Thing saved")), passing(note));
  expect(isTold(gone, stays)).toBeFalse();
  const anew = exchange("/things", { ts: 4_200, resource_type: "document" });
  expect(isTold(came([...saved, ...anew], "", failing), usual)).toBeFalse();
  const again = answer({ ts: 4_200, body: JSON.stringify({ name: "A", note: "" }) });
  expect(isTold(came([...saved, ...again], "", failing), usual)).toBeFalse();
});
