import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "./run.ts";

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
