import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run } from "../run.ts";

const REFUSED = { message: 'The label "Night shift" is already on this shift' };
const json = (body: unknown, more: object) => ({
  media_type: "application/json",
  body: JSON.stringify(body),
  ...more,
});
const read = (labels: string[], url = "/api/shifts/s_9f2") =>
  exchange(url, json({ id: "s_9f2", labels }, { ts: 3_000 }));
const add = (status: number, ts = 4_100) =>
  exchange(
    "/api/labels",
    json(status === 409 ? REFUSED : { id: 4 }, {
      ts,
      status,
      method: "POST",
      request: { body: JSON.stringify({ shiftId: "s_9f2", label: "Night shift" }) },
    }),
  );
const press = click("Click Add", { ts: 4_000 });

describe("what was refused since it is there already", () => {
  const words = "; GET /api/shifts/s_9f2 had “Night shift” for “labels.1” already, before that was sent";
  const had = run(...read(["late", "Night shift"]), press, ...add(409), failing());

  test("is told with the answer that had it before, with and without a pass", () => {
    const usual = run(...read(["late"]), press, ...add(201), passing());
    expect(first(had)).toEndWith(words);
    expect(first(had, usual, usual)).toContain(words);
    expect(first(had, usual, usual)).toStartWith("request_failed: POST /api/labels was answered with 409");
  });

  test("is not where passes had it there as well, the test itself added it, or what has it is no such thing", () => {
    const isTold = (...given: Parameters<typeof first>) =>
      first(...given)?.includes(" already, before") ?? false;
    expect(isTold(had, run(...read(["late", "Night shift"]), press, ...add(201), passing()))).toBe(false);
    expect(isTold(run(...add(201, 2_000), ...read(["Night shift"]), press, ...add(409), failing()))).toBe(
      false,
    );
    const all = exchange("/api/all-labels", json({ items: ["late", "Night shift"] }, { ts: 3_000 }));
    expect(isTold(run(...all, press, ...add(409), failing()))).toBe(false);
  });
});
