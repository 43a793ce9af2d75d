import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "./run.ts";

const HOST = { name: "Host", value: "shop.example" };
// The runs of these tests begin at 00:16:40 on that day.
const PAST = "Wed, 31 Dec 1969 22:16:43 GMT";
const AHEAD = "Thu, 01 Jan 1970 08:16:43 GMT";

const signIn = (value: string) =>
  exchange("/api/session", {
    ts: 3_000,
    method: "POST",
    body: "{}",
    headers: [{ name: "Set-Cookie", value }],
    request: { headers: [HOST] },
  });
const me = (cookie?: string) =>
  exchange("/api/me", {
    ts: 4_000,
    status: cookie === undefined ? 401 : 200,
    request: { headers: [HOST, ...(cookie === undefined ? [] : [{ name: "Cookie", value: cookie }])] },
  });
const usual = run(...signIn(`sid=a1b2; Path=/; Expires=${AHEAD}`), ...me("sid=a1b2"), passing());
const withTerms = (value: string) => run(...signIn(value), ...me(), failing());

test("a cookie that had ended before it came is told with its end", () => {
  const failed = withTerms(`sid=c3d4; Path=/; Expires=${PAST}`);
  const said = `POST /api/session set the cookie “sid” to end 2 hours before it came (Expires=${PAST}), by a clock that is behind or by a wrong reckoning: browsers keep no such cookie`;
  expect(first(failed, usual, usual)).toBe(`storage: ${said}, and no later request carried it`);
});

test("a cookie that is taken away has no value, a word for it, no life, or an end of long ago", () => {
  for (const terms of [
    `sid=; Expires=${PAST}`,
    `sid=deleted; Expires=${PAST}`,
    `sid=c3d4; Max-Age=0; Expires=${PAST}`,
    "sid=c3d4; Expires=Mon, 01 Dec 1969 00:00:00 GMT",
  ])
    expect(told(withTerms(terms), usual, usual).join()).not.toContain("to end");
});
