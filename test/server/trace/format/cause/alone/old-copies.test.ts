import { describe, expect, test } from "bun:test";
import { exchange, failing, page, run } from "../run.ts";
import { document, first, header, json, operation, told } from "./scene.ts";

describe("an answer out of a cache", () => {
  const tag = header("etag", '"1"');
  const settings = (more: Record<string, unknown> = {}) =>
    json("/api/settings", { digest: false }, { ts: 1_000, headers: tag, ...more });
  const kept = settings({ ts: 4_800, status: 304, request: { headers: header("if-none-match", '"1"') } });
  const change = (url: string) => exchange(url, { ts: 3_000, method: "PUT", status: 200 });

  test("is told where the run had changed something within it since", () => {
    expect(first(run(...settings(), ...change("/api/settings/digest"), ...kept, failing()))).toBe(
      "stale_answer: GET /api/settings was answered from the browser's cache (304: the server said that nothing had changed), though PUT /api/settings/digest had been sent since: the page may show what was before that",
    );
  });

  test("is right where nothing of it was changed", () => {
    expect(told(run(...settings(), ...change("/api/cards/7"), ...kept, failing())).join()).not.toContain(
      "had been sent since",
    );
    expect(told(run(...settings(), ...kept, failing())).join()).not.toContain("had been sent since");
  });

  test("is another thing's where that was not asked for before", () => {
    const copy = {
      ts: 4_800,
      status: 304,
      headers: tag,
      request: { headers: header("if-none-match", '"1"') },
    };
    const cause = (id: number) =>
      told(
        run(
          ...json("/api/orders/7", {}, { ts: 1_000 }),
          ...change("/api/orders/7/items"),
          ...json(`/api/orders/${id}`, {}, copy),
          failing(),
        ),
      ).join();
    expect(cause(7)).toContain("had been sent since");
    expect(cause(8)).not.toContain("had been sent since");
  });

  test("is right where only questions were asked since, though they were posted", () => {
    const ask = (ts: number, more: object = {}) =>
      json("/graphql?operationName=Settings", { data: {} }, { ts, headers: tag, ...more });
    const again = ask(4_800, { status: 304, request: { headers: header("if-none-match", '"1"') } });
    const cause = (text: string) =>
      told(run(...ask(1_000), ...operation(text, {}, {}, { ts: 3_000 }), ...again, failing())).join("\n");
    expect(cause("mutation SetDigest { setDigest }")).toContain("(SetDigest) had been sent since");
    expect(cause("query Badges { badges }")).not.toContain("had been sent since");
  });
});

test("an old copy of a list is told after a write to one of its things", () => {
  const headers = [
    { name: "date", value: "Sat, 28 Nov 2026 10:00:00 GMT" },
    { name: "cache-control", value: "private, max-age=300" },
  ];
  const read = (ts: number, date = headers[0]!.value) =>
    json("/messages/list", { unread: 2 }, { ts, headers: [{ name: "date", value: date }, headers[1]!] });
  const cause = (write: string, ...last: Parameters<typeof read>) =>
    told(
      run(...read(1_000), ...exchange(write, { ts: 2_000, method: "POST" }), ...read(...last), failing()),
    ).join("\n");
  expect(cause("/messages/1/read", 2_100)).toContain(
    "stale_answer: GET /messages/list was answered out of the browser's cache, with the copy of before, though POST /messages/1/read had been sent since",
  );
  expect(cause("/cart/items", 2_100)).not.toContain("had been sent since");
  expect(cause("/messages/1/read", 2_100, "Sat, 28 Nov 2026 10:00:02 GMT")).not.toContain(
    "had been sent since",
  );
});

test("of answers that say the same the last is what the page shows, and it is an old copy", () => {
  const read = (ts: number, address: string) =>
    json(
      "/api/orders",
      { items: [{ id: 5003, status: "Paid" }] },
      { ts, server_ip: address, http_version: "h2" },
    );
  const [first] = told(
    run(
      ...read(1_000, "127.0.0.1"),
      ...read(4_500, ""),
      failing({ expected: '"Archived"', received: '"Paid"' }),
      page("<b>Paid</b>"),
    ),
  );
  expect(first).toContain(
    "stale_answer: GET /api/orders answered out of a service worker or the browser's cache “Paid” for “items.0.status”",
  );
});

test("a page that was opened with the copy of what a script had got at its address is told", () => {
  const PART = "<ul><li>Order 7</li></ul>";
  const kept = (address: string) => ({ server_ip: address, http_version: "h2" });
  const cause = (
    body: string,
    options: { got?: string; address?: string; type?: string; vary?: string } = {},
  ) => {
    const { got = body, address = "", type = "xhr", vary } = options;
    const headers = vary === undefined ? [] : [{ name: "vary", value: vary }];
    return told(
      run(
        ...document("/orders?late=1", got, { ts: 3_000, resource_type: type, ...kept("127.0.0.1"), headers }),
        ...document("/orders?late=1", body, { ts: 4_500, ...kept(address), headers }),
        failing(),
        page(body),
      ),
    ).join("\n");
  };
  expect(cause(PART)).toStartWith(
    "stale_answer: GET /orders?late=1 was opened out of a service worker or the browser's cache as the part of a page that a script had got there 1.5 s earlier: the answer has no Vary that tells one from the other",
  );
  expect(cause('{"orders":[7]}', { vary: "Accept-Encoding" })).toContain(
    "as the data that a script had got there 1.5 s earlier: the answer's Vary (“Accept-Encoding”) does not tell one from the other",
  );
  for (const silent of [
    // Pages fetch whole ones ahead.
    cause(`<!doctype html><title>Orders</title>${PART}`),
    cause(PART, { got: "<ul></ul>" }),
    cause(PART, { address: "127.0.0.1" }),
    cause(PART, { type: "document" }),
  ])
    expect(silent).not.toContain("was opened");
});
