import { describe, expect, test } from "bun:test";
import { exchange, failing, passing, run, save, told } from "./run.ts";

const progress = {
  title: "Expect \"toHaveText\" getByTestId('progress')",
  expected: '"2 of 2 done"',
};
const received = '"1 of 2 done"';
const board = (ts: number, ...done: boolean[]) =>
  exchange("/api/boards/brd_1a2b3c", {
    ts,
    body: JSON.stringify({ items: done.map((isDone, at) => ({ text: `Step ${at}`, isDone })) }),
  });
const asked = [...board(1_000, true, false), ...board(1_500, true, false), ...board(2_000, true, false)];
const patch = (more: object = {}) =>
  exchange("/api/items/itm_9d8e7f", {
    ...{ method: "PATCH", ts: 3_050, request: { body: '{"isDone":true}' } },
    ...{ body: '{"isDone":true}', ...more },
  });
const pass = run(...asked, save(), ...patch(), ...board(3_100, true, true), passing(progress));

describe("what a page asked for again and again and was answered the same", () => {
  const titles = (...events: Parameters<typeof run>) =>
    told(run(...asked, save(), ...events, failing({ ...progress, received })), pass, pass);

  test("comes after the write that was refused", () => {
    const [first] = titles(...patch({ status: 429, body: "Too many requests" }));
    expect(first).toStartWith("request_failed: PATCH /api/items/itm_9d8e7f was answered with 429");
  });

  test("comes after the write that was never sent", () => {
    expect(titles()[0]).toStartWith("request_unsent: PATCH");
  });

  test("comes after what was answered otherwise to who changed it", () => {
    expect(titles(...patch({ body: '{"isDone":false}' }), ...board(3_100, true, false))[0]).toStartWith(
      "answer_changed: PATCH /api/items/itm_9d8e7f answered “false” for “isDone”",
    );
  });

  test("is told first where all that was written went well", () => {
    expect(titles(...patch(), ...board(3_100, true, false))[0]).toContain("4 times in a row");
  });

  test("is told first where another site's request failed", () => {
    const beacon = exchange("http://stats.example/collect", { method: "POST", ts: 3_060, status: 500 });
    expect(titles(...patch(), ...beacon, ...board(3_100, true, false))[0]).toContain("4 times in a row");
  });

  test("is not told where a pass came to another answer only after the step that failed here", () => {
    const unread = (ts: number, count: number) =>
      exchange("/api/news", { ts, body: JSON.stringify({ unread: count }) });
    const same = [...unread(1_000, 0), ...unread(2_000, 0), ...unread(3_000, 0)];
    const check = { ...progress, ts: 4_000, duration_ms: 2_000 };
    const usual = (ts: number) => run(...same, passing({ ...check, duration_ms: 100 }), ...unread(ts, 1));
    const titles = (ts: number) =>
      told(run(...same, ...unread(5_000, 0), failing({ ...check, received })), usual(ts)).join();
    expect(titles(5_000)).not.toContain("times in a row");
    expect(titles(4_050)).toContain("GET /api/news still answered “0” for “unread”, 4 times in a row");
  });
});
