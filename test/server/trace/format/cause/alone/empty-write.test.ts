import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { first, header, json, told } from "./scene.ts";

const JSON_BODY = [{ name: "content-type", value: "application/json" }];
const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const send = (body: string, more: Record<string, unknown> = {}, headers = JSON_BODY) =>
  exchange("/api/orders/7", { method: "PATCH", ts: 4_100, request: { headers, body }, ...more });

const gave = (selector: string, value: string) =>
  click(`Fill ${selector}`, { name: "page.fill", ts: 3_000, params: { selector, value } });
const picked = (selector: string, value: string) =>
  click(`Pick ${selector}`, {
    name: "page.selectOption",
    ts: 3_200,
    params: { selector, options: [{ valueOrLabel: value }] },
  });
const FIELDS = `<label>Note <input name="note" __playwright_value_="Ring twice"></label><select name="driver" id="driver"><option>Ines</option><option>Marek</option></select>`;
const BUTTON = `<button type="button" __playwright_target__="">Assign</button>`;
const press = (html: string, more: Record<string, unknown> = {}) => [
  page(html, { ts: 4_000, step_id: "press", phase: "action" }),
  click("Click Assign", { name: "page.click", ts: 4_000, step_id: "press", ...more }),
];
const html = `<form>${FIELDS}${BUTTON}</form>`;
const note = gave("getByLabel('Note')", "Ring twice");
const driver = picked("#driver", "d2");
const after = (page_ = html) => [failing(), page(page_)];
const isSaid = (...events: Parameters<typeof run>) =>
  told(run(...events))
    .join("\n")
    .includes("though the test had given");

test("a write with nothing in it is told with what the test gave for it", () => {
  expect(first(run(note, driver, ...press(html), ...send("{}"), ...after()))).toBe(
    "page_changed: PATCH /api/orders/7 was sent with an empty body (“{}”), though the test had given “Ring twice” in “Note” and “d2” in “driver”",
  );
  expect(first(run(driver, ...press(html), ...send("[]"), ...after()))).toContain("(“[]”)");
  expect(first(run(driver, ...press(html), ...send('{"driverId":null,"note":""}'), ...after()))).toContain(
    "was sent with only empty values (for “driverId”, “note”), though",
  );
  const empty = run(note, ...press(html), ...send("note=&to=&_csrf=8f2a91", {}, FORM), ...after());
  expect(first(empty)).toContain("was sent with only empty values (for “note”, “to”), though");
});

test("what is secret is told by its name alone", () => {
  const secret = html.replaceAll("Note", "Access key");
  const given = gave("getByLabel('Access key')", "hunter2");
  expect(first(run(given, ...press(secret), ...send("{}"), ...after(secret)))).toBe(
    "page_changed: PATCH /api/orders/7 was sent with an empty body (“{}”), though the test had given a value in “Access key”",
  );
});

test("a write that needs nothing is no cause", () => {
  // Nothing was given.
  expect(isSaid(...press(html), ...send("{}"), ...after())).toBe(false);
  // What was given stands in another form, and a filter asks for nothing to be kept.
  const apart = `<form>${FIELDS}</form><header>${BUTTON}</header>`;
  expect(isSaid(note, ...press(apart), ...send("{}"), ...after(apart))).toBe(false);
  const filter = html.replaceAll("Note", "Filter");
  expect(
    isSaid(gave("getByLabel('Filter')", "Ring twice"), ...press(filter), ...send("{}"), ...after(filter)),
  ).toBe(false);
  // A switch says by itself what it is for.
  const toggle = html.replace('type="button"', 'type="button" role="switch"');
  expect(isSaid(note, ...press(toggle), ...send("{}"), ...after(toggle))).toBe(false);
});

test("what was sent before, or with it, is not missing", () => {
  const login = send("user=&password=hunter2", {}, FORM);
  expect(isSaid(note, ...press(html), ...login, ...after())).toBe(false);
  expect(isSaid(note, ...press(html), ...send('{"note":"Ring twice"}'), ...after())).toBe(false);
  const kept = exchange("/api/orders/7/note", {
    method: "PUT",
    ts: 3_100,
    request: { headers: JSON_BODY, body: '{"text":"Ring twice"}' },
  });
  expect(isSaid(note, ...kept, ...press(html), ...send("{}"), ...after())).toBe(false);
  expect(isSaid(note, ...press(html.replace("Ring twice", "")), ...send("{}"), ...after())).toBe(false);
  const byId = { ts: 3_300, request: { headers: JSON_BODY, body: '{"driverId":17}' } };
  const saved = exchange("/api/orders/7/driver", { method: "PUT", ...byId });
  expect(isSaid(driver, ...saved, ...press(html), ...send("{}"), ...after())).toBe(false);
  // What it was sent with was not recorded.
  expect(isSaid(note, ...press(html), ...send(""), ...after())).toBe(false);
});

test("a refusal of such a write comes first, by its own words", () => {
  const refused = send("{}", {
    status: 422,
    body: '{"error":"driverId is required"}',
    media_type: "application/json",
  });
  expect(first(run(driver, ...press(html), ...refused, ...after()))).toContain("answered with 422");
});

test("a request that the page sent without a value is told by where it stands", () => {
  const asked = (url: string, more: Record<string, unknown> = {}) =>
    first(run(...json(url, [], more), failing()));
  expect(asked("/api/crossings", { request: { headers: header("x-line", "undefined") } })).toBe(
    "answer_changed: GET /api/crossings was sent with the header x-line “undefined”: the page had no value for it, and the answer may be to another question",
  );
  expect(asked("/api/crossings?day=NaN")).toContain("the parameter day “NaN”");
  expect(
    asked("/api/crossings", { method: "POST", request: { body: '{"to":{"id":"undefined"}}' } }),
  ).toContain("the field to.id “undefined”");
  expect(asked("/api/crossings?q=undefined%20behaviour")).not.toContain("no value");
});
