import { expect, test } from "bun:test";
import { click, exchange, failing, passing, run, told } from "../../run.ts";

const optimise = click("Click #optimise", { ts: 4_000 });
/** A job asked for every 250 ms. */
const asks = (id: string, states: string[], from = 4_250) =>
  states.flatMap((state, at) =>
    exchange(`/api/jobs/${id}`, {
      ts: from + at * 250,
      body: JSON.stringify({ id, state }),
      media_type: "application/json",
    }),
  );
const usual = run(optimise, ...asks("bb21c0d4e5f6a7b8", ["queued", "running", "running", "done"]), passing());
const stopped = asks("da27b14e370b9911", ["queued", "running"]);

test("a page that stops asking before it is told what every pass waits for", () => {
  expect(told(run(optimise, ...stopped, failing()), usual)[0]).toBe(
    "request_unsent: The page stopped asking for GET /api/jobs/da27b14e370b9911 at “running” for “state”: it asked 2 times, in the last pass 4 times, until “done”",
  );
});

test("is not told to have stopped where it went on without an answer, was left, or the step gave up before the next question", () => {
  const pending = exchange("/api/jobs/da27b14e370b9911", { ts: 4_800 }).slice(0, 1);
  const left = exchange("/jobs", { ts: 4_900, resource_type: "document" });
  for (const one of [
    run(optimise, ...stopped, ...pending, failing()),
    run(optimise, ...stopped, ...left, failing()),
    run(optimise, ...stopped, failing({ ts: 4_510, duration_ms: 300 })),
  ])
    expect(told(one, usual).join()).not.toContain("stopped asking");
});

test("is not told to have stopped where the passes come to different ends, or it came to theirs sooner", () => {
  const other = run(
    optimise,
    ...asks("cc21c0d4e5f6a7b8", ["queued", "running", "running", "void"]),
    passing(),
  );
  expect(told(run(optimise, ...stopped, failing()), usual, other).join()).not.toContain("stopped asking");
  const done = run(optimise, ...asks("da27b14e370b9911", ["running", "done"]), failing());
  expect(told(done, usual).join()).not.toContain("stopped asking");
});

test("of what stands still in a job, its state is told rather than what follows from it, and else the first", () => {
  const job = (fields: object[]) =>
    fields.flatMap((said, at) =>
      exchange("/api/payments/p1", { ts: 4_250 + at * 250, body: JSON.stringify({ id: "p1", ...said }) }),
    );
  const waits = (name: string) => ({ paid: 0, [name]: "pending" });
  const cause = (name: string, times: number) =>
    told(
      run(optimise, ...job(Array(times).fill(waits(name))), failing()),
      run(optimise, ...job([...Array(4).fill(waits(name)), { paid: 1, [name]: "approved" }]), passing()),
    )[0];
  expect(cause("status", 11)).toStartWith(
    "answer_changed: GET /api/payments/p1 still answered “pending” for “status”, 11 times in a row",
  );
  expect(cause("status", 2)).toStartWith(
    "request_unsent: The page stopped asking for GET /api/payments/p1 at “pending” for “status”",
  );
  expect(cause("answer", 11)).toStartWith(
    "answer_changed: GET /api/payments/p1 still answered “0” for “paid”",
  );
});

test("a list that a page reads anew is not told to have been given up for the state of one thing in it", () => {
  const lists = (...states: string[]) =>
    states.flatMap((status, at) =>
      exchange("/api/floor", {
        ts: 4_250 + at * 250,
        body: JSON.stringify({ tables: [{ number: 7, status }] }),
      }),
    );
  const cause = told(
    run(optimise, ...lists("free"), failing()),
    run(optimise, ...lists("free", "free", "seated"), passing()),
  );
  expect(cause.join("\n")).not.toContain("stopped asking");
});

test("of a run alone, a job that was not done when the page stopped asking, or when the step gave up, is told", () => {
  expect(told(run(optimise, ...stopped, failing()))[0]).toBe(
    "request_unsent: The page stopped asking for GET /api/jobs/da27b14e370b9911 at “running” for “state”, 2.5 s before the step gave up: it had asked 2 times",
  );
  const going = asks("da27b14e370b9911", Array<string>(11).fill("running"));
  expect(told(run(optimise, ...going, failing()))[0]).toBe(
    "answer_changed: GET /api/jobs/da27b14e370b9911 still answered “running” for “state” when the step gave up, after 11 questions in 2.5 s",
  );
});

test("of a run alone, the state of one thing of a list is no job's", () => {
  const list = (ts: number) =>
    exchange("/api/marking", { ts, body: JSON.stringify({ items: [{ status: "waiting" }] }) });
  const asked = [4_100, 4_600, 5_100].flatMap(list);
  expect(told(run(optimise, ...asked, failing())).join("\n")).not.toContain("still answered");
});

test("of a run alone, whatever a job is doing is no end of it; what lasts is none that was waited for", () => {
  const still = (state: string) =>
    told(run(optimise, ...asks("da27b14e370b9911", Array<string>(11).fill(state)), failing())).filter((one) =>
      one.includes("still answered"),
    );
  for (const state of ["scanning", "virus_scanning", "Transcoding…", "in-progress"])
    expect(still(state)).toHaveLength(1);
  for (const state of ["missing", "warning", "trialing", "not_running", "ready", "strings"])
    expect(still(state)).toEqual([]);
});

test("of a run alone, a job that came to its end, was asked for once, or by a person each time, tells nothing", () => {
  const reload = (ts: number) => [
    click(`Reload ${ts}`, { ts }),
    ...asks("da27b14e370b9911", ["running"], ts + 100),
  ];
  const left = exchange("/jobs", { ts: 4_900, resource_type: "document" });
  for (const one of [
    run(optimise, ...asks("da27b14e370b9911", ["queued", "running", "done"]), failing()),
    run(optimise, ...asks("da27b14e370b9911", ["running"]), failing()),
    run(...reload(3_000), ...reload(4_000), failing()),
    run(optimise, ...stopped, ...left, failing()),
  ])
    expect(told(one).join("\n")).not.toMatch(/stopped asking|still answered/);
});

test("of a run alone, a page that stopped asking at another status is told with it, as far as the page shows what came then", () => {
  const progress = (done: number, status: number, at: number) =>
    exchange("/imports/1/progress", {
      ...{ ts: 4_100 + at * 250, status, media_type: "text/html" },
      body: `<p role="status">${done} of 100 rows</p>`,
    });
  const asked = (...statuses: number[]) =>
    statuses.flatMap((status, at) => progress(20 * (at + 1), status, at));
  const check = (received: string) => failing({ expected: '"Import finished"', received });
  const cause = (statuses: number[], received = '"60 of 100 rows"') =>
    told(run(optimise, ...asked(...statuses), check(received))).join("\n");
  expect(cause([200, 200, 286])).toStartWith(
    "request_unsent: The page stopped asking for GET /imports/1/progress at “60 of 100 rows”, 2.4 s before the step gave up: it had asked 3 times, and the last answer came with 286, where those before had 200",
  );
  for (const silent of [
    cause([200, 200, 200]),
    // What was accepted was done then.
    cause([202, 202, 200]),
    cause([200, 200, 304]),
    cause([200, 286], '"40 of 100 rows"'),
    cause([200, 200, 286], '"Connection lost"'),
    told(run(optimise, ...asked(200, 200, 286), failing({ ts: 4_700, duration_ms: 200 }))).join("\n"),
  ])
    expect(silent).not.toContain("stopped asking");
});

test("a page that asks for a state but twice in a pass, and stops at the first, is told; of another value it is not", () => {
  const rows = (id: string, fields: object[]) =>
    fields.flatMap((said, at) =>
      exchange(`/api/jobs/${id}`, { ts: 4_250 + at * 250, body: JSON.stringify({ id, ...said }) }),
    );
  const cause = (first: object, last: object) =>
    told(
      run(optimise, ...rows("da27b14e370b9911", [first]), failing()),
      run(optimise, ...rows("bb21c0d4e5f6a7b8", [first, last]), passing()),
    );
  expect(cause({ state: "running", rows: 1 }, { state: "done", rows: 3 })[0]).toStartWith(
    "request_unsent: The page stopped asking for GET /api/jobs/da27b14e370b9911 at “running” for “state”: it asked once, in the last pass 2 times",
  );
  expect(cause({ rows: 1 }, { rows: 3 }).join()).not.toContain("stopped asking");
});

test("a page that is told elsewhere what the passes waited for did not stop asking", () => {
  const asksAnew = asks("p1", ["pending", "confirmed"]);
  const polled = (state: string) =>
    exchange("/api/jobs/p1/state", { ts: 4_600, body: JSON.stringify({ state }) });
  const both = run(optimise, ...asksAnew, ...polled("confirmed"), passing());
  const once = asks("p1", ["pending"]);
  expect(told(run(optimise, ...once, ...polled("confirmed"), failing()), both).join()).not.toContain(
    "stopped asking",
  );
  expect(told(run(optimise, ...once, ...polled("pending"), failing()), both).join()).toContain(
    "stopped asking",
  );
});
