import { expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { first, told } from "./scene.ts";

test("several things that were sent, and of which the server took one, are told with their field", () => {
  const form = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
  const apply = (body: string, headers = form) =>
    exchange("/office/bulk", {
      method: "POST",
      ts: 4_000,
      body: "<p>1 updated</p>",
      request: { headers, body },
    });
  const check = { expected: '"3 updated"', received: '"1 updated"' };
  const failed = (body: string, more: Record<string, unknown> = check) => run(...apply(body), failing(more));
  const sentence =
    "answer_changed: POST /office/bulk was sent with 3 “ids”, and only one of them was taken: the page says “1 updated” where the test wants “3 updated”";
  expect(first(failed("action=approve&ids=a&ids=b&ids=c"))).toBe(sentence);
  expect(first(run(...apply('{"ids":["a","b","c"]}', []), failing(check)))).toBe(sentence);
  for (const silent of [
    failed("action=approve&ids=a"),
    failed("action=approve&ids=a&ids=b"),
    failed("action=approve&ids=a&ids=b&ids=c", { ...check, received: '"2 updated"' }),
    failed("action=approve&ids=a&ids=b&ids=c", { ...check, received: '"1 refused"' }),
  ])
    expect(told(silent).join()).not.toContain("only one of them");
});

test("a page that asks for the same part again when the test goes on to the next one is told", () => {
  const slots = (from: string, ts: number) =>
    exchange(`/api/slots?office=1&from=${from}`, { ts, body: JSON.stringify({ from, items: [{ id: 1 }] }) });
  const next = (title: string) => click(title, { name: "page.click", ts: 3_500 });
  const went = (from: string, title = "Click getByRole('button', { name: 'Next week' })") => [
    ...slots("2026-11-30", 3_000),
    next(title),
    ...slots(from, 3_600),
  ];
  const sentence =
    "page_changed: After “Click getByRole('button', { name: 'Next week' })” the page asked GET /api/slots for the same part again (“from=2026-11-30”), and for no other";
  expect(first(run(...went("2026-11-30"), failing()))).toBe(sentence);
  const isTold = (...args: Parameters<typeof told>) =>
    told(...args)
      .join()
      .includes("the same part again");
  const refresh = "Click getByRole('button', { name: 'Refresh' })";
  expect(isTold(run(...went("2026-11-30", refresh), failing()))).toBeFalse();
  expect(isTold(run(...went("2026-11-30"), ...slots("2026-12-07", 3_700), failing()))).toBeFalse();
});

test("two files that went out side by side, and of which one was refused, were not sent once too often", () => {
  const upload = (length: number, ts: number, status: number) =>
    exchange("/api/files", {
      ...{ method: "POST", ts, status, duration_ms: 200 },
      request: { headers: [{ name: "content-length", value: String(length) }] },
    });
  const sent = (other: number) =>
    told(run(...upload(900, 4_000, 201), ...upload(other, 4_005, 500), failing())).join();
  expect(sent(950)).not.toContain("was sent twice");
  expect(sent(900)).toContain("was sent twice");
});
