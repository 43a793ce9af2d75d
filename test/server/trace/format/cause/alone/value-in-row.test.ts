import { expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

const row = (received: string, expected = "€118.50") =>
  failing({
    title: "Expect \"toContainText\" getByRole('row', { name: 'Smart lock' })",
    message: "expect(locator).toContainText(expected) failed",
    expected: JSON.stringify(expected),
    received: JSON.stringify(received),
  });
const parts = (cents: unknown, other: unknown = 1_490) =>
  json("/api/parts", {
    items: [
      { id: 1, name: "Brake pads", cents: other },
      { id: 2, name: "Chain", cents: 1_890 },
      { id: 3, name: "Smart lock", cents },
    ],
  });

test("the amount in a row is told as the answer has it for the thing of the row", () => {
  expect(first(run(...parts(12_490), row("L-3Smart lock€124.90910Reorder")))).toBe(
    "answer_changed: GET /api/parts answered “12490” for “items.2.cents” of “Smart lock”: the page shows that as “€124.90”, where the test wants “€118.50”",
  );
});

test("so is that the thing has none, where others have one and the row a zero", () => {
  expect(first(run(...parts(null), row("L-3Smart lock€0.00910Reorder")))).toBe(
    "answer_changed: GET /api/parts answered “null” for “items.2.cents” of “Smart lock”: the page shows that as “€0.00”, where the test wants “€118.50”",
  );
});

test("it is not where another thing has it, the row has the wanted one, or no other thing has a number", () => {
  for (const events of [
    [...parts(11_850, 12_490), row("L-3Smart lock€124.90910")],
    [...parts(12_490), row("L-3Smart lock€124.90 €118.50")],
    [...parts(0), row("L-3Smart lock€0.00910")],
    [...json("/api/parts", { items: [{ name: "Smart lock", cents: null }] }), row("Smart lock€0.00")],
  ])
    expect(told(run(...events)).join()).not.toContain("shows that as");
});
