import { expect, test } from "bun:test";
import { detectCookies } from "../../../../../server/trace/format/cause/detectors/session/cookies.ts";
import { createRunReader } from "../../../../../server/trace/format/cause/run/run-reader.ts";
import type { Evidence } from "../../../../../server/trace/format/cause/types.ts";
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

/** How often the answers of the pass are looked at. */
function looksAt(count: number): { looks: number; titles: string[] } {
  const pass = runOf(3, true);
  let looks = 0;
  const [first] = pass.facts.exchanges;
  const { headers } = first!;
  Object.defineProperty(first, "headers", {
    get() {
      looks += 1;
      return headers;
    },
  });
  const failed = { step: null, from: 1_000_000, to: 1_000_100 } as unknown as Evidence["failed"];
  const found = detectCookies({ failed, run: runOf(count, false), passes: [pass], testFiles: [] });
  return { looks, titles: found.map(({ title }) => title) };
}

test("what a pass always set is looked up once for all requests that are called alike", () => {
  const few = looksAt(10);
  const many = looksAt(1_000);
  expect(few.titles).toEqual([expect.stringContaining("did not set the cookie “basket”")]);
  expect(many.titles).toEqual(few.titles);
  expect(many.looks).toBe(few.looks);
});
