import { expect, test } from "bun:test";
import { detectCookies } from "../../../../../server/trace/format/cause/detectors/session/cookies.ts";
import { detectMocks } from "../../../../../server/trace/format/cause/detectors/test-code/mocks.ts";
import { createRunReader } from "../../../../../server/trace/format/cause/run/run-reader.ts";
import type { Evidence, Finding } from "../../../../../server/trace/format/cause/types.ts";
import type { TraceEvent } from "../../../../../server/trace/format/event.ts";

/** A run that asks so often for what is called alike. @param isSet whether each answer sets a cookie, which the next request carries */
function runOf(count: number, isSet: boolean) {
  const reader = createRunReader();
  for (let at = 0; at < count; at++) {
    const common = { ts: 1_000 + at * 10, request_id: `r${at}`, url: `http://shop.test/api/items/${at}` };
    const events: TraceEvent[] = [
      {
        ...{ ...common, seq: at * 2 + 1, kind: "network.request", method: "GET", resource_type: "fetch" },
        headers: [
          { name: "host", value: "shop.test" },
          ...(isSet && at > 0 ? [{ name: "cookie", value: "basket=1" }] : []),
        ],
      },
      {
        ...{ ...common, seq: at * 2 + 2, ts: common.ts + 5, kind: "network.response", status: 200 },
        headers: [
          { name: "content-type", value: "application/json" },
          ...(isSet ? [{ name: "set-cookie", value: "basket=1; path=/" }] : []),
        ],
      },
    ];
    for (const event of events) reader.add(event);
  }
  return { facts: reader.finish(), page: null, bodies: new Map(), environment: {} };
}

type Looked = "headers" | "status";

/** How often a pass's first answer is looked at for a run that asks so often, and what is found. */
function looksAt(count: number, looked: Looked, detect: (evidence: Evidence) => Finding[]) {
  const pass = runOf(3, true);
  const run = runOf(count, false);
  let looks = 0;
  const [first] = pass.facts.exchanges;
  const value = first![looked];
  Object.defineProperty(first, looked, {
    get() {
      looks += 1;
      return value;
    },
  });
  const failed = { step: null, from: 1_000_000, to: 1_000_100 } as unknown as Evidence["failed"];
  const found = detect({ failed, run, passes: [pass], testFiles: [] });
  return { looks, titles: found.map(({ title }) => title) };
}

test("what a pass always set is looked up once for all requests that are called alike", () => {
  const few = looksAt(10, "headers", detectCookies);
  const many = looksAt(1_000, "headers", detectCookies);
  expect(few.titles).toEqual([expect.stringContaining("did not set the cookie “basket”")]);
  expect(many.titles).toEqual(few.titles);
  expect(many.looks).toBe(few.looks);
});

test("what a test's own routes left to the server in a pass is looked up once as well", () => {
  const few = looksAt(10, "status", detectMocks);
  expect(few.looks).toBeGreaterThan(0);
  expect(looksAt(1_000, "status", detectMocks)).toEqual(few);
});
