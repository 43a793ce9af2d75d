import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const invoice = { id: 1, net: 5_750, discountPct: 10, total: 5_175 };
const cause = (received: string, answer: object = invoice) =>
  told(run(...json("/api/invoices/1", answer), textOf("off", "-€5.75", received))).join("\n");

test("a part that is worked out from another number of the same thing is told with both", () => {
  expect(cause("-€5.18")).toStartWith(
    "page_changed: The page shows “-€5.18”, 10 % of “total” (5175), where the test wants “-€5.75”, which is 10 % of “net” (5750): it calculates “discountPct” of GET /api/invoices/1 from another number",
  );
});

test("it is not of another amount, or where no number makes what is wanted", () => {
  expect(cause("-€4.00")).not.toContain("calculates");
  expect(cause("-€5.18", { ...invoice, net: 6_000 })).not.toContain("calculates");
});
