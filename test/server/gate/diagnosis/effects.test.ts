import { expect, test } from "bun:test";
import { type Effects, effectsLost } from "../../../../server/gate/diagnosis/effects.ts";
import { createRunReader } from "../../../../server/trace/format/cause/run/run-reader.ts";
import { createNormaliser } from "../../../../server/trace/format/diff/normalise.ts";

const ORIGIN = "http://shop.example";

/** A run that sent these, as `METHOD address status`, and ended on a page. */
function run(sent: readonly string[], last = ["/orders/SM-1001", "Order", "Thanks"]): Effects {
  const facts = createRunReader().finish();
  facts.host = "shop.example";
  facts.authority = "shop.example";
  facts.normaliser = createNormaliser("shop.example");
  for (const [seq, one] of sent.entries()) {
    const [method, url, status = "200", type = "fetch"] = one.split(" ") as [
      string,
      string,
      string?,
      string?,
    ];
    const rest = {
      ts: 0,
      step_id: null,
      page: null,
      requestSeq: null,
      request_id: null,
      end: 0,
      error: null,
    };
    facts.exchanges.push({
      ...rest,
      ...{ seq, method, url: new URL(url, ORIGIN).href, type, status: Number(status), statusText: "" },
      ...{ operation: null, requestBody: null, body: null, mediaType: "", requestHeaders: [], headers: [] },
      ...{ size: null, handled: null, fromNetwork: true },
    });
  }
  const [path, title, heading] = last as [string, string, string];
  return { facts, last: { url: ORIGIN + path, title, heading } };
}

test.each<[string, readonly string[], readonly string[]]>([
  ["the same", ["POST /api/cart"], ["POST /api/cart"]],
  ["more than before", ["POST /api/cart"], ["POST /api/cart", "POST /api/terms"]],
  ["the same with another id", ["PUT /api/cart/4711000"], ["PUT /api/cart/4712000"]],
  [
    "the same with another id and a version",
    ["POST /api/cart/4711000/pay"],
    ["POST /api/v2/cart/4712000/pay"],
  ],
  ["the same at an address with a version", ["POST /api/cart"], ["POST /api/v2/cart"]],
  ["less that only reads", ["GET /api/products", "POST /api/cart"], ["POST /api/cart"]],
  ["less that was refused before, too", ["POST /api/hint 404", "POST /api/cart"], ["POST /api/cart"]],
  ["less for another site", ["POST http://ads.test/seen", "POST /api/cart"], ["POST /api/cart"]],
  ["less that only counts", ["POST /seen 204 ping", "POST /api/cart"], ["POST /api/cart"]],
])("a repetition that sends %s does what the last pass did", (_, before, now) => {
  expect(effectsLost(run(before), run(now))).toEqual([]);
});

test.each<[string, readonly string[], readonly string[]]>([
  ["nothing", ["POST /api/cart"], []],
  ["it, and is refused", ["POST /api/cart"], ["POST /api/cart 500"]],
  ["only asks", ["POST /api/cart"], ["GET /api/cart"]],
  ["something else", ["POST /api/cart"], ["POST /api/wishlist"]],
  ["the same of something else", ["POST /api/towers/book"], ["POST /api/garden/book"]],
  ["a part of the way alone", ["POST /api/cart/gift"], ["POST /api/cart"]],
  ["one of two", ["POST /api/cart", "DELETE /api/hint"], ["POST /api/cart"]],
])("one that sends %s does not", (_, before, now) => {
  const [clause] = effectsLost(run(before), run(now));
  expect(clause).toMatch(/^it no longer sends (POST|DELETE) \/api\/[\w/]+, which the last pass sent$/);
});

test("it ends on the page that the last pass ended on, by its address, its title or its heading", () => {
  const pass = run([]);
  expect(effectsLost(pass, run([], ["/orders/SM-2002", "Other", "Other"]))).toEqual([]);
  expect(effectsLost(pass, run([], ["/done", "Order", "Other"]))).toEqual([]);
  expect(effectsLost(pass, run([], ["/done", "Other", "Thanks"]))).toEqual([]);
  expect(effectsLost(pass, run([], ["/", "Shop", "Everything"]))).toEqual([
    'it ends on "Shop" (/), and the last pass ended on "Order" (/orders/SM-1001)',
  ]);
  expect(effectsLost({ ...pass, last: null }, run([]))).toEqual([]);
});
