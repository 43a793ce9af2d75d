import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

/** What scripts write where they have no value. */
const pay = (token: string) =>
  exchange("/pay", {
    method: "POST",
    ts: 3_000,
    resource_type: "document",
    status: 303,
    request: {
      body: new URLSearchParams({ token, amount: "4.35" }).toString(),
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
  });
const script = (body: string) =>
  exchange("/desk.js", { ts: 1_000, resource_type: "script", media_type: "text/javascript", body });
const account = (id: unknown) =>
  exchange("/api/account", {
    ts: 2_000,
    media_type: "application/json",
    body: JSON.stringify({ id, name: "Nora" }),
  });
const usual = run(...script("make(1)"), ...account("a1"), ...pay("pd_xhlp1qdu6k435"), passing());
const other = run(...script("make(1)"), ...account("a1"), ...pay("pd_9wdl21kfm30xb"), passing());
const cause = (...events: Parameters<typeof run>) => first(run(...events, failing()), usual, other);

test("a token that was sent as an object is told, with the script that changed", () => {
  const told = cause(...script("make({ token })"), ...account("a1"), ...pay("[object Object]"));
  expect(told).toMatch(
    /^page_changed: POST \/pay was sent with the field token “\[object Object\]” where the last pass sent a value; the script GET \/desk\.js changed/,
  );
  expect(cause(...script("make(1)"), ...account("a1"), ...pay("undefined"))).toContain("“undefined”");
});

test("a token that is another one in each run is nothing to tell, and is not told itself", () => {
  const told = cause(...script("make(2)"), ...account("a1"), ...pay("pd_other12secret"));
  expect(told).not.toContain("the field token");
  expect(told).not.toContain("pd_other12secret");
});

test("what an answer before did not have comes before what was sent without it", () => {
  const told = cause(...script("make(2)"), ...account(null), ...pay("null"));
  expect(told).toStartWith("answer_changed: GET /api/account");
});
