import { expect, test } from "bun:test";
import { exchange, failing, run, told } from "../run.ts";

const wire = { name: "Host", value: "shop.example" };
const cookie = { name: "Cookie", value: "sid=1" };
const html = { resource_type: "document", media_type: "text/html" };
const leading = (to: string) => ({ status: 303, headers: [{ name: "Location", value: to }] });
const reports = (ts: number) =>
  exchange("/office/reports", { ts, ...html, ...leading("/office/login"), request: { headers: [wire] } });
const login = (ts: number) => exchange("/office/login", { ts, ...html, request: { headers: [wire] } });
const signIn = (answer: object = leading("/office/reports")) =>
  exchange("/office/login", { method: "POST", ts: 3_000, ...html, ...answer });
const views = (ts: number, headers: object[]) =>
  exchange("/api/views", { method: "POST", ts, request: { headers } });
const away = [...reports(3_010), ...login(3_020)];
const cause = (...events: ReturnType<typeof exchange>) =>
  told(run(...reports(1_000), ...login(1_010), ...events, failing())).join("\n");

test("a page that a sign-in led to, and that was sent back without the cookie that others carry since", () => {
  expect(cause(...views(1_100, [wire]), ...signIn(), ...away, ...views(3_100, [wire, cookie]))).toStartWith(
    "storage: GET /office/reports came without the cookie “sid” and was sent to /office/login, though POST /office/login had led there; POST /api/views carried it afterwards, so it may be set for another path",
  );
});

test("lacks no cookie that came before the sign-in, or with its page, nor where the sign-in led nowhere", () => {
  for (const silent of [
    cause(...views(1_100, [wire, cookie]), ...signIn(), ...away, ...views(3_100, [wire, cookie])),
    cause(...signIn(), ...away, ...views(3_100, [wire, cookie])),
    cause(...views(1_100, [wire]), ...signIn({ status: 200 }), ...away, ...views(3_100, [wire, cookie])),
    cause(...views(1_100, [wire]), ...signIn(), ...away, ...views(3_100, [wire])),
  ])
    expect(silent).not.toContain("came without the cookie");
});
