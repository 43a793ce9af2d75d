import { describe, expect, test } from "bun:test";
import type { ComparedDimension, DiffItem } from "../../../../../server/trace/format/diff/types.ts";
import { divergenceWords } from "../../../../../server/trace/format/diff/words.ts";

const item = (more: Partial<DiffItem>): DiffItem => ({ key: "key", change: "changed", ...more });

const CASES: [ComparedDimension, DiffItem, string][] = [
  [
    "steps",
    item({
      a: { title: "Expect heading", status: "passed" },
      b: { title: "Expect heading", status: "failed", error: "Timed out." },
      detail: { now: "failing", differences: [{ path: "/status", a: "passed", b: "failed" }] },
    }),
    "“Expect heading” passed in A and failed in B: Timed out.",
  ],
  [
    "steps",
    item({
      a: { title: "Click Buy" },
      b: { title: "Click Order" },
      detail: { differences: [{ path: "/title", a: "Click Buy", b: "Click Order" }] },
    }),
    "Where A has the step “Click Buy”, B has “Click Order”.",
  ],
  ["steps", item({ change: "removed", a: { title: "Click Buy" } }), "Only A has the step “Click Buy”."],
  [
    "steps",
    item({ change: "added", b: { title: "Click Buy", status: "failed", error: "No such button" } }),
    "Only B has the step “Click Buy”, which failed: No such button.",
  ],
  [
    "network",
    item({
      a: { method: "GET", url: "http://x:1/cart", status: 200 },
      b: { method: "GET", url: "http://x:2/cart", status: 503 },
      detail: { now: "failing", differences: [{ path: "/status", a: 200, b: 503 }] },
    }),
    "GET /cart answered 200 in A and 503 in B.",
  ],
  [
    "network",
    item({
      a: { method: "POST", url: "http://x:1/cart?a=1", status: 200 },
      b: { method: "POST", url: "http://x:2/cart?a=1", status: null, error: "net::ERR_FAILED" },
      detail: { differences: [{ path: "/status", a: 200 }] },
    }),
    "POST /cart?a=1 answered 200 in A and failed (net::ERR_FAILED) in B.",
  ],
  [
    "network",
    item({
      change: "removed",
      a: { method: "GET", url: "http://x/a.css" },
      detail: { times: { a: 3, b: 0 } },
    }),
    "Only A sends GET /a.css, 3 times.",
  ],
  [
    "network",
    item({
      b: { method: "GET", url: "/sum" },
      detail: {
        differences: [
          { path: "/response_body/a~1b", a: 5, b: 6 },
          { path: "/response_body/list/0", b: "x" },
        ],
      },
    }),
    "GET /sum: response_body/a/b is 5 in A and 6 in B, and 1 more value.",
  ],
  [
    "dom",
    item({ key: "page /?mode=*", a: { url: "http://x/" }, b: { url: "http://x/?mode=broken" } }),
    "The page is / in A and /?mode=broken in B.",
  ],
  [
    "dom",
    item({ key: "page", a: { url: "http://x/a" }, b: { url: "http://x/b" } }),
    "The page is /a in A and /b in B.",
  ],
  [
    "dom",
    item({ key: "p[id=note]", change: "added", b: { text: "Sorry" } }),
    "Only B has p[id=note] with “Sorry”.",
  ],
  [
    "dom",
    item({ key: "button", detail: { differences: [{ path: "/state/disabled", b: "" }] } }),
    "button: state/disabled is only in B.",
  ],
  [
    "console",
    item({
      change: "added",
      b: { kind: "console.error", text: "no\nledger" },
      detail: { times: { a: 0, b: 2 } },
    }),
    "Only B logs an error, 2 times: “no ledger”.",
  ],
  [
    "clone",
    item({ change: "added", b: { kind: "clock.advance", subject: "" } }),
    "Only B has the move of the clock.",
  ],
  ["steps", item({ change: "same" }), "Nothing differs."],
];

describe("a difference in a sentence", () => {
  test.each(CASES)("%s", (dimension, one, words) => {
    expect(divergenceWords(dimension, one)).toBe(words);
  });

  test("the traces have the names that the reader knows them by", () => {
    const removed = item({ change: "removed", a: { title: "Click Buy" } });
    expect(divergenceWords("steps", removed, { a: "that run", b: "this one" })).toBe(
      "Only that run has the step “Click Buy”.",
    );
  });

  test("values of any length make a sentence of bounded length", () => {
    const long = "x".repeat(1_000_000);
    const one = item({
      a: { title: long, status: "passed" },
      b: { title: long, status: "failed", error: long },
      detail: { now: "failing" },
    });
    expect(divergenceWords("steps", one).length).toBeLessThan(500);
  });
});
