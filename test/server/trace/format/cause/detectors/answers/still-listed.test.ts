import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const press = click("Click getByRole('button', { name: 'Archive' })", { ts: 3_000, name: "page.click" });
const archive = (id: string, more: Record<string, unknown> = {}) =>
  exchange(`/items/${id}`, {
    ts: 3_050,
    method: "POST",
    body: '{"ok":true}',
    request: {
      body: "intent=archive",
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
    ...more,
  });
const list = (...ids: string[]) =>
  exchange("/items", {
    ts: 3_200,
    body: JSON.stringify({ rows: ids.map((id) => ({ id })) }),
    media_type: "application/json",
  });
const looks = (id: string) => ({
  name: "toHaveCount",
  title: `Expect "toHaveCount" getByRole('link', { name: '${id}' })`,
  message: `expect(locator).toHaveCount(expected) failed\n\nLocator:  getByRole('link', { name: '${id}' })`,
  expected: "0",
});
const pass = (id: string, ...ids: string[]) =>
  run(press, ...archive(id), ...list(...ids), passing(looks(id)));
const failed = (id: string, ...after: Parameters<typeof run>) =>
  run(press, ...after, failing({ ...looks(id), received: "1" }));

test("a thing that a write takes out of its list in every pass, and that the list has here, is told with the write", () => {
  const now = failed("748123", ...archive("748123"), ...list("A-1", "748123"));
  expect(first(now, pass("931877", "A-1"), pass("550216", "A-1"))).toBe(
    "answer_changed: POST /items/748123 was sent with “archive” for “intent” and answered with 200, but GET /items still had “748123” afterwards, which it has in no pass: it was not taken out of the list",
  );
});

test("it is not told where a pass lists what it wrote, where the test looks for another thing, or where it is not listed", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("taken out of the list");
  const now = failed("748123", ...archive("748123"), ...list("A-1", "748123"));
  expect(isTold(now, pass("931877", "A-1", "931877"))).toBe(false);
  expect(isTold(failed("662904", ...archive("748123"), ...list("748123")), pass("931877", "A-1"))).toBe(
    false,
  );
  expect(isTold(failed("748123", ...archive("748123"), ...list("A-1")), pass("931877", "A-1"))).toBe(false);
});
