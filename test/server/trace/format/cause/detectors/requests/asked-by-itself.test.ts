import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const orders = (ts: number, names: string[], more: Record<string, unknown> = {}) =>
  exchange("/api/orders", {
    ...{ ts, page: "p", media_type: "application/json" },
    body: JSON.stringify({ orders: names.map((name) => ({ name })) }),
    ...more,
  });
const opened = exchange("/board", {
  ts: 1_000,
  page: "p",
  resource_type: "document",
  media_type: "text/html",
});
const accept = click("Accept", { ts: 2_900, name: "page.click", page: "p" });
const write = exchange("/api/orders/1", { ts: 2_910, page: "p", method: "PATCH" });
const made = exchange("/test/orders", { ts: 3_100, method: "POST", resource_type: "api", status: 201 });
const look = { name: "toBeVisible", title: "Expect \"toBeVisible\" getByText('Iria')", ts: 3_500 };
const missing = { ...look, expected: "visible", received: undefined, duration_ms: 3_000 };
const html = (name: string) => page(`<li>${name}</li>`, { url: `${SITE}/board`, ts: 6_400, page: "p" });
const polled = (...more: ReturnType<typeof orders>[]) =>
  run(
    ...[...opened, ...orders(2_500, ["Eva"]), accept, ...write, ...orders(3_000, ["Eva"])],
    ...[...made, ...orders(3_600, ["Eva"]), ...orders(4_200, ["Eva", "Iria"]), ...more.flat()],
    passing({ ...look, duration_ms: 800 }),
  );
const silent = (...more: ReturnType<typeof orders>[]) =>
  run(
    ...[...opened, ...orders(2_500, ["Eva"]), accept, ...write, ...orders(3_000, ["Eva"])],
    ...[...made, ...more.flat(), html("Eva"), failing(missing)],
  );

test("what a page no longer asks for by itself is told before what its last answer said", () => {
  expect(first(silent(), polled(), polled())).toBe(
    "request_unsent: The page stopped asking for GET /api/orders by itself, so it never read what POST /test/orders changed: it asked last 3.5 s before the step gave up, where it asks again within 590 ms in the last pass",
  );
});

test("what is asked for because of something, asked for still, or left, and what nobody else wrote anything for, is not told so", () => {
  const isTold = (failed: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
    told(failed, ...passes)
      .join()
      .includes("stopped asking for GET /api/orders by itself");
  expect(isTold(silent(), polled())).toBeTrue();
  expect(isTold(silent())).toBeFalse();
  expect(isTold(silent(orders(5_900, ["Eva"])), polled())).toBeFalse();
  const nobodyWrote = run(
    ...[...opened, ...orders(2_500, ["Eva"]), accept, ...write, ...orders(3_000, ["Eva"])],
    ...[html("Eva"), failing(missing)],
  );
  expect(isTold(nobodyWrote, polled())).toBeFalse();
  // What a write, another answer or a message leads to.
  const after = (...cause: ReturnType<typeof exchange>) =>
    run(
      ...[...opened, ...orders(2_500, ["Eva"]), accept, ...write, ...orders(2_930, ["Eva"])],
      ...[...cause, ...orders(4_200, ["Eva", "Iria"]), passing({ ...look, duration_ms: 800 })],
    );
  expect(
    isTold(silent(), after(...exchange("/api/orders/2", { ts: 4_000, method: "PATCH", page: "p" }))),
  ).toBeFalse();
  expect(isTold(silent(), after(...exchange("/api/shop", { ts: 4_150, page: "p" })))).toBeFalse();
  const stream = exchange("/live", { ts: 1_200, resource_type: "websocket", page: "p", status: 101 });
  expect(isTold(silent(), after(...stream))).toBeFalse();
  const left = exchange("/menu", {
    ts: 3_200,
    page: "p",
    resource_type: "document",
    media_type: "text/html",
  });
  expect(isTold(silent(left), polled())).toBeFalse();
});
