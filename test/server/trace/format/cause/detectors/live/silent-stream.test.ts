import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

type Events = ReturnType<typeof exchange>;
const served = (more = "") =>
  exchange("/desk", {
    ts: 1_000,
    resource_type: "document",
    media_type: "text/html",
    body: `<h1>Desk</h1><p>Connecting…</p>${more}`,
    request: { page: "one" },
  });
const stream = (header: string | null = "no", more: object = {}) =>
  exchange("/desk/stream", {
    ts: 1_500,
    resource_type: "eventsource",
    media_type: "text/event-stream",
    request: { page: "one" },
    headers: header === null ? [] : [{ name: "x-accel-buffering", value: header }],
    ...more,
  });
const shown = (html: string) => page(`<h1>Desk</h1>${html}<ul></ul>`, { page: "one" });
const asked = (more: object = {}) =>
  exchange("/desk/count", { ts: 2_000, request: { page: "one" }, ...more });
const check = { expected: '"A for B"', received: '""', page: "one" };
const usual = run(...served(), ...stream(), ...asked(), shown("<p>Connected</p>"), passing(check));
const failed = (opened: Events, html: string, ...more: Events) =>
  run(...served(), ...opened, ...(more.length > 0 ? more : asked()), shown(html), failing(check));
const WAITS = "<p>Connecting…</p>";

test("a stream that was opened while the page waits as it was served is told, with the header that is missing", () => {
  expect(first(failed(stream(null), WAITS), usual, usual)).toBe(
    "stream_ended: The event stream GET /desk/stream was opened (200) and brought nothing that the page shows: it still says “Connecting…”, as it was served, where each pass had gone on by then; GET /desk/stream came without the header x-accel-buffering “no”, which it has in every pass: a proxy in front may hold back what it brings",
  );
  expect(first(failed(stream(), WAITS), usual, usual)).toStartWith(
    "stream_ended: The event stream GET /desk/stream",
  );
});

test("no stream is told where the page went on, passes wait as well, or something else went wrong", () => {
  const silent = (...given: Parameters<typeof told>) =>
    expect(told(...given).join("\n")).not.toContain("brought nothing");
  silent(failed(stream(), "<p>Connected</p>"), usual, usual);
  const waiting = run(...served(), ...stream(), ...asked(), shown(WAITS), passing(check));
  silent(failed(stream(), WAITS), usual, waiting);
  silent(failed(stream(), WAITS, ...asked({ status: 500 })), usual, usual);
  silent(
    failed(stream(), WAITS, ...exchange("/other", { ts: 2_000, request: { page: "one" } })),
    usual,
    usual,
  );
  silent(failed(stream("no", { status: 500 }), WAITS), usual, usual);
  // What no pass was served with may be the server's word of something else.
  const other = run(
    ...served("<p>Closed today</p>"),
    ...stream(),
    ...asked(),
    shown("<p>Closed today</p>"),
    failing(check),
  );
  silent(other, usual, usual);
});
