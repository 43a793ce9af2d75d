import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run } from "../run.ts";

const write = (method: string, url: string, sent: object, got: object, more: Record<string, unknown>) =>
  exchange(url, {
    ...{ method, media_type: "application/json", body: JSON.stringify(got) },
    request: { body: JSON.stringify(sent) },
    ...more,
  });
const made = write("POST", "/api/bookings", { rooms: ["R-4"] }, { id: 7, rooms: ["R-4"] }, { ts: 3_000 });
const put = (rooms: string[], ts = 4_000) =>
  write("PUT", "/api/bookings/7", { rooms: ["T-5"] }, { id: 7, rooms }, { ts });
const again = (detail: string) =>
  write("POST", "/api/rooms", { rooms: ["R-4"] }, { detail }, { ts: 4_500, status: 409 });
const check = { expected: "201", received: "409", name: "toBe", title: 'Expect "toBe"' };
const usual = run(
  ...made,
  ...put(["T-5"]),
  ...write("POST", "/api/rooms", { rooms: ["R-4"] }, { id: 8 }, { ts: 4_500, status: 201 }),
  passing(check),
);

test("a refusal that names what an earlier answer still has, though it was sent without it, is told with that", () => {
  const cause = first(
    run(...made, ...put(["R-4", "T-5"]), ...again("Room R-4 is taken."), failing(check)),
    usual,
    usual,
  );
  expect(cause).toStartWith("answer_changed: PUT /api/bookings/7 answered");
  expect(cause).toContain("; POST /api/rooms was answered with 409: Room R-4 is taken");
});

test("a refusal of something else, of a longer name, or before that answer leads", () => {
  for (const events of [
    [...put(["R-4", "T-5"]), ...again("Room R-9 is taken.")],
    [...put(["R-4", "T-5"]), ...again("Room R-42 is taken.")],
    [...again("Room R-4 is taken."), ...put(["R-4", "T-5"], 4_800)],
  ])
    expect(first(run(...made, ...events, failing(check)), usual, usual)).toStartWith("request_failed: ");
});

test("a refusal that names no field is told with the one that the page marks, and what it says there", () => {
  const refused = (body: object) =>
    run(
      ...write("POST", "/api/people", { phone: "1" }, body, { ts: 4_500, status: 422 }),
      failing(),
      page(
        `<form><label>Phone <input value="1" aria-invalid="true" aria-describedby="e"></label><p id="e">Too short, at least 6</p></form>`,
      ),
    );
  const usual = run(
    ...write("POST", "/api/people", { phone: "1" }, { id: 7 }, { ts: 4_500, status: 201 }),
    passing(),
    page("<form><label>Phone <input></label></form>"),
  );
  const MARK = "; the field “Phone” with “1” was marked as invalid: “Too short, at least 6”";
  const message = "Validation failed";
  expect(first(refused({ message }), usual, usual)).toEndWith(`was answered with 422: ${message}${MARK}`);
  expect(first(refused({ message }))).toEndWith(`was answered with 422: ${message}${MARK}`);
  expect(first(refused({ message, errors: { phone: "is too short" } }), usual)).not.toContain(MARK);
});
