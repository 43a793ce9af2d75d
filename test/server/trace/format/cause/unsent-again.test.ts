import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const json = { media_type: "application/json" };
const headers = [{ name: "content-type", value: "application/json" }];
/** Each run has the user by an id of its own. */
const patch = (id: string, ts: number, sent: object) =>
  exchange(`/api/users/${id}`, {
    ...{ ts, method: "PATCH", ...json },
    request: { headers, body: JSON.stringify(sent) },
    body: JSON.stringify({ name: "Piet", role: "clerk", status: "active", ...sent }),
  });
const pick = click("Select option getByLabel('Role')", { ts: 1_000, name: "page.selectOption" });
const disable = click("Click Disable", { ts: 2_000, name: "page.click" });
const role = { expected: '"manager"', received: '"clerk"' };
const roleThen = (id: string) => [
  ...patch(id, 1_050, { role: "manager" }),
  disable,
  ...patch(id, 2_050, { role: "manager", status: "disabled" }),
];

describe("a write of another one to the same address", () => {
  const usual = run(
    pick,
    ...patch("usr_3ebef13ed4", 1_050, { role: "manager" }),
    disable,
    ...patch("usr_3ebef13ed4", 2_050, { status: "disabled" }),
    passing(role),
  );

  test("is told as never sent by the field that it alone carries, though things have other ids in each run", () => {
    const mine = run(pick, disable, ...patch("usr_3d7995dd19", 2_050, { status: "disabled" }), failing(role));
    expect(first(mine, usual, usual)).toStartWith(
      "request_unsent: PATCH /api/users/usr_3d7995dd19 with “role” was never sent: in the last pass it went out 50 ms after “Select option getByLabel('Role')”; it had “manager” for “role”, which the test looks for",
    );
  });

  test("is not missed where it was sent to a thing that has another id here", () => {
    const mine = run(
      pick,
      ...patch("usr_3d7995dd19", 1_050, { role: "manager" }),
      disable,
      failing({ ...role, ts: 5_500 }),
    );
    expect(told(mine, usual, usual).join("\n")).not.toContain("with “role” was never sent");
  });

  test("is not told by a field that the others carry, too", () => {
    const mine = run(pick, disable, ...roleThen("usr_3d7995dd19").slice(-2), failing(role));
    const pass = run(pick, ...roleThen("usr_3ebef13ed4"), passing(role));
    expect(told(mine, pass, pass).join("\n")).not.toContain("with “role”");
  });
});

describe("what a page asks for time and again", () => {
  const asked = (ts: number, count: number) =>
    exchange("/api/waiting", { ts, resource_type: "xhr", ...json, body: `{"count":${count}}` });
  const approve = click("Click Approve", { ts: 3_000, name: "page.click" });
  const badge = { expected: '"1 waiting"', received: '"2 waiting"' };

  test("is told with how often it was asked for where it was not asked for again", () => {
    const usual = run(...asked(1_000, 2), approve, ...asked(3_800, 1), passing(badge));
    expect(first(run(...asked(1_000, 2), approve, failing(badge)), usual, usual)).toStartWith(
      "request_unsent: GET /api/waiting was never sent again: it was sent once, where the last pass sent it twice, again 800 ms after “Click Approve”",
    );
  });

  test("is told as never sent where it was never asked for", () => {
    const usual = run(approve, ...asked(3_800, 1), passing(badge));
    expect(first(run(approve, failing(badge)), usual, usual)).toStartWith(
      "request_unsent: GET /api/waiting was never sent: in the last pass it went out 800 ms after “Click Approve”",
    );
  });

  test("is one suspect with what was never sent after the same action", () => {
    const both = (ts: number) => [...asked(ts, 1), ...exchange("/api/orders", { ts, body: "[]" })];
    const usual = run(...asked(1_000, 2), approve, ...both(3_800), passing(badge));
    const all = told(run(...asked(1_000, 2), approve, failing(badge)), usual, usual);
    expect(all.filter((one) => one.includes("never sent"))).toHaveLength(1);
  });
});

test("what stands in a list that a write carries goes by the name of the list", () => {
  const quote = (ts: number, sent: object) =>
    exchange("/api/quote", { ts, method: "POST", ...json, request: { headers, body: JSON.stringify(sent) } });
  const tick = click("Check Parking", { ts: 2_000, name: "page.check" });
  const usual = run(
    ...quote(1_000, { room: 1 }),
    tick,
    ...quote(2_050, { room: 1, extras: ["car"] }),
    passing(),
  );
  expect(told(run(...quote(1_000, { room: 1 }), tick, failing()), usual, usual).join("\n")).toContain(
    "POST /api/quote with “extras” was never sent",
  );
});
