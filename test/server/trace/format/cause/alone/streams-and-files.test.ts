import { expect, test } from "bun:test";
import { click, exchange, failing, page, run, SITE } from "../run.ts";
import { document, json, told } from "./scene.ts";

test("an event stream that its answer ends for good is told, before what was shown since the page was read", () => {
  const cause = (stream: Record<string, unknown>, url = "/api/sales/stream") =>
    told(
      run(
        ...json("/api/sales/today", { sold: 41 }, { ts: 1_000 }),
        ...exchange(url, { ts: 1_100, resource_type: "eventsource", ...stream }),
        failing({
          title: `Expect "toHaveText" getByTestId('sold')`,
          expected: '"43 seats"',
          received: '"41 seats"',
        }),
        page("<p>Sold <b>41 seats</b></p>"),
      ),
    );
  expect(cause({ status: 204 })[0]).toBe(
    "stream_ended: The event stream GET /api/sales/stream was answered with 204: the browser ends it, and asks no more",
  );
  expect(cause({ media_type: "text/html; charset=utf-8" })[0]).toBe(
    "stream_ended: The event stream GET /api/sales/stream was answered with 200 and the type “text/html”: the browser ends it, and asks no more",
  );
  for (const silent of [
    cause({ media_type: "text/event-stream" }),
    cause({ status: 204 }, "https://chat.example/live"),
    cause({ status: 503 }),
  ])
    expect(silent.join("\n")).not.toContain("asks no more");
  expect(cause({ media_type: "text/event-stream" })[0]).toContain("GET /api/sales/today answered “41”");
});

test("a file that the browser opened in the place of saving it is told with what its answer lacks", () => {
  const cause = (disposition?: string) =>
    told(
      run(
        page("<h1>Orders</h1>", { ts: 4_000, url: `${SITE}/orders`, step_id: "export" }),
        click("Export", { ts: 4_100, step_id: "export" }),
        ...document("/api/export.csv", "a;b", {
          ts: 5_100,
          media_type: "text/plain",
          headers: [
            { name: "content-type", value: "text/plain" },
            ...(disposition === undefined ? [] : [{ name: "content-disposition", value: disposition }]),
          ],
        }),
        failing({ message: 'Timeout 2000ms exceeded while waiting for event "download"' }),
        page("a;b", { url: `${SITE}/api/export.csv` }),
      ),
    ).join("\n");
  const begins = "download: The download never started; the page itself went to /api/export.csv";
  expect(cause()).toContain(
    `${begins}, which came without Content-Disposition: attachment, so that the browser opens it`,
  );
  expect(cause("inline")).toContain("Content-Disposition: attachment (it has “inline”)");
  expect(cause("attachment; filename=a.csv")).not.toContain("Content-Disposition");
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
