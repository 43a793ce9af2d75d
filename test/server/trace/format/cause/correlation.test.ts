import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const form = { name: "Content-Type", value: "application/x-www-form-urlencoded" };
const html = (token: string) => ({
  resource_type: "document",
  media_type: "text/html",
  body: `<form method="post"><input type="hidden" name="_csrf" value="${token}"></form>`,
});
const opened = (token: string, ts = 1_000) => exchange("/permit", { ts, ...html(token) });
const lookup = (token: string) =>
  exchange("/lookup", { ts: 2_000, headers: [{ name: "X-Csrf-Next", value: token }] });
const post = (token: string, status: number) =>
  exchange("/permit", {
    method: "POST",
    ts: 4_000,
    resource_type: "document",
    status,
    request: { headers: [form], body: `_csrf=${token}&street=Quay` },
  });
const renewed = (own: string) =>
  run(...opened(`a1-${own}`), ...lookup(`b2-${own}`), ...post(`b2-${own}`, 302), passing());
const passes = [renewed("91c4"), renewed("77e0")] as const;

test("a token that an answer had replaced before it was sent is told with who replaced it", () => {
  const old = run(...opened("a1-55aa"), ...lookup("b2-55aa"), ...post("a1-55aa", 403), failing());
  expect(first(old, ...passes)).toBe(
    "storage: POST /permit was sent with an older “_csrf” than the one that GET /lookup had given by then in the header x-csrf-next, which every pass sends; it was answered with 403",
  );
});

test("tells nothing of a token that was accepted, is the one that was given, or that no answer gives in the passes", () => {
  const sent = (token: string, status: number) =>
    run(...opened("a1-55aa"), ...lookup("b2-55aa"), ...post(token, status), failing());
  for (const one of [sent("a1-55aa", 302), sent("b2-55aa", 403)])
    expect(told(one, ...passes).join()).not.toContain("_csrf");
  const made = (token: string) => run(...opened(`a1-${token}`), ...post(`own-${token}`, 302), passing());
  expect(told(sent("a1-55aa", 403), made("91c4"), made("77e0")).join()).not.toContain("_csrf");
});

test("a token that goes by one header both ways is told as older, with passes and without", () => {
  const token = (value: string) => [{ name: "X-Csrf-Token", value }];
  const listed = (value: string) => exchange("/api/orders", { ts: 2_000, headers: token(value) });
  const moved = (value: string, status: number) =>
    exchange("/api/orders/1/move", { method: "POST", ts: 4_000, status, request: { headers: token(value) } });
  const usual = run(...moved("b15df1e8", 200), passing());
  const refused = run(...listed("1a52c366"), ...moved("b15df1e8", 403), failing());
  const words =
    "storage: POST /api/orders/1/move was sent with an older “x-csrf-token” than the one that GET /api/orders had given by then; it was answered with 403";
  expect(first(refused, usual, usual)).toBe(words);
  expect(first(refused)).toBe(words);
  expect(told(run(...listed("1a52c366"), ...moved("1a52c366", 403), failing())).join()).not.toContain(
    "older",
  );
});

test("without a pass a token that a later answer gave anew in the same place is told", () => {
  const boosted = (token: string, more: object = {}, url = "/suppliers") =>
    exchange(url, {
      ts: 2_000,
      media_type: "text/html",
      body: `<head><meta name="csrf-token" content="${token}"></head><h1>Suppliers</h1>`,
      ...more,
    });
  const start = boosted("a1-55aa", { ts: 1_000, resource_type: "document" });
  const add = (token: string, status: number, more: object = {}) =>
    exchange("/suppliers", {
      method: "POST",
      ts: 4_000,
      status,
      request: { headers: [{ name: "X-CSRF-Token", value: token }] },
      ...more,
    });
  const cause = (...events: Parameters<typeof run>) => told(run(...start, ...events, failing())).join("\n");
  expect(cause(...boosted("b2-55aa"), ...add("a1-55aa", 403))).toStartWith(
    "storage: POST /suppliers was sent with an older “x-csrf-token” than the one that GET /suppliers had given by then in the field csrf-token; it was answered with 403",
  );
  const outdated = { media_type: "application/json", body: '{"error":"The form has expired"}' };
  expect(cause(...boosted("b2-55aa"), ...add("a1-55aa", 422, outdated))).toContain("an older");
  const unfilled = { media_type: "application/json", body: '{"error":"Name is required"}' };
  const barred = { media_type: "application/json", body: '{"error":"Your role may not add suppliers"}' };
  const shown = page("<h1>Suppliers</h1>", { url: `${SITE}/suppliers` });
  for (const silent of [
    cause(...boosted("b2-55aa"), ...add("b2-55aa", 403)),
    cause(...boosted("b2-55aa"), ...add("a1-55aa", 201)),
    // What is said to be wrong is something else.
    cause(...boosted("b2-55aa"), ...add("a1-55aa", 422, unfilled)),
    cause(...boosted("b2-55aa"), ...add("a1-55aa", 403, barred)),
    // Another tab's, a frame's, one of another site, or one of a form among others.
    cause(...boosted("b2-55aa", { request: { page: "two" } }), ...add("a1-55aa", 403)),
    cause(...boosted("b2-55aa", { resource_type: "document" }, "/chat"), ...add("a1-55aa", 403), shown),
    cause(...boosted("b2-55aa", {}, "https://pay.example/form"), ...add("a1-55aa", 403)),
    cause(
      ...boosted("b2-55aa", {
        body: `<input name="csrf-token" value="b2-55aa"><input name="csrf-token" value="a1-55aa">`,
      }),
      ...add("a1-55aa", 403),
    ),
    // Both are good.
    cause(...boosted("b2-55aa"), ...add("a1-55aa", 201, { ts: 3_000 }), ...add("a1-55aa", 403)),
  ])
    expect(silent).not.toContain("an older");
});

test("without a pass a token of another answer is another thing, whatever it is called", () => {
  const issued = (url: string, token: string, ts: number) =>
    exchange(url, { ts, media_type: "application/json", body: JSON.stringify({ token }) });
  const pay = exchange("/api/pay", {
    method: "POST",
    ts: 4_000,
    status: 403,
    request: { headers: [{ name: "X-Session-Token", value: "s-1001" }] },
  });
  const cause = (later: string) =>
    told(
      run(...issued("/api/session", "s-1001", 1_000), ...issued(later, "s-2002", 2_000), ...pay, failing()),
    )[0];
  expect(cause("/api/session")).toBe(
    "storage: POST /api/pay was sent with an older “x-session-token” than the one that GET /api/session had given by then in the field token; it was answered with 403",
  );
  expect(cause("/api/invitations")).not.toContain("an older");
});

describe("an address that has another field of a thing than in passes", () => {
  const visit = (id: string, ref: string, asked: string, end: typeof failing, status = 200) =>
    run(
      ...exchange(`/api/stays/${ref}/cancel`, {
        ts: 3_000,
        method: "POST",
        body: JSON.stringify({ stay: { id, ref } }),
      }),
      ...exchange(`/api/stays/${asked}`, {
        ts: 4_000,
        status,
        body: JSON.stringify(status === 404 ? { message: "Stay not found." } : { ref }),
      }),
      end(),
    );
  const passes = [
    visit("9c1f", "LH-2KF", "LH-2KF", passing),
    visit("77ab", "LH-9QT", "LH-9QT", passing),
  ] as const;

  test("is told with the refusal", () => {
    expect(first(visit("5d0e", "LH-7ZW", "5d0e", failing, 404), ...passes)).toBe(
      "request_failed: GET /api/stays/5d0e was answered with 404: Stay not found; the address has the “id” that POST /api/stays/LH-7ZW/cancel answered, where the passes have its “ref” (“LH-7ZW”)",
    );
  });

  test("is none where it has the same field, a value of no answer, or passes ask by both", () => {
    const both = visit("b2c3", "LH-1AA", "b2c3", passing);
    for (const causes of [
      told(visit("5d0e", "LH-7ZW", "LH-7ZW", failing, 404), ...passes),
      told(visit("5d0e", "LH-7ZW", "0000", failing, 404), ...passes),
      told(visit("5d0e", "LH-7ZW", "5d0e", failing, 404), passes[0], both),
    ])
      expect(causes.join()).not.toContain("he address has");
  });
});
