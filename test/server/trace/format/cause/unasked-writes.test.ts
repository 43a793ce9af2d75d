import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const listed = (ts: number, ...names: string[]) =>
  exchange("/api/lists/7/tasks", {
    ts,
    media_type: "application/json",
    body: JSON.stringify({ tasks: names.map((name) => ({ name })) }),
  });
const UNDO = click("Click Undo", { ts: 3_000 });
const count = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByTestId('task')",
  expected: "2",
};
const one = failing({ ...count, received: "1" });
const usual = () =>
  run(...listed(2_000, "Ring Ana", "Sweep"), UNDO, ...listed(4_800, "Ring Ana", "Sweep"), passing(count));

describe("a write that no pass sends", () => {
  const removal = (path: string, ts = 4_000, more: object = {}) =>
    exchange(path, { ts, method: "DELETE", status: 204, ...more });

  test("is told over the list that lacks what it removed", () => {
    const failed = run(
      ...listed(2_000, "Ring Ana", "Sweep"),
      UNDO,
      ...removal("/api/tasks/41"),
      ...listed(4_800, "Ring Ana"),
      one,
    );
    expect(first(failed, usual(), usual())).toBe(
      "page_changed: DELETE /api/tasks/41 was sent, which no pass sends: it went out 1.0 s after “Click Undo”",
    );
  });

  test("is another thing's where passes send the like, or where the test itself or a tracker sent it", () => {
    const removed = () =>
      run(
        ...listed(2_000, "Ring Ana", "Sweep"),
        UNDO,
        ...removal("/api/tasks/52"),
        ...listed(4_800, "Ring Ana", "Sweep"),
        passing(count),
      );
    const failed = run(
      ...listed(2_000, "Ring Ana", "Sweep"),
      UNDO,
      ...removal("/api/tasks/41"),
      ...listed(4_800, "Ring Ana"),
      one,
    );
    expect(told(failed, removed(), removed()).join()).not.toContain("no pass sends");
    for (const sent of [
      removal("/api/tasks/41", 4_000, { resource_type: "api" }),
      removal("/api/metrics/41"),
    ])
      expect(
        told(
          run(...listed(2_000, "Ring Ana", "Sweep"), UNDO, ...sent, ...listed(4_800, "Ring Ana"), one),
          usual(),
          usual(),
        ).join(),
      ).not.toContain("no pass sends");
  });

  test("does not come before the list of another thing, nor before what an answer had said otherwise before it", () => {
    const other = run(
      ...listed(2_000, "Ring Ana", "Sweep"),
      UNDO,
      ...removal("/api/drafts/41"),
      ...listed(4_800, "Ring Ana"),
      one,
    );
    expect(first(other, usual(), usual())).toStartWith("answer_changed: GET /api/lists/7/tasks");
    const before = run(
      ...listed(2_000, "Ring Ana"),
      UNDO,
      ...removal("/api/tasks/41"),
      ...listed(4_800, "Ring Ana"),
      one,
    );
    expect(first(before, usual(), usual())).toStartWith("answer_changed: GET /api/lists/7/tasks");
  });

  test("is nothing that a page saves by itself while a step waits", () => {
    const saved = (ts: number) => exchange("/api/tasks/draft", { ts, method: "PUT" });
    const failed = (ts: number) =>
      told(
        run(...listed(2_000, "Ring Ana", "Sweep"), UNDO, ...saved(ts), ...listed(4_800, "Ring Ana"), one),
        usual(),
        usual(),
      ).join();
    expect(failed(3_100)).toContain("PUT /api/tasks/draft was sent, which no pass sends");
    expect(failed(4_500)).not.toContain("no pass sends");
  });
});

describe("what the test entered once and the page has twice", () => {
  const fill = click("Fill getByLabel('Note')", {
    name: "fill",
    ts: 3_000,
    params: { selector: "label=Note", value: "Ring Ana" },
  });
  const send = (ts = 3_500) => click("Click Send", { ts });
  const notes = (...texts: string[]) =>
    page(
      `<ul>${texts.map((text) => `<li><b>Ana</b> <span>${text}</span></li>`).join("")}</ul><input value="Ring Ana">`,
    );
  const single = { ...count, expected: "1" };
  const two = failing({ ...single, received: "2" });
  const once = () => run(fill, send(), notes("Ring Ana"), passing(single));

  test("is told with the action that it came of, and with the script that changed", () => {
    expect(first(run(fill, send(), notes("Ring Ana", "Ring Ana"), two), once(), once())).toBe(
      "page_changed: The page has “Ring Ana” twice after “Click Send”, where every pass has it once: it was entered once, and sent or drawn twice",
    );
    const script = (body: string) =>
      exchange("/chat.js", { ts: 1_000, resource_type: "script", media_type: "text/javascript", body });
    const pass = () => run(...script("on(form, send)"), fill, send(), notes("Ring Ana"), passing(single));
    expect(
      first(
        run(...script("on(form, send);\non(button, send)"), fill, send(), notes("Ring Ana", "Ring Ana"), two),
        pass(),
        pass(),
      ),
    ).toContain("sent or drawn twice; the script GET /chat.js changed since the last pass");
  });

  test("is not told where it was sent or entered twice, stands there twice in a pass too, or something else is more", () => {
    const isTold = (failed: Parameters<typeof run>, usual = once()) =>
      told(run(...failed), usual, usual)
        .join()
        .includes("sent or drawn");
    expect(isTold([fill, send(), send(3_700), notes("Ring Ana", "Ring Ana"), two])).toBeFalse();
    expect(isTold([fill, send(), { ...fill, ts: 3_600 }, notes("Ring Ana", "Ring Ana"), two])).toBeFalse();
    expect(isTold([fill, send(), notes("Ring Ana", "Sweep"), two])).toBeFalse();
    const notice = page('<ul><li><b>Ana</b> <span>Ring Ana</span></li></ul><p role="status">Ring Ana</p>');
    expect(isTold([fill, send(), notice, two])).toBeFalse();
    const twice = run(fill, send(), notes("Ring Ana", "Ring Ana"), passing(single));
    expect(isTold([fill, send(), notes("Ring Ana", "Ring Ana"), two], twice)).toBeFalse();
  });

  test("comes after the request that was sent twice for it", () => {
    const post = (ts: number) =>
      exchange("/api/notes", { ts, method: "POST", request: { body: '{"note":"Ring Ana"}' } });
    const usual = () => run(fill, send(), ...post(3_600), notes("Ring Ana"), passing(single));
    expect(
      first(
        run(fill, send(), ...post(3_600), ...post(3_610), notes("Ring Ana", "Ring Ana"), two),
        usual(),
        usual(),
      ),
    ).toStartWith("request_repeated: POST /api/notes was sent twice");
  });
});

test("a list that was asked for before too is compared with what stands in its turn where that is what the test counts", () => {
  const twice = (...names: string[]) => [...listed(2_000), UNDO, ...listed(4_800, ...names)];
  const pass = () => run(...twice("Ring Ana", "Sweep"), passing(count));
  expect(first(run(...twice("Ring Ana"), one), pass(), pass())).toBe(
    "answer_changed: GET /api/lists/7/tasks answered with 1 item for “tasks” instead of 2 items, without “Sweep”",
  );
});
