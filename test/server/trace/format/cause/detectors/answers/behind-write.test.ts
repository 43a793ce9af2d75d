import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const [early, late] = ["2030-05-06T08:00:00.000Z", "2030-05-10T10:30:00.000Z"];
const visits = (ts: number, start: string, id = "v1") =>
  exchange("/api/visits", { ts, body: JSON.stringify({ items: [{ id, start }] }) });
const move = (more: object = {}) =>
  exchange("/api/visits/v1", {
    ts: 4_000,
    method: "PATCH",
    body: JSON.stringify({ id: "v1", start: late }),
    ...more,
  });
const wanted = { expected: '"10 May 10:30"', received: '"6 May 08:00"' };
const usual = run(...visits(2_000, early), ...move(), ...visits(4_100, late!), passing(wanted));

describe("a write that was answered before it was stored", () => {
  const failed = run(...visits(2_000, early!), ...move(), ...visits(4_100, early!), failing(wanted));
  const said =
    "answer_changed: GET /api/visits answered “2030-05-06T08:00:00.000Z” for “start”, still the old value, 90 ms after PATCH /api/visits/v1 had answered “2030-05-10T10:30:00.000Z” for it: what was written is not stored, or not yet";

  test("is told with the old value that is read since, with passes and without", () => {
    expect(first(failed, usual, usual)).toBe(said);
    expect(first(failed)).toBe(said);
  });

  test("is none where it is read in the end, was read in time, is of another thing, or is so in a pass", () => {
    const silent = (...args: Parameters<typeof told>) =>
      expect(told(...args).join()).not.toContain("still the old value");
    const read = (...events: Parameters<typeof run>) =>
      silent(run(...visits(2_000, early!), ...events, failing(wanted)), usual, usual);
    read(...move(), ...visits(4_100, early!), ...visits(4_500, late!));
    read(...visits(3_900, early!), ...move());
    read(...move(), ...visits(4_100, early!, "v2"));
    read(...move({ body: "{}" }), ...visits(4_100, early!));
    read(...move({ status: 409 }), ...visits(4_100, early!));
    // What goes out with the write cannot know of it.
    read(...move(), ...visits(4_001, early!));
    silent(failed, run(...visits(2_000, early!), ...move(), ...visits(4_100, early!), passing(wanted)));
  });

  test("is told with the one other thing that has the new value since then", () => {
    const fees = (ts: number, ...amounts: (number | null)[]) =>
      exchange("/api/fees", {
        ts,
        body: JSON.stringify(
          amounts.map((fee, at) => ({ id: `fee_0${at}a4`, member: ["Ann", "Bo", "Cy"][at], fee })),
        ),
      });
    const write = exchange("/api/fees/fee_00a4", {
      ts: 4_000,
      method: "PUT",
      body: '{"id":"fee_00a4","fee":35}',
    });
    const cause = (...since: (number | null)[]) =>
      first(run(...fees(2_000, null, 20, 40), ...write, ...fees(4_100, ...since), failing(wanted)));
    expect(cause(null, 35, 40)).toEndWith(
      "/api/fees/fee_00a4 had answered “35” for it: “Bo” has it now, which had “20” before",
    );
    expect(cause(null, 35, 35)).toEndWith("what was written is not stored, or not yet");
    expect(cause(null, 20, 40)).toEndWith("what was written is not stored, or not yet");
  });

  test("is told of a query at an address for all, which the page sends as soon as it has the answer", () => {
    const query = (ts: number, start: string) =>
      exchange("/api/graph", {
        ts,
        method: "POST",
        media_type: "application/json",
        request: {
          body: JSON.stringify({ operationName: "Visit", query: "query Visit { visit { id start } }" }),
        },
        body: JSON.stringify({ data: { visit: { id: "v1", start } } }),
      });
    const cause = (start: string) =>
      run(...query(2_000, early!), ...move(), ...query(4_009, start), failing(wanted));
    const kept = run(...query(2_000, early!), ...move(), ...query(4_009, late!), passing(wanted));
    expect(first(cause(early!), kept, kept)).toContain(
      "POST /api/graph (Visit) answered “2030-05-06T08:00:00.000Z” for “start”, still the old value, right after PATCH /api/visits/v1",
    );
  });
});

test("a thing without an id is known by its number where a text of it is the same, too", () => {
  const at = (ts: number, path: string, body: unknown, more: object = {}) =>
    exchange(path, { ts, media_type: "application/json", body: JSON.stringify(body), ...more });
  const ofCustomer = { number: 4233, subject: "Reports are empty" };
  const reopened = at(
    4_000,
    "/help/api/requests/4233/reopen",
    { ...ofCustomer, status: "open" },
    { method: "POST" },
  );
  const cause = (subject: string, headers: object[] = []) =>
    told(
      run(
        ...at(3_000, "/help/api/requests/4233", { ...ofCustomer, status: "solved" }),
        ...reopened,
        ...at(4_150, "/v1/tickets", [{ id: 9, number: 4233, subject, status: "solved" }], { headers }),
        failing({ expected: '"open"', received: '"solved"' }),
      ),
    ).join("\n");
  const said =
    "still the old value, 140 ms after POST /help/api/requests/4233/reopen had answered “open” for it";
  expect(cause("Reports are empty")).toContain(
    `GET /v1/tickets answered “solved” for “status”, ${said}: what was written is not stored, or not yet`,
  );
  expect(cause("Login fails")).not.toContain("still the old value");
  // What a cache answered is an old copy, whatever was stored.
  expect(cause("Reports are empty", [{ name: "age", value: "3" }])).toContain(
    `GET /v1/tickets answered from a cache, 3 s old “solved” for “status”, ${said}: an old copy was read`,
  );
});
