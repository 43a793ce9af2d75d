import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { events } from "../../helpers/bundles.ts";
import { uploadTrace } from "../../helpers/traces.ts";

/** What the monotonic clock goes on by whenever it is asked: work that takes long, without anybody waiting. */
let pace = 0;
let elapsed = 0;
const clock = createTestClock();

let on: TestApp;
beforeAll(async () => {
  on = await testApp({
    clock: {
      ...clock,
      monotonic: () => {
        elapsed += pace;
        return elapsed;
      },
    },
  });
});
afterAll(() => on.close());

const line = (seq: number, fields: Record<string, unknown>) => JSON.stringify({ seq, ts: seq, ...fields });
const request = (seq: number, headers: Record<string, string>) =>
  line(seq, {
    kind: "network.request",
    request_id: `r${seq}`,
    method: "GET",
    url: "http://shop.example/",
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  });

const upload = (lines: string[]) => uploadTrace(on, { entries: [events(`${lines.join("\n")}\n`)] });

async function check(id: string) {
  const response = await on.api(`/v1/traces/${id}/share/check`);
  expect(response.status).toBe(200);
  return (await response.json()) as { headers: { name: string; count: number }[]; is_complete: boolean };
}

test("headers with credentials are counted by their names, in whatever letters, and masked ones are none", async () => {
  const { id } = await upload([
    request(0, { Authorization: "Bearer abc", Cookie: "a=b", Accept: "cookie" }),
    request(1, { cookie: "[redacted]", "X-API-Key": "k1" }),
    line(2, { kind: "console.log", message: "authorization: Bearer abc" }),
    request(3, { cookie: "a=b" }).replace('"cookie"', '"cook\\u0069e"'),
  ]);
  const { headers, is_complete } = await check(id);
  expect(headers.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: "authorization", count: 1 },
    { name: "cookie", count: 2 },
    { name: "x-api-key", count: 1 },
  ]);
  expect(is_complete).toBe(true);
});

test("more exchanges than are looked at, or a look that takes too long, is told as not complete", async () => {
  const lines = Array.from({ length: 5001 }, (_, seq) => request(seq, { cookie: "a=b" }));
  const { id } = await upload(lines);
  expect(await check(id)).toMatchObject({ headers: [{ name: "cookie", count: 5000 }], is_complete: false });
  pace = 900;
  const { headers, is_complete } = await check(id).finally(() => {
    pace = 0;
  });
  expect(is_complete).toBe(false);
  expect(headers[0]!.count).toBeLessThan(1000);
});
