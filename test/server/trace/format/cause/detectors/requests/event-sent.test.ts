import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, page, run } from "../../run.ts";

const OPENED = page("<body><button>Load more</button></body>", { ts: 0, step_id: "s0" });
const MORE = click("Load more", { ts: 2_000 });
const IN_VAIN = failing({ received: '"Kraków"', expected: '"Zürich"' });

const ofPlaces = (after: unknown, more: object = {}) =>
  exchange("/graphql", {
    ts: 2_020,
    method: "POST",
    request: { body: JSON.stringify({ operationName: "Places", variables: { after }, ...more }) },
    body: JSON.stringify({ data: { places: [{ name: "Kraków" }] } }),
  });

const EVENT = { isTrusted: true, _vts: 1795913043986 };
const SAID =
  'page_changed: POST /graphql (Places) was sent with an event ({"isTrusted":…}) in the place of “variables.after”';

test("an event that a request was sent with in the place of a value is told, with passes and without", () => {
  const failed = run(OPENED, MORE, ...ofPlaces(EVENT), IN_VAIN);
  const pass = () => run(OPENED, MORE, ...ofPlaces("c2"), failing({ ok: true }));
  expect(first(failed)).toBe(SAID);
  expect(first(failed, pass(), pass())).toBe(SAID);
});

test("what a value became is told where passes sent a plain one", () => {
  const failed = run(OPENED, MORE, ...ofPlaces({ page: 2 }), IN_VAIN);
  const pass = () => run(OPENED, MORE, ...ofPlaces("c2"), failing({ ok: true }));
  const { suspects } = causeOf(failed, pass(), pass());
  expect(suspects.map(({ title }) => title)).toContain(
    'POST /graphql (Places) was sent with the field variables.after “{"page":2}” where the last pass sent “c2”',
  );
});

test.each([
  ["/api/places?after=%5Bobject+PointerEvent%5D", "an event (“[object PointerEvent]”)"],
  ["/api/places?after=%5Bobject+Object%5D", "an object (“[object Object]”)"],
  ["/api/places?after=%7B%22isTrusted%22%3Atrue%7D", 'an event ({"isTrusted":…})'],
])("an object in the address %s is told by its name", (url, words) => {
  const failed = run(OPENED, MORE, ...exchange(url, { ts: 2_020, body: "[]" }), IN_VAIN);
  const { suspects } = causeOf(failed);
  expect(suspects[0]?.title).toEndWith(` was sent with ${words} in the place of “after”`);
});

test("who records events is asked nothing, nor who counts, nor what passes send as well", () => {
  const recorded = ofPlaces({ ...EVENT, type: "click", x: 3 });
  const counted = exchange("/t/collect", {
    ts: 2_030,
    method: "POST",
    request: { body: JSON.stringify({ target: EVENT }) },
  });
  const said = (...given: Parameters<typeof causeOf>) =>
    causeOf(...given).suspects.filter(({ title }) => title.includes("in the place of"));
  expect(said(run(OPENED, MORE, ...recorded, ...counted, IN_VAIN))).toEqual([]);
  const failed = run(OPENED, MORE, ...ofPlaces(EVENT), IN_VAIN);
  expect(said(failed, run(OPENED, MORE, ...ofPlaces(EVENT), failing({ ok: true })))).toEqual([]);
});
