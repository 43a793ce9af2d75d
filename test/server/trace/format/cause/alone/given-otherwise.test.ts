import { expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { first, header, json, told } from "./scene.ts";

const fill = (label: string, value: string) =>
  click(`Fill "${value}" getByLabel('${label}')`, {
    name: "page.fill",
    ts: 2_000,
    step_id: label,
    params: { selector: `internal:role=dialog[name="Card"i] >> internal:label="${label}"i`, value },
  });
const save = click("Click Save", { ts: 3_000, step_id: "save" });
const sent = (body: object) =>
  exchange("/api/cards/7", {
    ts: 3_010,
    method: "PATCH",
    request: { body: JSON.stringify(body), headers: header("content-type", "application/json") },
  });
const points = failing({ expected: '"13 pts"', received: '"3 pts"' });

test("a number that was filled in and sent as another one is told with both", () => {
  const cause = (body: object) => told(run(fill("Estimate", "13"), save, ...sent(body), points)).join();
  expect(cause({ title: "a", estimate: 3 })).toStartWith(
    "page_changed: PATCH /api/cards/7 was sent with “3” for “estimate”, where the test had filled in “13” for “Estimate”",
  );
  for (const body of [
    { estimate: 13 },
    { estimate: "13" },
    { estimate: 1300 },
    { weight: 3 },
    { estimate: "three" },
  ])
    expect(cause(body)).not.toContain("had filled in");
  const other = failing({ expected: '"Done"', received: '"Doing"' });
  expect(told(run(fill("Estimate", "13"), save, ...sent({ estimate: 3 }), other)).join()).not.toContain(
    "had filled in",
  );
});

test("a count that was sent as another one is told where a sum of it is another one", () => {
  const sum = failing({ expected: '"€47.65"', received: '"€20.85"' });
  const cause = (quantity: unknown) =>
    told(run(fill("Quantity", "3"), save, ...sent({ quantity }), sum)).join();
  expect(cause(1)).toStartWith(
    "page_changed: PATCH /api/cards/7 was sent with “1” for “quantity”, where the test had filled in “3” for “Quantity”",
  );
  expect(cause(3)).not.toContain("had filled in");
});

test("an amount is known by its cents", () => {
  const amount = failing({ expected: '"Awaiting"', received: '"R-7€12.40Sent"' });
  const cause = (amountCents: number) =>
    told(run(fill("Amount", "12,400.00"), save, ...sent({ amountCents }), amount)).join();
  expect(cause(1_240)).toContain(
    "was sent with “1240” for “amountCents”, where the test had filled in “12,400.00”",
  );
  expect(cause(1_240_000)).not.toContain("had filled in");
});

test("a moment that a write is answered with otherwise is no other clock, though the answer wraps it", () => {
  const planned = failing({ expected: '"09:15 Planning"', received: '"09:30 Planning"' });
  const event = (start: string) =>
    json(
      "/api/events",
      { event: { id: "e", start } },
      {
        ts: 3_010,
        method: "POST",
        status: 201,
        request: {
          body: '{"title":"Planning","start":"2027-03-16T09:15:00.000Z"}',
          headers: header("content-type", "application/json"),
        },
      },
    );
  expect(first(run(save, ...event("2027-03-16T09:30:00.000Z"), planned))).toBe(
    "answer_changed: POST /api/events was sent with “2027-03-16T09:15:00.000Z” for “start” and answered with “2027-03-16T09:30:00.000Z”",
  );
  expect(first(run(save, ...event("2027-03-16T09:15:00.000Z"), planned))).toStartWith("time:");
});
