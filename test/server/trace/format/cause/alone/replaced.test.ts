import { describe, expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { first, json } from "./scene.ts";

const url = "/api/orders/7";
const line = (id: string, count: number) => ({ id, count });
const order = {
  id: 7,
  supplierId: "s-1",
  supplierName: "Nordwerk",
  note: "soon",
  lines: [line("a", 1), line("b", 2)],
};
const read = (thing: object, ts: number) => json(url, thing, { ts });
const put = (sent: object, answer: object, method = "PUT") =>
  json(url, answer, { method, ts: 4_100, request: { body: JSON.stringify(sent) } });
const shown = (expected: string, received: string) =>
  failing({
    title: "Expect \"toHaveText\" getByTestId('it')",
    expected: `"${expected}"`,
    received: `"${received}"`,
  });

describe("a field that a replaced thing was sent without", () => {
  const lost = { ...order, supplierId: undefined, supplierName: "" };
  const sent = { note: "soon", lines: [] };
  const cause = (...events: Parameters<typeof run>) => first(run(...events, shown("Nordwerk", ""))) ?? "";
  const words = "was sent without";

  test("is told where the thing has it no more, by the answer itself or by the next one", () => {
    const whole =
      "answer_changed: PUT /api/orders/7 was sent without “supplierId” and “supplierName”, which GET /api/orders/7 had answered with before, and the thing has them no more since";
    expect(cause(...read(order, 3_000), ...put(sent, lost))).toBe(whole);
    expect(cause(...read(order, 3_000), ...put(sent, { ok: true }), ...read(lost, 4_500))).toBe(whole);
  });

  test("is not told where it was sent by its id, is still there, or the test looks for something else", () => {
    const all = { ...sent, supplierId: "s-1" };
    for (const events of [
      [...read(order, 3_000), ...put(all, { ...order, supplierName: "" })],
      [...read(order, 3_000), ...put(sent, order)],
      [...put(sent, lost), ...read(lost, 4_500)],
      // A part of it is all that is sent.
      [...read(order, 3_000), ...put(sent, lost, "PATCH")],
    ])
      expect(cause(...events)).not.toContain(words);
    expect(first(run(...read(order, 3_000), ...put(sent, lost), shown("approved", "draft")))).not.toContain(
      words,
    );
  });
});

test("a list that was put to the one from before, which it was to replace, is told", () => {
  const cause = (lines: object[], before: object = order) =>
    first(
      run(
        ...read(before, 3_000),
        ...put({ lines: [{ count: 5 }, { count: 6 }] }, { ...order, lines }),
        shown("€11", "€14"),
      ),
    );
  const made = [line("c", 5), line("d", 6)];
  expect(cause([...order.lines, ...made])).toBe(
    "answer_changed: PUT /api/orders/7 was sent with 2 for “lines”, and the thing has 4 since: the 2 from before were left, and the others added to them",
  );
  for (const lines of [made, [...made, line("e", 1), line("f", 2)]])
    expect(cause(lines)).not.toContain("from before were left");
  expect(cause(made, { ...order, lines: [] })).not.toContain("from before were left");
});
