import { expect, test } from "bun:test";
import { page, run } from "../run.ts";
import { document, json, textOf, told } from "./scene.ts";

const stock = (count: unknown, ts: number) => json("/api/parts/7", { sku: "SAD", stock: count }, { ts });
const receipt = (quantity: unknown, answer: object = { ok: true }, ts = 3_500) =>
  json("/api/parts/7/receipts", answer, {
    ts,
    method: "POST",
    status: 201,
    request: { body: JSON.stringify({ quantity }) },
  });
const cause = (received: string, ...events: Parameters<typeof run>) =>
  told(run(...stock(24, 3_000), ...events, textOf("stock", "36", received))).join("\n");

test("what was added twice is told, by one request or two", () => {
  expect(cause("48", ...receipt(12, { stock: 48 }))).toStartWith(
    "answer_changed: POST /api/parts/7/receipts was sent with “12” for “quantity”, and answered with “48” for “stock”, which had been “24”: it was added twice, where the test wants “36”",
  );
  expect(cause("48", ...receipt(12, { stock: 36 }), ...receipt(12, { stock: 48 }, 3_600))).toContain(
    "was sent twice with “12” for “quantity”",
  );
});

test("a number that was joined to another one as text is told with both", () => {
  expect(cause("2412", ...receipt("12", { stock: "2412" }))).toStartWith(
    "answer_changed: POST /api/parts/7/receipts was sent with “12” for “quantity”, and answered with “2412” for “stock”, which had been “24”: the two were joined as text instead of added",
  );
});

test("what was sent and not added at all is told where it was read again since", () => {
  const words =
    "was sent with “12” for “quantity” and answered with 201, but getByTestId('stock') still has “24”, as before: it was not added";
  expect(cause("24", ...receipt(12), ...stock(24, 4_500))).toContain(words);
  expect(cause("24", ...receipt(12), ...document("/parts/7", "<p>24</p>", { ts: 4_500 }))).toContain(words);
  expect(cause("24", ...receipt(12), page("<p data-testid=stock>24</p>"))).not.toContain(words);
});

test("a row with its other texts says the number as well", () => {
  expect(cause("B-12 Rack12", ...receipt(12, { stock: 12 }))).toContain("taken away instead of added");
});

test("another number, or one that nothing is known of before, is not told", () => {
  for (const said of [
    cause("40", ...receipt(12, { stock: 40 })),
    cause("48", ...receipt(10, { stock: 48 })),
    cause("48", ...receipt(12, { other: 48 })),
  ])
    expect(said).not.toContain("added twice");
});
