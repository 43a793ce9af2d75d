import { expect, test } from "bun:test";
import { exchange, factsOf, failing, first, passing, run, told } from "../run.ts";

const data = (price: number, more: Record<string, unknown> = {}) =>
  exchange("/shop/__data.json", {
    ts: 3_000,
    media_type: "application/json",
    body: JSON.stringify({
      type: "data",
      nodes: [null, { type: "data", data: [{ items: 1 }, [2], { price: 3 }, price] }],
    }),
    ...more,
  });

const posted = (answer: object, more: Record<string, unknown> = {}) =>
  exchange("/shop?/add", {
    ts: 3_000,
    method: "POST",
    request: { headers: [{ name: "x-sveltekit-action", value: "true" }], body: "name=Pen" },
    media_type: "application/json",
    body: JSON.stringify(answer),
    ...more,
  });

test("a value in the data of a page is told by its place in them", () => {
  const usual = run(...data(5), passing());
  expect(first(run(...data(7), failing()), usual, usual)).toBe(
    "answer_changed: GET /shop/__data.json answered “7” for “items.0.price”, where the last pass had “5”",
  );
});

test("so is one in what loaders gave", () => {
  const loaded = (price: number) =>
    exchange("/shop.data", {
      ts: 3_000,
      media_type: "text/x-script",
      body: JSON.stringify([
        { _1: 2 },
        "routes/shop",
        { _3: 4 },
        "data",
        { _5: 6 },
        "items",
        [7],
        { _8: 9 },
        "price",
        price,
      ]),
    });
  const usual = run(...loaded(5), passing());
  expect(first(run(...loaded(7), failing()), usual, usual)).toBe(
    "answer_changed: GET /shop.data answered “7” for “items.0.price”, where the last pass had “5”",
  );
});

test("a form action that was refused is one, whatever status carried it", () => {
  const refused = posted({ type: "failure", status: 422, data: '[{"message":1},"Please give a price."]' });
  const usual = run(...posted({ type: "success", status: 200, data: '[{"id":1},7]' }), passing());
  for (const said of [told(run(...refused, failing()), usual), told(run(...refused, failing()))])
    expect(said[0]).toStartWith(
      "request_failed: POST /shop?/add was answered with 422: Please give a price.",
    );
});

test("one that leads on leads on", () => {
  const leads = posted({ type: "redirect", status: 303, location: "/items/3" });
  const [one] = factsOf(run(...leads, passing())).exchanges;
  expect(one).toMatchObject({ status: 303, headers: [{ name: "location", value: "/items/3" }], body: null });
});

test("an answer that only looks like one to an action is the product's own", () => {
  const plain = (type: string) =>
    exchange("/api/jobs/3", {
      ts: 3_000,
      media_type: "application/json",
      body: JSON.stringify({ type, status: 500, data: '[{"message":1},"No."]' }),
    });
  const usual = run(...plain("success"), passing());
  expect(first(run(...plain("failure"), failing()), usual, usual)).toContain("for “type”");
});
