import { expect, test } from "bun:test";
import { exchange, failing, page, run } from "../run.ts";
import { document, json, told } from "./scene.ts";

const home = document("/", "<h1>Shop</h1>", { ts: 1_000 });
const frame = document("http://127.0.0.1:7412/pay?ref=2cb3", "<button>Pay</button>", { ts: 4_000 });
const unpaid = failing({ expected: '"Order confirmed"', received: '""' });

test("an origin that the page is told, and that the frame it is about is not at, is told", () => {
  const config = (payOrigin: string) => json("/config.json", { currency: "NOK", payOrigin }, { ts: 3_500 });
  expect(told(run(...home, ...config("https://pay.staging.shop.test"), ...frame, unpaid))[0]).toBe(
    "answer_changed: GET /config.json names “https://pay.staging.shop.test” as “payOrigin”, but what is shown of it is at “http://127.0.0.1:7412”: messages from there are of another origin",
  );
  const served = document("/receive", '<fieldset data-pay-origin="http://localhost:7412"></fieldset>');
  expect(told(run(...home, ...served, ...frame, unpaid))[0]).toContain(
    "GET /receive names “http://localhost:7412” as “data-pay-origin”",
  );
});

test("an origin that something came from, that is of nothing shown, or that is no address, is none", () => {
  const silent = [
    { payOrigin: "http://127.0.0.1:7412" },
    { cdnOrigin: "https://cdn.shop.test" },
    { origin: "https://elsewhere.test" },
    { payOrigin: "LIS" },
    { payOrigin: "https://pay.shop.test/v2/start" },
  ];
  for (const settings of silent)
    expect(
      told(run(...json("/config.json", settings, { ts: 3_500 }), ...frame, unpaid)).join("\n"),
    ).not.toContain("another origin");
  const asked = exchange("https://pay.shop.test/status", { ts: 3_600 });
  const reached = run(
    ...json("/config.json", { payOrigin: "https://pay.shop.test" }),
    ...asked,
    ...frame,
    unpaid,
  );
  expect(told(reached).join("\n")).not.toContain("another origin");
});

const items = (from: number) => ({ items: Array.from({ length: 8 }, (_, at) => ({ id: from + at })) });
const pageOf = (query: string, ts: number, from = 0) => json(`/api/events?${query}`, items(from), { ts });
const rows = failing({ name: "toHaveCount", expected: "16", received: "9" });

test("a page of a list that begins within the one before it is told with how much of it was there already", () => {
  const list = page("<ul></ul>");
  expect(
    told(
      run(...pageOf("q=&limit=8&offset=0", 1_000), ...pageOf("q=&limit=8&offset=1", 2_000, 1), rows, list),
    )[0],
  ).toBe(
    "page_changed: GET /api/events?q=&limit=8&offset=1 asked for what comes after 1, though the page before it had begun at 0 with “limit” 8: 7 of these were there already",
  );
});

test("pages that follow on each other, of other lists, or that are read again are none", () => {
  const silent = [
    ["limit=8&offset=0", "limit=8&offset=8"],
    ["limit=8&offset=0", "limit=8&offset=0"],
    ["limit=8&offset=8", "limit=8&offset=0"],
    ["q=a&limit=8&offset=0", "q=b&limit=8&offset=1"],
    ["limit=8&offset=0", "limit=20&offset=4"],
    ["page=0&size=8", "page=1&size=8"],
  ];
  for (const [before, after] of silent)
    expect(told(run(...pageOf(before!, 1_000), ...pageOf(after!, 2_000, 1), rows)).join("\n")).not.toContain(
      "there already",
    );
});
