import { expect, test } from "bun:test";
import { click, exchange, failing, page, run, SITE } from "../run.ts";
import { document, first, header, json, told } from "./scene.ts";

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

test("an event stream that ended and was not opened again is told, one that was opened again is not", () => {
  const stream = (ts: number, size: number | null) =>
    exchange("/events", {
      ts,
      resource_type: "eventsource",
      media_type: "text/event-stream",
      ...(size !== null && { body_size: size }),
    });
  expect(first(run(...stream(1_000, 40), failing()))).toBe(
    "stream_ended: The event stream GET /events ended after 10 ms and was not opened again",
  );
  expect(told(run(...stream(1_000, 40), ...stream(4_000, null), failing())).join()).not.toContain(
    "The event stream",
  );
});

test("an event stream that never began is told, and one that did, or is of another page or site, is not", () => {
  const stream = (ts: number, url = "/live") => exchange(url, { ts, resource_type: "eventsource" });
  const home = document("/", "<p>Hi</p>", { ts: 1_000, headers: header("content-type", "text/html") });
  const asked = (url?: string) => stream(3_000, url).slice(0, 1);
  const cause = (...events: Parameters<typeof run>) => told(run(...home, ...events, failing())).join("\n");
  expect(told(run(...asked(), failing()))[0]).toStartWith("assertion:");
  expect(cause(...asked())).toStartWith(
    "stream_ended: The event stream GET /live never got an answer that the browser took: none came, or one of another type than text/event-stream",
  );
  for (const events of [
    stream(3_000),
    [...asked(), ...stream(4_000)],
    [...asked(), ...document("/other", "<p>Hi</p>", { ts: 4_000 })],
    asked("https://chat.example/live"),
  ])
    expect(cause(...events)).not.toContain("never got an answer");
});
