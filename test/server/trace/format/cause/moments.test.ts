import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "./run.ts";

/** Of a time in ms since the run began. */
const iso = (ms: number) => new Date(1_000_000 + ms).toISOString();
const DAY = 86_400_000;
const DATE_HEADER = { server_ip: "127.0.0.1", http_version: "HTTP/1.1" };

const invited = (expiresAt: string) =>
  exchange("/api/invitations", {
    ts: 3_000,
    method: "POST",
    status: 201,
    body: JSON.stringify({ id: "i1", expiresAt }),
    request: { body: '{"email":"lena@example.test"}' },
  });
const joined = (status: number, ts = 4_800) =>
  exchange("/api/join", {
    ts,
    method: "POST",
    status,
    body: status === 410 ? '{"message":"This invitation is no longer valid"}' : "{}",
    request: { body: '{"token":"abc"}' },
  });

test("what was given for a moment only is over when it is used, and in the passes it holds for days", () => {
  const usual = [0, 100].map((late) =>
    run(...invited(iso(3_005 + late + 7 * DAY)), ...joined(201), passing()),
  );
  const sentence =
    "answer_changed: POST /api/invitations gave something that expires 200 ms later (“expiresAt”: “1970-01-01T00:16:43.210Z”), in the last pass 7 days later: POST /api/join came after that and was refused with 410, “This invitation is no longer valid”";
  expect(first(run(...invited(iso(3_210)), ...joined(410), failing()), ...usual)).toBe(sentence);
  expect(first(run(...invited(iso(3_210)), ...joined(410), failing()))).toBe(
    sentence.replace(", in the last pass 7 days later", ""),
  );
  // What still holds is refused for another reason, and so is what expires as soon in passes.
  const isTold = (...args: Parameters<typeof told>) =>
    told(...args)
      .join()
      .includes("gave something");
  expect(isTold(run(...invited(iso(3_005 + 7 * DAY)), ...joined(410), failing()), ...usual)).toBeFalse();
  const short = run(...invited(iso(3_300)), ...joined(201, 3_100), passing());
  expect(isTold(run(...invited(iso(3_210)), ...joined(410), failing()), short)).toBeFalse();
  expect(isTold(run(...invited(iso(3_210)), ...joined(201), failing()), ...usual)).toBeFalse();
});

test("a lifetime that is given as a number is one of seconds", () => {
  const asked = (expiresIn: number) =>
    exchange("/api/code", { ts: 3_000, method: "POST", body: JSON.stringify({ sent: true, expiresIn }) });
  const usual = run(...asked(600), ...joined(201), passing());
  expect(first(run(...asked(0.06), ...joined(410), failing()), usual)).toStartWith(
    "answer_changed: POST /api/code gave something that expires 60 ms later (“expiresIn”: “0.06”), in the last pass 10 minutes later: POST /api/join",
  );
  expect(told(run(...asked(30), ...joined(410), failing()), usual).join()).not.toContain("gave something");
});

test("a moment that a write is answered with lies hours ahead, where it was the moment itself", () => {
  const started = (startedAt: string, sent = "HAR-6") =>
    exchange("/api/timer", {
      ts: 3_000,
      method: "POST",
      body: JSON.stringify({ startedAt }),
      request: { body: JSON.stringify({ sent }) },
    });
  const values = { expected: "/0:00:0[1-9]/", received: '"0:00:00"' };
  const usual = [0, 3].map((late) => run(...started(iso(3_002 + late)), passing(values)));
  const ahead = iso(3_002 + 7_200_000);
  const sentence = `time: POST /api/timer answered a time that lies 2 hours ahead of the moment when it came (“startedAt”: “${ahead}”)`;
  expect(first(run(...started(ahead), failing(values)), ...usual)).toBe(
    `${sentence}, where in the passes it was that moment: the server's clock is ahead of the run's`,
  );
  expect(first(run(...started(ahead), failing(values)))).toBe(
    `${sentence}: the server's clock is ahead of the run's`,
  );
  // What the page itself asked for, and times of the calendar, are of no server's clock.
  for (const again of [usual, []]) {
    const given = told(run(...started(ahead, ahead), failing(values)), ...again).join();
    expect(given).not.toContain("ahead of the moment");
  }
  const planned = (at: string) => exchange("/api/next", { ts: 3_000, body: JSON.stringify({ at }) });
  const plans = [run(...planned("1970-01-01T09:00:00Z"), passing(values))];
  expect(told(run(...planned("1970-01-02T09:00:00Z"), failing(values)), ...plans).join()).not.toContain(
    "time that",
  );
  expect(told(run(...planned("1970-01-01T11:00:00Z"), failing(values)), ...plans).join()).not.toContain(
    "time that",
  );
});

test("a server that dates its answers a day ahead has another clock than the run", () => {
  const visits = (day: number, more: object = {}) =>
    ["/office", "/visits"].flatMap((path) =>
      exchange(path, {
        ts: 4_000,
        ...DATE_HEADER,
        headers: [{ name: "date", value: new Date(1_004_000 + day * DAY).toUTCString() }],
        ...more,
      }),
    );
  const values = { expected: '"Sunday"', received: '"Monday"' };
  const usual = run(...visits(0), passing(values));
  const sentence =
    "time: The server's clock is 24 hours ahead of the run's own: GET /visits has the Date header “Fri, 02 Jan 1970 00:16:44 GMT”";
  expect(told(run(...visits(1), failing(values)), usual)).toContain(
    `${sentence}; in the last pass the two went alike`,
  );
  expect(told(run(...visits(1), failing(values)))).toContain(sentence);
  const isTold = (...args: Parameters<typeof told>) =>
    told(...args)
      .join()
      .includes("The server's clock");
  expect(isTold(run(...visits(1), failing(values)), run(...visits(1), passing(values)))).toBeFalse();
  // Copies of caches, and what a test answers itself, have the date of then.
  expect(isTold(run(...visits(-1, { server_ip: undefined }), failing(values)), usual)).toBeFalse();
  expect(isTold(run(...visits(-1), ...visits(0), failing(values)), usual)).toBeFalse();
  expect(isTold(run(...visits(0), page("<p>Monday</p>"), failing(values)), usual)).toBeFalse();
  // Recordings that were moved in time, and failures of which a clock explains nothing.
  expect(isTold(run(...visits(5), failing(values)), run(...visits(9), passing(values)))).toBeFalse();
  expect(isTold(run(...visits(1), failing()), usual)).toBeFalse();
  // Of a failure that says no date the page tells it, where it is headed with that day and no pass is.
  const dated = (day: number) => page(`<h1>Arrivals ${day} January 1970</h1>`);
  const before = run(...visits(0), passing(), dated(1));
  expect(told(run(...visits(1), failing(), dated(2)), before)).toContain(
    `${sentence}; in the last pass the two went alike; the page says “Arrivals 2 January 1970”`,
  );
  expect(isTold(run(...visits(1), failing(), dated(1)), before)).toBeFalse();
  expect(isTold(run(...visits(1), failing(), dated(3)), before)).toBeFalse();
  expect(isTold(run(...visits(1), failing(), dated(2)), run(...visits(0), passing(), dated(2)))).toBeFalse();
});

test("what a server refused for the time that it is comes of a clock that goes ahead", () => {
  const dated = (days: number) => [{ name: "date", value: new Date(1_004_000 + days * DAY).toUTCString() }];
  const visit = (days: number) =>
    ["/shop", "/offers"].flatMap((path) =>
      exchange(path, { ts: 4_000, ...DATE_HEADER, headers: dated(days) }),
    );
  const check = (days: number, status: number, error: string) =>
    exchange("/api/coupons/check", {
      ...DATE_HEADER,
      method: "POST",
      ts: 4_000,
      status,
      headers: dated(days),
      media_type: "application/json",
      body: JSON.stringify({ error }),
    });
  const usual = run(...visit(0), ...check(0, 200, ""), passing());
  const refused = (days: number, error: string) => run(...visit(days), ...check(days, 422, error), failing());
  const refusal = "request_failed: POST /api/coupons/check was answered with 422: This coupon has expired";
  const late = told(refused(45, "This coupon has expired"), usual);
  expect(late[0]).toStartWith("time: The server's clock is 45 days ahead of the run's own: ");
  expect(late[0]).toEndWith("; POST /api/coupons/check was answered with 422: “This coupon has expired”");
  expect(late[1]).toBe(refusal);
  // Of another clock nothing else is refused, and by the right clock something may have expired.
  expect(told(refused(45, "This coupon is for members"), usual).join()).not.toContain("clock");
  expect(told(refused(0, "This coupon has expired"), usual)[0]).toBe(refusal);
  const always = run(...visit(0), ...check(0, 422, "This coupon has expired"), passing());
  expect(told(refused(45, "This coupon has expired"), always).join()).not.toContain("clock");
});

test("a server that broke over what had expired by its clock stands below the clock, though the page says so", () => {
  const answer = (path: string, days: number, more: object = {}) =>
    exchange(path, {
      ...DATE_HEADER,
      ts: 4_900,
      headers: [{ name: "date", value: new Date(1_004_900 + days * DAY).toUTCString() }],
      media_type: "application/json",
      ...more,
    });
  const order = (days: number, status: number, message: string) => [
    ...["/shop", "/offers"].flatMap((path) => answer(path, days)),
    ...answer("/api/orders", days, { method: "POST", status, body: JSON.stringify({ message }) }),
  ];
  const usual = run(...order(0, 200, ""), passing());
  const cause = (days: number) =>
    first(run(...order(days, 500, "jwt expired"), failing(), page("<p>jwt expired</p>")), usual);
  expect(cause(45)).toStartWith("time: The server's clock is 45 days ahead of the run's own");
  expect(cause(0)).toBe("request_failed: POST /api/orders was answered with 500: jwt expired");
});

test("a moment in seconds where every pass has it in milliseconds is told, though it is another one in each run", () => {
  const ticket = (dueAt: unknown) =>
    exchange("/api/tickets/17", {
      ts: 4_900,
      media_type: "application/json",
      body: JSON.stringify({ sla: [{ dueAt }] }),
    });
  const usual = [1_795_978_837_044, 1_795_978_712_871].map((at) => run(...ticket(at), passing()));
  const cause = (dueAt: unknown, passes = usual) => told(run(...ticket(dueAt), failing()), ...passes);
  expect(cause(1_795_978_999)[0]).toBe(
    "answer_changed: GET /api/tickets/17 answered “1795978999” for “sla.0.dueAt”, a moment in seconds, where the last pass had it in milliseconds (“1795978837044”)",
  );
  const seconds = [1_795_978_837, 1_795_978_712].map((at) => run(...ticket(at), passing()));
  expect(cause(1_795_978_999_000, seconds)[0]).toContain(
    "a moment in milliseconds, where the last pass had it in seconds",
  );
  // What passes have in both units, the same unit, and other numbers say nothing.
  expect(cause(1_795_978_999, [usual[0]!, seconds[0]!]).join()).not.toContain("a moment in");
  expect(cause(1_795_978_999_000).join()).not.toContain("a moment in");
  expect(cause(1_795_978).join()).not.toContain("a moment in");
});

test("what an answer says of a moment between the two clocks comes of the server's, where no pass says it", () => {
  const task = (days: number, due: number, open: boolean) =>
    ["/shop", "/api/task"].flatMap((path) =>
      exchange(path, {
        ...DATE_HEADER,
        ts: 4_000,
        headers: [{ name: "date", value: new Date(1_004_000 + days * DAY).toUTCString() }],
        media_type: "application/json",
        body: JSON.stringify({ task: { dueAt: new Date(1_004_000 + due * DAY).toISOString(), open } }),
      }),
    );
  const usual = run(...task(0, 5, true), passing());
  const cause = (...args: Parameters<typeof task>) =>
    told(run(...task(...args), failing()), usual).join("\n");
  expect(cause(12, 5, false)).toStartWith("time: The server's clock is 12 days ahead of the run's own: ");
  expect(cause(12, 5, false)).toContain(
    "; “task.dueAt” in the answer to GET /api/task is 1970-01-06T00:16:44.000Z, which that clock is past and the run's is not, and “open” is “false”, where the last pass had “true”",
  );
  // Of a moment that is past by neither or both, and of one that changed nothing beside it, the clock tells nothing.
  for (const silent of [cause(12, 20, false), cause(12, -1, false), cause(12, 5, true), cause(0, 5, false)])
    expect(silent).not.toContain("clock");
  expect(first(run(...task(12, 5, false), failing()))).toContain(
    "which that clock is past and the run's is not",
  );
});
