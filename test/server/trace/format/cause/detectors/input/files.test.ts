import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const choose = {
  ...click("Choose files in #file", { ts: 3_000, step_id: "choose" }),
  name: "page.setInputFiles",
  params: { selector: "#file", payloads: [{ name: "income.pdf" }] },
};
const post = (type: string, body: string | undefined, more: object = {}) =>
  exchange("/documents", {
    method: "POST",
    ts: 4_000,
    resource_type: "document",
    request: { headers: [{ name: "Content-Type", value: type }], body },
    ...more,
  });
const form = "application/x-www-form-urlencoded";
const refused = {
  status: 422,
  body: '{"message":"Please choose a document."}',
  media_type: "application/json",
};
const usual = run(choose, ...post("multipart/form-data; boundary=x", undefined), passing());

test("a form that sends the name of a chosen file in the place of the file", () => {
  const mine = run(choose, ...post(form, "kind=income&document=income.pdf", refused), failing());
  const sentence =
    "request_failed: POST /documents sent only the name of the file “income.pdf” and not the file, for its form was not multipart/form-data";
  const outcome = "; it was answered with 422: Please choose a document.";
  expect(first(mine, usual)).toBe(`${sentence}, which it was in the last pass${outcome}`);
  expect(first(mine)).toBe(`${sentence}${outcome}`);
});

test("a script that tells a server the name first, and a form that says something else, send no name in its place", () => {
  const asks = post(form, "name=income.pdf", { ...refused, resource_type: "fetch" });
  expect(told(run(choose, ...asks, failing()), usual).join()).not.toContain("only the name");
  const other = post(form, "kind=income", refused);
  expect(told(run(choose, ...other, failing()), usual).join()).not.toContain("only the name");
});
