import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { first } from "./scene.ts";

const SAVE = click("Click Save", { ts: 4_000 });

test("what a page says to confirm a write that was taken stands below what the test wanted and got", () => {
  const alert = (text: string) => page(`<h1>Checkout</h1><p role="alert">${text}</p>`);
  const booked = exchange("/api/bookings", { method: "POST", ts: 4_100, status: 201 });
  expect(first(run(SAVE, ...booked, alert("Your table is booked"), failing()))).toStartWith("assertion:");
  expect(first(run(SAVE, ...booked, alert("The room is not available"), failing()))).toStartWith(
    "page_message: The page said “The room is not available”",
  );
  expect(first(run(SAVE, alert("Your basket was emptied"), failing()))).toStartWith(
    "page_message: The page said “Your basket was emptied”",
  );
});
