import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const stream = (page: string, more: object = {}) =>
  exchange("/api/events", {
    ts: 1_000,
    resource_type: "eventsource",
    media_type: "text/event-stream",
    request: { page },
    ...more,
  });
const approve = (page = "two", more: object = {}) =>
  exchange("/api/payments/7/approve", { ts: 4_000, method: "POST", body: "{}", request: { page }, ...more });
const shown = { expected: '"Sent"', received: '"Waiting"', page: "one" };
const usual = run(...stream("one"), ...approve(), passing(shown));
const cause = (...events: Parameters<typeof run>) =>
  told(run(...events, failing(shown)), usual, usual).join();

describe("a page that waits for what another page wrote, with a stream of events open", () => {
  test("is told with the write and the stream", () => {
    expect(first(run(...stream("one"), ...approve(), failing(shown)), usual, usual)).toBe(
      "page_changed: The page was not brought up to date after POST /api/payments/7/approve, which another page sent: it hears of that by the event stream /api/events, over which no message of it came, or none that the page could use",
    );
  });

  test("is told of a write of the test itself, which every pass sends so as well", () => {
    const sent = exchange("/api/payments/7/approve", {
      ts: 4_000,
      method: "POST",
      resource_type: "api",
      body: "{}",
    });
    const passes = run(...stream("one"), ...sent, passing(shown));
    const failed = run(...stream("one"), ...sent, failing(shown));
    expect(first(failed, passes, passes)).toContain("approve, which the test itself sent: it hears of that");
    expect(told(failed, usual, usual).join()).not.toContain("brought up to date");
  });

  test("is none where it wrote itself, has no stream, asked since or was used since, or the write failed", () => {
    const silent = (...events: Parameters<typeof run>) =>
      expect(cause(...events)).not.toContain("brought up to date");
    silent(...stream("one"), ...approve("one"));
    silent(...stream("two"), ...approve());
    silent(...stream("one", { status: 500 }), ...approve());
    silent(...stream("one"), ...approve("two", { status: 409 }));
    silent(...stream("one"), ...approve(), click("Reload", { ts: 4_500, page: "one" }));
    const asked = exchange("/api/payments", { ts: 4_100, request: { page: "one" } });
    silent(...stream("one"), ...approve(), ...asked);
  });

  test("is none where a pass has no stream", () => {
    const other = run(...approve(), passing(shown));
    const failed = run(...stream("one"), ...approve(), failing(shown));
    expect(told(failed, usual, other).join()).not.toContain("brought up to date");
  });
});
