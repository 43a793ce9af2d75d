import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";
import { socket } from "../../socket.ts";

/** What a page opens in every pass to hear of news. */
const served = (url = "/parcel", more: object = {}) =>
  exchange(url, {
    ts: 800,
    resource_type: "document",
    media_type: "text/html",
    request: { page: "one" },
    ...more,
  });
const stream = exchange("/parcel/news", {
  ts: 1_000,
  resource_type: "eventsource",
  media_type: "text/event-stream",
  request: { page: "one" },
});
const check = {
  expected: '"On its way"',
  received: '"Packed"',
  message: 'expect(locator).toHaveText(expected) failed\n\nLocator: getByRole("status")',
};
const usual = run(...served(), ...stream, passing(check));
const TOLD = "never opened";

test("an event stream that every pass opens and this run never opened is told with the page that opens it", () => {
  expect(first(run(...served(), failing(check)), usual, usual)).toBe(
    "request_unsent: The page /parcel never opened the event stream /parcel/news: in the last pass it opened it 200 ms after it came, and hears by it of what is new",
  );
});

test("a WebSocket that was never opened is told in the same way", () => {
  const open = socket.map((event) => ({ ...event, page: "one" }));
  expect(first(run(...served(), failing(check)), run(...served(), ...open, passing(check)))).toContain(
    "never opened the WebSocket /live",
  );
});

test("an element that a script has to define is told with the stream that it opens", () => {
  const seen = page("<parcel-state><p role=status>Packed</p></parcel-state>");
  expect(first(run(...served(), seen, failing(check)), usual)).toEndWith(
    "; the step looks at <parcel-state>, which does nothing unless a script defines it",
  );
});

test("nothing is told of a stream that not every pass opens, that was opened, or whose page did not come", () => {
  const silent = (...given: Parameters<typeof told>) => expect(told(...given).join()).not.toContain(TOLD);
  silent(run(...served(), failing(check)), usual, run(...served(), passing(check)));
  silent(run(...served(), ...stream, failing(check)), usual);
  silent(run(...served("/"), failing(check)), usual);
  silent(run(...served("/parcel", { status: 500 }), failing(check)), usual);
  silent(run(...served("/parcel", { ts: 6_700 }), failing(check)), usual);
});
