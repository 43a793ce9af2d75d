import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE } from "../run.ts";

test("what is refused on a page whose address has no value in it is told with that address", () => {
  const went = (part: string, status: number, end: typeof passing) =>
    run(
      click("Click Create", { ts: 4_000 }),
      ...exchange("/graphql", {
        ts: 4_200,
        method: "POST",
        status,
        media_type: "application/json",
        body: status === 200 ? "{}" : '{"message":"The number is missing"}',
      }),
      page("<h1>Order</h1>", { url: `${SITE}/orders/${part}` }),
      end(),
    );
  const usual = went("1037", 200, passing);
  const words = "; the page had been led to /orders/undefined, which lacks the value in its address";
  expect(first(went("undefined", 400, failing), usual, usual)).toEndWith(words);
  expect(first(went("undefined", 400, failing))).toEndWith(words);
  expect(first(went("undefined-behaviour", 400, failing))).not.toContain("had been led");
});
