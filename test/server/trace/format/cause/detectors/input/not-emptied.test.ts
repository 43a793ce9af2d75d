import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const fill = click("Fill \"Hello\" getByLabel('Message')", {
  ...{ ts: 2_000, name: "page.fill" },
  params: { selector: 'internal:label="Message"i', value: "Hello" },
});
const send = click("Click Send", { ts: 3_000, name: "page.click" });
const sent = (status = 201) =>
  exchange("/api/messages", { ts: 3_100, method: "POST", status, body: '{"id":1}' });
const look = {
  name: "toHaveValue",
  title: "Expect \"toHaveValue\" getByLabel('Message')",
  message: "expect(locator).toHaveValue(expected) failed\nLocator: getByLabel('Message')",
  expected: '""',
};
const field = (value: string) => page(`<main><label>Message <input value="${value}"></label></main>`);
const kept = failing({ ...look, received: '"Hello"' });
const usual = (value = "") => run(fill, send, ...sent(), field(value), passing(look));

test("a field that keeps what was sent and taken, where every pass empties it, is told with the answer", () => {
  expect(first(run(fill, send, ...sent(), field("Hello"), kept), usual(), usual())).toBe(
    "page_changed: getByLabel('Message') was not emptied after POST /api/messages was answered with 201, as in the last pass, which then empties it: it still holds what “Fill \"Hello\" getByLabel('Message')” gave it",
  );
});

test("it is not told where what was sent was refused, or a pass keeps it as well", () => {
  const causes = (status: number, value: string) =>
    told(run(fill, send, ...sent(status), field("Hello"), kept), usual(), usual(value)).join("\n");
  expect(causes(422, "")).not.toContain("was not emptied");
  expect(causes(201, "Hello")).not.toContain("was not emptied");
});
