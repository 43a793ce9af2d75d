import { expect, test } from "bun:test";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { createSearchText } from "../../../../server/trace/format/search-text.ts";

const collect = (events: Record<string, unknown>[]) => {
  const text = createSearchText();
  for (const [seq, event] of events.entries()) text.add({ seq, ts: 0, ...event } as TraceEvent);
  return text.finish({ title: "Checkout", failure: "no" });
};

test("each kind of text goes to its column, once, and other kinds nowhere", () => {
  expect(
    collect([
      { kind: "console.error", text: "\u001b[31mbroken\u001b[39m" },
      { kind: "console.error", text: "broken" },
      { kind: "console.log", text: "chatter" },
      { kind: "network.request", url: "http://a/b?c=d" },
      { kind: "network.response", url: "http://a/b?c=d" },
      { kind: "network.request", url: "data:text/plain,x" },
      { kind: "assertion", message: "expected 1" },
      { kind: "agent.thought", text: "hm" },
      { kind: "agent.thought", text: 7 },
    ]),
  ).toEqual({
    title: "Checkout",
    failure: "no",
    console: "broken",
    requests: "http://a/b?c=d",
    assertions: "expected 1",
    thoughts: "hm",
  });
});

test("a column stays bounded however much is said", () => {
  const { thoughts } = collect(
    Array.from({ length: 2_000 }, (_, n) => ({
      kind: "agent.thought",
      text: `${n} ${"word ".repeat(2_000)}`,
    })),
  );
  expect(Buffer.byteLength(thoughts)).toBeLessThanOrEqual(256 * 1024);
  expect(Buffer.byteLength(thoughts)).toBeGreaterThan(250 * 1024);
});
