import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const json = (url: string, body: unknown, more: object = {}) =>
  exchange(url, { body: JSON.stringify(body), media_type: "application/json", ...more });
const sent = (id: string, more: object = {}) =>
  json(
    "/api/bills/7/reminders",
    { ok: true, reminder: { id } },
    { ts: 4_000, method: "POST", status: 201, ...more },
  );
const bill = (ts: number, ...ids: string[]) =>
  json("/api/bills/7", { total: 80, reminders: ids.map((id) => ({ id })) }, { ts });
const none = { name: "toHaveCount", expected: "1", received: "0" };
const pass = (id: string) => run(...bill(3_000), ...sent(id), ...bill(4_100, id), passing(none));
const usual = [pass("rem_2e2ade92"), pass("rem_4b529155")];
const toldOf = (...events: Parameters<typeof run>) => told(run(...events, failing(none)), ...usual).join();

describe("what a write said that it made", () => {
  test("is told to be stored nowhere where every pass reads it after the same write", () => {
    expect(first(run(...bill(3_000), ...sent("rem_8935c277"), ...bill(4_100), failing(none)), ...usual)).toBe(
      "answer_changed: GET /api/bills/7 came without what POST /api/bills/7/reminders had made and answered with 201 (“rem_8935c277”), which it has in every pass: it was not stored, or not yet",
    );
  });

  test("is known by its number too, whenever a pass noted the answer to the write", () => {
    const made = (more: object = {}) =>
      json("/api/bills", { id: 1036 }, { ts: 4_000, method: "POST", status: 201, ...more });
    const bills = (ts: number, ...ids: number[]) =>
      json("/api/bills", { items: [1_000, ...ids].map((id) => ({ id })), total: 80 }, { ts });
    const late = run(...bills(3_000), ...made({ duration_ms: 150 }), ...bills(4_060, 1_036), passing(none));
    const events = (...ids: number[]) => [...bills(3_000), ...made(), ...bills(4_100, ...ids)];
    expect(first(run(...events(), failing(none)), late, late)).toStartWith(
      "answer_changed: GET /api/bills came without what POST /api/bills had made and answered with 201 (“1036”)",
    );
    expect(told(run(...events(1_036), failing(none)), late, late).join()).not.toContain("had made");
  });

  test("is told to have come as an old copy where it did", () => {
    const copy = json(
      "/api/bills/7",
      { reminders: [] },
      { ts: 4_100, headers: [{ name: "age", value: "9" }] },
    );
    expect(toldOf(...bill(3_000), ...sent("rem_8935c277"), ...copy)).toContain(
      "every pass: it came from a cache",
    );
  });

  test("was stored where another answer has it by then, so that the list is an old one or leaves it out", () => {
    const own = (ts: number) =>
      json("/api/reminders/rem_8935c277", { id: "rem_8935c277", at: "noon" }, { ts });
    const said = "it was stored, since GET /api/reminders/rem_8935c277 has it;";
    expect(toldOf(...bill(3_000), ...sent("rem_8935c277"), ...own(4_050), ...bill(4_100))).toContain(
      `${said} this answer is the one from before that, as out of a cache`,
    );
    expect(toldOf(...bill(3_000, "rem_0"), ...sent("rem_8935c277"), ...own(4_050), ...bill(4_100))).toContain(
      `${said} this answer leaves it out, or is from before that`,
    );
    // It may have been stored in between.
    expect(toldOf(...bill(3_000), ...sent("rem_8935c277"), ...bill(4_100), ...own(4_200))).toContain(
      "it was not stored, or not yet",
    );
  });

  test("is stored where it is read in the end, was not asked for since, or its write failed", () => {
    const silent = (...events: Parameters<typeof run>) =>
      expect(toldOf(...bill(3_000), ...events)).not.toContain("had made");
    silent(...sent("rem_8935c277"), ...bill(4_100), ...bill(4_600, "rem_8935c277"));
    silent(...sent("rem_8935c277"));
    // What the answer said was not recorded.
    silent(...sent("rem_8935c277"), ...exchange("/api/bills/7", { ts: 4_100 }));
    silent(...sent("rem_8935c277", { status: 500 }), ...bill(4_100));
  });

  test("is not what the same write made that was sent once too often", () => {
    const again = (ts: number, more: object = {}) => sent("rem_1f0a93bd", { ts, ...more });
    const read = (...twin: ReturnType<typeof again>) =>
      toldOf(...bill(3_000), ...sent("rem_8935c277"), ...twin, ...bill(4_100, "rem_1f0a93bd"));
    expect(read(...again(4_001))).not.toContain("had made");
    expect(read(...again(4_001, { request: { body: '{"note":"other"}' } }))).toContain("had made");
  });

  test("is nothing that a pass reads only later, or not at all", () => {
    const late = run(
      ...bill(3_000),
      ...sent("rem_4b529155"),
      ...bill(4_100),
      ...bill(4_400, "rem_4b529155"),
      passing(none),
    );
    const failed = run(...bill(3_000), ...sent("rem_8935c277"), ...bill(4_100), failing(none));
    expect(told(failed, usual[0]!, late).join()).not.toContain("had made");
  });

  test("is nothing that a sign-in answered: who that is need not be in what is read since", () => {
    const toldAfter = (url: string, user: object, request: object = {}) => {
      const post = (id: string) =>
        json(url, { ...user, id }, { ts: 3_500, method: "POST", request: { body: JSON.stringify(request) } });
      const bookings = (...guests: string[]) => json("/api/bookings", guests, { ts: 4_000 });
      const passed = (id: string) => run(...post(id), ...bookings(id), passing(none));
      const failed = run(...post("usr_8935c277"), ...bookings(), failing(none));
      return told(failed, passed("usr_2e2ade92"), passed("usr_4b529155")).join();
    };
    expect(toldAfter("/api/auth/login", { accessToken: "at_5f0c81d2" })).not.toContain("had made");
    expect(toldAfter("/session", {}, { email: "ann@inn.example", password: "hush" })).not.toContain(
      "had made",
    );
    expect(toldAfter("/api/sessions", { room: "Blue" })).toContain("had made");
    expect(toldAfter("/api/guests", {}, { password: "hush" })).toContain("had made");
  });

  test("is read for whoever had signed in then, and not for who signed in since", () => {
    const users = (ann: string, bob: string) =>
      json("/api/users", { ann: { id: ann }, bob: { id: bob } }, { ts: 3_000, method: "POST", status: 201 });
    const signIn = (ts: number) =>
      json(
        "/api/login",
        { ok: true },
        { ts, method: "POST", request: { body: JSON.stringify({ password: "hush" }) } },
      );
    const me = (ts: number, id: string) => json("/api/me", { user: { id } }, { ts });
    const both = (ann: string, bob: string) => [
      ...users(ann, bob),
      ...signIn(3_100),
      ...me(3_200, ann),
      ...signIn(3_300),
      ...me(3_400, bob),
    ];
    const failed = run(...both("usr_8935c277", "usr_5f0c81d2"), failing(none));
    const passed = run(...both("usr_2e2ade92", "usr_4b529155"), passing(none));
    expect(told(failed, passed, passed).join()).not.toContain("had made");
  });

  test("is read by a pass right after the write where the end of that was noted some ms too late", () => {
    const soon = run(...bill(3_000), ...sent("rem_4b529155"), ...bill(4_009, "rem_4b529155"), passing(none));
    const failed = run(...bill(3_000), ...sent("rem_8935c277"), ...bill(4_100), failing(none));
    expect(told(failed, usual[0]!, soon).join()).toContain("had made");
  });

  test("is nothing that was known before the write", () => {
    const known = "crd_8935c277";
    const failed = run(...bill(3_000, known), ...sent(known), ...bill(4_100), failing(none));
    const passed = run(...bill(3_000, known), ...sent(known), ...bill(4_100, known), passing(none));
    expect(told(failed, passed, passed).join()).not.toContain("had made");
  });
});
