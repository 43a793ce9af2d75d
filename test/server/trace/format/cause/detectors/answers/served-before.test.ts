import { expect, test } from "bun:test";
import { document } from "../../alone/scene.ts";
import { exchange, first, page, run, save, savedInVain, told } from "../../run.ts";

/** A served page that comes again after a write, which changes it in every pass. */
const lamp = (state: string) => `<main><h1>Lamp</h1><p>Oak, with a shade</p>${state}</main>`;
const IN_STOCK = lamp("<label><input type=radio>Large</label>");
const SOLD = lamp("<label><input type=radio disabled>Large, sold out</label>");
const target = "getByRole('radio', { name: 'Large, sold out' })";
const step = { ts: 5_000, title: `Click ${target}`, params: { selector: target } };
const put = (status = 200, url = "/api/stock/lamp") =>
  exchange(url, { method: "PUT", ts: 3_000, status, request: { body: '{"stock":0}' } });
const visits = (before: string, after: string, write = put()) => [
  ...document("/lamp", before, { ts: 2_000 }),
  ...write,
  ...document("/lamp", after, { ts: 4_000 }),
];
const failed = (...events: ReturnType<typeof put>) =>
  run(
    ...events,
    savedInVain({ ...step, log: [`waiting for ${target}`] }),
    page(IN_STOCK, { step_id: "save", ts: 8_000 }),
  );
const pass = (...events: ReturnType<typeof put>) =>
  run(...events, save(step), page(SOLD, { step_id: "save", ts: 5_000 }));
const usual = pass(...visits(IN_STOCK, SOLD));
const SINCE = "still as before";

test("a served page that came as it was before a write is told with the write", () => {
  expect(first(failed(...visits(IN_STOCK, IN_STOCK)), usual, usual)).toBe(
    "answer_changed: GET /lamp came with “Large”, where the last pass had “Large, sold out”: still as before PUT /api/stock/lamp, which was answered with 200",
  );
});

test("a page is behind no write where that was refused, signs somebody in, or does not change it in every pass", () => {
  const said = (...given: Parameters<typeof told>) => told(...given).join("\n");
  expect(said(failed(...visits(IN_STOCK, IN_STOCK, put(409))), usual)).not.toContain(SINCE);
  expect(said(failed(...visits(IN_STOCK, IN_STOCK, put(200, "/sign-in"))), usual)).not.toContain(SINCE);
  expect(said(failed(...document("/lamp", IN_STOCK, { ts: 4_000 })), usual)).not.toContain(SINCE);
  // What it changed otherwise is no page of before.
  const few = lamp("<label><input type=radio>Large, few left</label>");
  expect(said(failed(...visits(IN_STOCK, few)), usual)).not.toContain(SINCE);
  const always = pass(...visits(SOLD, SOLD));
  expect(said(failed(...visits(IN_STOCK, IN_STOCK)), usual, always)).not.toContain(SINCE);
});
