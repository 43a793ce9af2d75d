import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const cause = (answer: object, expected = "Approved", received = "") =>
  told(run(...json("/api/orders/7", answer), textOf("order-status", expected, received))).join("\n");

test("a state that the page shows nothing for is told as the answer has it", () => {
  expect(cause({ order: { id: 7, status: "pending_approval" } })).toStartWith(
    "answer_changed: GET /api/orders/7 answered “pending_approval” for “order.status”, and getByTestId('order-status') shows nothing, where the test wants “Approved”: a value that the page may not know",
  );
});

test("it is not where the answer has the wanted one, several or none, or the page shows something", () => {
  for (const said of [
    cause({ order: { id: 7, status: "approved" } }),
    cause({ status: "draft", order: { status: "closed" } }),
    cause({ orders: [{ status: "closed" }] }),
    cause({ order: { id: 7, place: "closed" } }),
    cause({ order: { id: 7, status: "closed" } }, "Approved", "Open"),
  ])
    expect(said).not.toContain("may not know");
});
