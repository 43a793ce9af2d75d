import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, passing, run, told } from "./run.ts";

const WELL = { data: { checkIn: { number: "A-12" } } };
const USED = { data: { checkIn: null }, errors: [{ message: "This code was already used" }] };
const stored = (operationName: string, code = "KX") => ({ operationName, variables: { code } });

const asked = (ts: number, body: object, answer: object) =>
  exchange("/graphql", {
    ts,
    method: "POST",
    media_type: "application/json",
    request: { body: JSON.stringify(body) },
    body: JSON.stringify(answer),
  });
const GO = click("Check in", { ts: 3_900 });
const twice = (body: object, ...answers: [object, object]) => [
  GO,
  ...asked(4_000, body, answers[0]),
  ...asked(4_300, body, answers[1]),
];

describe("an operation that can be done but once and was sent twice for one action", () => {
  test("is told though its stored query does not say that it changes something, with passes and without", () => {
    const failed = run(...twice(stored("CheckIn"), WELL, USED), failing());
    const end = "; the last one was refused: “This code was already used”";
    expect(first(failed)).toBe(
      `request_repeated: POST /graphql (CheckIn) was sent twice, within 300 ms${end}`,
    );
    const usual = () => run(GO, ...asked(4_000, stored("CheckIn"), WELL), passing());
    expect(first(failed, usual(), usual())).toBe(
      `request_repeated: POST /graphql (CheckIn) was sent twice, within 300 ms; in the last pass once${end}`,
    );
  });

  test("is told of JSON-RPC", () => {
    const body = { jsonrpc: "2.0", id: 1, method: "seat.take", params: { seat: "4A" } };
    const [well, taken] = [{ result: "ok" }, { error: { code: 1, message: "The seat is taken" } }];
    const failed = run(
      ...twice(body, { jsonrpc: "2.0", id: 1, ...well }, { jsonrpc: "2.0", id: 1, ...taken }),
      failing(),
    );
    expect(first(failed)).toEndWith(
      "(seat.take) was sent twice, within 300 ms; the last one was refused: “The seat is taken”",
    );
  });

  test("is something else where it was tried again, asked of something else, or pressed twice", () => {
    const isTold = (...events: Parameters<typeof run>) =>
      told(run(...events, failing()))
        .join()
        .includes("sent twice");
    expect(isTold(...twice(stored("CheckIn"), USED, WELL))).toBeFalse();
    expect(isTold(...twice(stored("CheckIn"), USED, USED))).toBeFalse();
    expect(isTold(...twice(stored("Queue"), WELL, WELL))).toBeFalse();
    const read = { ...stored("Queue"), query: "query Queue($code: ID) { a }" };
    expect(isTold(...twice(read, WELL, USED))).toBeFalse();
    expect(
      isTold(
        GO,
        ...asked(4_000, stored("CheckIn", "a"), WELL),
        ...asked(4_300, stored("CheckIn", "b"), USED),
      ),
    ).toBeFalse();
    const [one, answer, another, refused] = twice(stored("CheckIn"), WELL, USED).slice(1);
    expect(
      isTold(GO, one!, answer!, click("Check in", { ts: 4_200 }), { ...another!, ts: 4_300 }, refused!),
    ).toBeFalse();
  });
});

test("a write that was refused right after the same one had gone well was sent once too often", () => {
  const save = (ts: number, status: number, body = "{}") =>
    exchange("/api/seats", { ts, method: "POST", status, request: { body: '{"seat":"4A"}' }, body });
  const taken = save(4_200, 409, '{"message":"Taken"}');
  expect(first(run(GO, ...save(4_000, 201), ...taken, failing()))).toBe(
    "request_repeated: POST /api/seats was sent twice, within 200 ms; the last one was refused: “Taken”",
  );
  expect(told(run(GO, ...save(4_000, 500), ...taken, failing())).join()).not.toContain("sent twice");
});

describe("a write that one action sent twice at once", () => {
  const keyed = (key: string) => ({
    headers: [{ name: "idempotency-key", value: key }],
    body: '{"seat":"4A"}',
  });
  const book = (ts: number, key: string, more: object = {}) =>
    exchange("/api/seats", { ts, method: "POST", status: 201, request: keyed(key), ...more });
  const listed = (...names: string[]) =>
    exchange("/seats", {
      ts: 4_600,
      media_type: "application/json",
      body: JSON.stringify({ rows: names.map((name) => ({ name })) }),
    });
  const count = { name: "toHaveCount", title: "Expect \"toHaveCount\" getByRole('listitem')", expected: "1" };
  const usual = () => run(GO, ...book(4_000, "k9"), ...listed("4A"), passing(count));
  const two = failing({ ...count, received: "2" });

  test("is told with the keys that it was sent with, before the list that has two for it", () => {
    const failed = run(GO, ...book(4_000, "k1"), ...book(4_000, "k2"), ...listed("4A", "4A"), two);
    expect(first(failed, usual(), usual())).toBe(
      "request_repeated: POST /api/seats was sent twice, at once, each with an Idempotency-Key of its own; in the last pass once",
    );
    const same = run(GO, ...book(4_000, "k1"), ...book(4_000, "k1"), ...listed("4A", "4A"), two);
    expect(first(same, usual(), usual())).toBe(
      "request_repeated: POST /api/seats was sent twice, at once; in the last pass once",
    );
  });

  test("comes before a list of another name that has more of a thing since", () => {
    const tickets = (...names: string[]) =>
      exchange("/api/kitchen", {
        ts: 4_600,
        body: JSON.stringify({ rows: names.map((name) => ({ name })) }),
      });
    const failed = run(GO, ...book(4_000, "k1"), ...book(4_000, "k1"), ...tickets("4A", "4A"), two);
    const once = run(GO, ...book(4_000, "k9"), ...tickets("4A"), passing(count));
    expect(first(failed, once, once)).toStartWith(
      "request_repeated: POST /api/seats was sent twice, at once",
    );
  });

  test("comes before that list where the two have other ids, or say something else", () => {
    const said = (body: object) => ({ request: { body: JSON.stringify({ seat: "4A", ...body }) } });
    const once = (body: object) => run(GO, ...book(4_000, "", said(body)), ...listed("4A"), passing(count));
    const both = (one: object, other: object) =>
      run(GO, ...book(4_000, "", said(one)), ...book(4_000, "", said(other)), ...listed("4A", "4A"), two);
    const confidence = (failed: ReturnType<typeof run>, usual: ReturnType<typeof run>) => {
      const [suspect] = causeOf(failed, usual, usual).suspects;
      expect(suspect!.title).toStartWith("POST /api/seats was sent twice, at once");
      return suspect!.confidence;
    };
    const [one, other] = [1, 2].map((nth) => ({ key: `0f4c6f84-e804-4202-8d61-72fcc4e64ac${nth}` }));
    const ofIds = confidence(both(one!, other!), once({ key: "0f4c6f84-e804-4202-8d61-72fcc4e64ac3" }));
    expect(ofIds).toBeGreaterThan(confidence(both({ by: "form" }, { by: "button" }), once({ by: "form" })));
  });

  test("counts the one that was broken off when the other's answer had led elsewhere, and not one that was taken back for it", () => {
    const isTwice = (at: number) => {
      const [asked, broken] = book(4_000, "k1", { status: 0, error: "net::ERR_ABORTED" });
      const [again, done] = book(4_010, "k2");
      const ends = [
        { ...broken!, ts: at },
        { ...done!, ts: 4_090 },
      ];
      const both = [asked!, again!, ...ends.toSorted((a, b) => a.ts - b.ts)];
      return told(run(GO, ...both, ...listed("4A", "4A"), two), usual(), usual())
        .join()
        .includes("sent twice");
    };
    expect(isTwice(4_200)).toBeTrue();
    expect(isTwice(4_012)).toBeFalse();
  });
});

describe("two of the same by one press, each with an id that the page made for it", () => {
  const IDS = ["a0fe6d69-0ae4-409c-a3a3-c0599d4398dc", "8562e7bd-88d7-4241-a256-d4f6a88beb40"] as const;
  const order = (ts: number, clientId: string, item = "m110") =>
    exchange("/api/orders", {
      ts,
      method: "POST",
      status: 201,
      request: { body: JSON.stringify({ clientId, item }) },
    });

  test("are told without a pass", () => {
    const both = run(GO, ...order(4_000, IDS[0]), ...order(4_002, IDS[1]), failing());
    expect(first(both)).toBe("request_repeated: POST /api/orders was sent twice, within 2 ms");
  });

  test("are two things where a person could have pressed twice, the content differs, or an answer had given the ids", () => {
    const given = exchange("/api/drafts", {
      ts: 2_000,
      media_type: "application/json",
      body: JSON.stringify(IDS),
    });
    for (const silent of [
      run(GO, ...order(4_000, IDS[0]), ...order(4_400, IDS[1]), failing()),
      run(GO, ...order(4_000, IDS[0]), ...order(4_002, IDS[1], "m107"), failing()),
      run(...given, GO, ...order(4_000, IDS[0]), ...order(4_002, IDS[1]), failing()),
    ])
      expect(told(silent).join()).not.toContain("twice");
  });
});

describe("what a page sent twice", () => {
  const GIVEN = { payee: "Nordcloud", reference: "R-7" };
  const pay = (ts: number, body: object = GIVEN) =>
    exchange("/api/payments", { ts, method: "POST", status: 201, request: { body: JSON.stringify(body) } });
  const ambiguous = failing({
    message:
      "Error: strict mode violation: getByRole('row') resolved to 2 elements:\n 1) <tr></tr>\n 2) <tr></tr>",
    received: undefined,
  });
  const usual = run(GO, ...pay(4_000), passing());
  const cause = (...events: Parameters<typeof run>) => first(run(GO, ...events, ambiguous), usual, usual);

  test("comes before that it stands there twice", () => {
    expect(cause(...pay(4_000), ...pay(4_001))).toStartWith("request_repeated: POST /api/payments");
  });

  test("comes after that where it was something else the second time, or sent once", () => {
    expect(cause(...pay(4_000), ...pay(4_900, { payee: "Brandt" }))).toStartWith("element_ambiguous");
    expect(cause(...pay(4_000))).toStartWith("element_ambiguous");
  });
});

test("a second one that is refused stands behind that it was sent twice, and a first one that is refused does not", () => {
  const upload = (ts: number, status: number) =>
    exchange("/api/files", { method: "POST", ts, status, request: { body: '{"name":"plan.pdf"}' } });
  const twice = run(...upload(4_000, 201), ...upload(4_005, 500), failing());
  expect(first(twice, run(...upload(4_000, 201), passing()))).toStartWith(
    "request_repeated: POST /api/files was sent twice, within 5 ms",
  );
  expect(first(twice)).toStartWith("request_repeated: POST /api/files was sent twice, within 5 ms");
  expect(first(run(...upload(4_005, 500), failing()), run(...upload(4_000, 201), passing()))).toStartWith(
    "request_failed: POST /api/files was answered with 500",
  );
});

test("of two that went out at once the one that was recorded first may be the one that is refused", () => {
  const used = { message: "This code was already used" };
  const sent = (at: number, status: number, ts = 4_000) =>
    exchange("/api/codes", {
      ts: ts + at,
      status,
      method: "POST",
      media_type: "application/json",
      request: { body: '{"code":"KX-71"}' },
      body: JSON.stringify(status === 409 ? used : {}),
    });
  const failed = run(GO, ...sent(0, 409), ...sent(2, 201), failing());
  expect(first(failed)).toBe(
    "request_repeated: POST /api/codes was sent twice, within 2 ms; one of them was refused: “This code was already used”",
  );
  // What was refused and is sent again when that is known was tried again.
  expect(told(run(GO, ...sent(0, 409), ...sent(400, 201), failing())).join()).not.toContain("sent twice");
});
