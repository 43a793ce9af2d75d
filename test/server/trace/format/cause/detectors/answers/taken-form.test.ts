import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const OBJECTION = "The price must be greater than zero";
const wanted = { expected: `"${OBJECTION}"`, received: '""' };

/** A form that leads back to its page, and what that says then. */
const sent = (price: string, ...said: string[]) => [
  ...exchange("/products/7", {
    method: "POST",
    ts: 4_000,
    status: 303,
    resource_type: "document",
    headers: [{ name: "location", value: "/products/7" }],
    request: { headers: FORM, body: `name=Tote&price=${price}` },
  }),
  ...exchange("/products/7", {
    ts: 4_100,
    resource_type: "document",
    media_type: "text/html",
    body: ["Market tote", ...said].map((text) => `<p>${text}</p>`).join(""),
  }),
];
const usual = run(...sent("-4", OBJECTION), passing(wanted));

test("a form that was taken where every pass had an objection to the same one is told with what it was sent with", () => {
  expect(first(run(...sent("-4", "Product saved"), failing(wanted)), usual, usual)).toBe(
    `answer_changed: POST /products/7, sent with “-4” for “price”, was taken: the page says “Product saved”, where it objected “${OBJECTION}” in the last pass`,
  );
});

test("a form that was sent otherwise, says nothing new or objects to something else is not told as taken", () => {
  const isTold = (...args: Parameters<typeof told>) =>
    told(...args)
      .join()
      .includes("was taken");
  expect(isTold(run(...sent("4", "Product saved"), failing(wanted)), usual, usual)).toBeFalse();
  expect(isTold(run(...sent("-4"), failing(wanted)), usual, usual)).toBeFalse();
  expect(isTold(run(...sent("-4", "The name is required"), failing(wanted)), usual, usual)).toBeFalse();
  const taken = run(...sent("-4", "Product saved"), passing(wanted));
  expect(isTold(run(...sent("-4", "Product saved"), failing(wanted)), usual, taken)).toBeFalse();
  expect(isTold(run(...sent("-4", "Product saved"), failing(wanted)))).toBeFalse();
});
