import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";
import { closed, message, socket } from "../../socket.ts";

const line = (text: string, more: object = {}) => ({ kind: "console.error", text, ts: 4_990, ...more });

test("an event stream that ended, where it stays open in passes", () => {
  const stream = (size?: number) =>
    exchange("/events", {
      ts: 3_000,
      resource_type: "eventsource",
      media_type: "text/event-stream",
      ...(size !== undefined && { body_size: size }),
    });
  expect(first(run(...stream(46), failing()), run(...stream(), passing()))).toBe(
    "stream_ended: The event stream GET /events ended after 10 ms; in the last pass it stayed open",
  );
  expect(told(run(...stream(46), failing()), run(...stream(46), passing())).join()).not.toContain("stream");
  expect(told(run(...stream(), failing()), run(...stream(), passing())).join()).not.toContain("stream");
});

test("a socket that closed when the step had given up tells nothing, nor does a pass that closed it at its end", () => {
  const closing = (ts: number) => [...socket, closed(ts)];
  expect(told(run(...closing(7_030), failing())).join()).not.toContain("closed");
  expect(first(run(...closing(6_000), failing()), run(...closing(7_900), passing()))).toStartWith(
    "websocket_closed: The WebSocket /live closed while the page went on",
  );
});

test("an event stream that the browser refused is told with its type", () => {
  const refused = line(
    'EventSource\'s response has a MIME type ("text/plain") that is not "text/event-stream". Aborting the connection.',
  );
  const stream = exchange("/events", { resource_type: "eventsource", ts: 4_000 });
  expect(first(run(...stream, refused, failing()))).toBe(
    'browser_policy: The browser refused the event stream /events: a MIME type ("text/plain") that is not "text/event-stream"',
  );
});

test("an event stream without an answer is told where every pass got one", () => {
  const stream = exchange("/events", {
    ts: 3_000,
    resource_type: "eventsource",
    media_type: "text/event-stream",
  });
  const asked = stream.slice(0, 1);
  expect(first(run(...asked, failing()), run(...stream, passing()))).toBe(
    "stream_ended: The event stream GET /events got no answer that the browser took: none came, or one of another content type than text/event-stream; in the last pass it was open (200)",
  );
  expect(told(run(...asked, failing()), run(...asked, passing())).join()).not.toContain("stream");
});

test("a message that came later than any pass listened is nothing new", () => {
  const said = (type: string, ts: number) => message("received", { type }, ts);
  const hello = said("hello", 1_010);
  const failed = (ts: number) => run(...socket, hello, said("tick", ts), failing());
  const usual = run(...socket, hello, passing({ ts: 1_500, duration_ms: 100 }));
  expect(told(failed(4_500), usual, usual).join()).not.toContain("tick");
  expect(first(failed(1_400), usual, usual)).toContain("brought a message of type “tick”, which no pass had");
});

test("a message without the value that it has in passes is told with what was sent in its place", () => {
  const sent = (channel: string) => message("sent", { op: "subscribe", channel }, 1_010);
  const usual = run(...socket, sent("show:17"), passing());
  expect(first(run(...socket, sent("show:undefined"), failing()), usual, usual)).toBe(
    'request_unsent: The page sent “{"op":"subscribe","channel":"show:undefined"}” in place of “{"op":"subscribe","channel":"show:17"}” over the WebSocket /live, which every pass sent',
  );
  expect(first(run(...socket, sent("show:undefined"), failing()))).toBe(
    'page_changed: The page sent “{"op":"subscribe","channel":"show:undefined"}” over the WebSocket /live: it had no value for it',
  );
  expect(told(run(...socket, sent("show:17"), failing())).join()).not.toContain("had no value");
});

test("a connection that ended as the page went elsewhere by itself is no cause", () => {
  const at = (path: string, ts: number) => page("<p>Here</p>", { url: SITE + path, ts, step_id: "go" });
  const ended = (...shots: ReturnType<typeof at>[]) =>
    told(run(...socket, ...shots, closed(3_000), failing())).join();
  expect(ended(at("/events/1", 1_500), at("/basket", 2_900))).not.toContain("closed while the page went on");
  expect(ended(at("/events/1", 1_500), at("/events/1", 2_900))).toContain("closed while the page went on");
  expect(ended(at("/signin", 500))).toContain("closed while the page went on");
});
