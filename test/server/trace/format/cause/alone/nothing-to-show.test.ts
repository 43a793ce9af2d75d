import { expect, test } from "bun:test";
import { click, exchange, page, run } from "../run.ts";
import { first, missed, told } from "./scene.ts";

const write = (method: string, url: string, ts: number, more: object) =>
  exchange(url, { method, ts, media_type: "text/html", ...more });
const joined = write("POST", "/list/7", 3_000, { body: "<p>You are number 2</p>" });
const leave = click("Click getByRole('button', { name: 'Leave' })", { ts: 4_000, step_id: "leave" });
const left = (more: object) => write("DELETE", "/list/7", 4_100, more);
const look = [
  missed("getByRole('button', { name: 'Join' })"),
  page("<main><button>Leave</button></main>"),
] as const;
const words = "got nothing to show";

test("a write that was answered with no content, where others bring a part of the page, is told", () => {
  expect(first(run(...joined, leave, ...left({ status: 204 }), ...look))).toBe(
    "answer_changed: DELETE /list/7 was answered with 204 and no content, and nothing was read since: the page got nothing to show in the place of what stood there (POST /list/7 had been answered with a part of the page)",
  );
});

test("it is not where it brought something, the page read anew, or its writes bring no markup", () => {
  const silent = (...events: Parameters<typeof run>) =>
    expect(told(run(...events, ...look)).join()).not.toContain(words);
  silent(...joined, leave, ...left({ body: "<p>You left</p>" }));
  silent(
    ...joined,
    leave,
    ...left({ status: 204 }),
    ...exchange("/list", { ts: 4_300, media_type: "text/html", body: "<p>None</p>" }),
  );
  silent(
    ...write("POST", "/list/7", 3_000, { media_type: "application/json", body: '{"number":2}' }),
    leave,
    ...left({ status: 204 }),
  );
});
