import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const OLD = "11 Dec";
const NEW = "8 Jan";
const loans = (due: string, ts: number, said = "", more: object = {}) =>
  exchange("/loans", {
    ts,
    resource_type: "document",
    media_type: "text/html",
    body: `<h1>Loans</h1>${said}<table><tr><th>Title</th><th>Due</th></tr><tr><td>Paris</td><td>${due}</td></tr><tr><td>Salt</td><td>9 Dec</td></tr></table>`,
    ...more,
  });
const SAID = '<p role="status">Paris was renewed</p>';
const renew = (more: object = {}, weeks = "4") =>
  exchange("/loans/7/renew", {
    ...{ method: "POST", ts: 3_100, resource_type: "document", status: 303 },
    request: {
      body: `weeks=${weeks}`,
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
    ...more,
  });
const check = { expected: `"${NEW}"`, received: `"Paris${OLD}"` };
const shown = page(`${SAID}<table><tr><td>Paris</td><td>${OLD}</td></tr></table>`);
const usual = run(...loans(OLD, 2_000), ...renew(), ...loans(NEW, 3_300, SAID), passing(check));
const failed = (sent = renew(), said = SAID, now = OLD, more: object = {}) =>
  run(...loans(OLD, 2_000), ...sent, ...loans(now, 3_300, said, more), shown, failing(check));

test("a row that is as it was before a write, though the page says what it says in passes, is told with the write", () => {
  expect(first(failed(), usual, usual)).toBe(
    "answer_changed: GET /loans came with “Paris” as it was before POST /loans/7/renew, which was answered with 303 as in the last pass (the page says “Paris was renewed”): “Due” is still “11 Dec”, where the last pass had “8 Jan” by then: what was written is not stored, or not yet",
  );
});

test("a row is told so only where the write was the same, was taken, and changes it in every pass", () => {
  const silent = (...given: Parameters<typeof told>) =>
    expect(told(...given).join("\n")).not.toContain("as it was before POST");
  silent(failed(renew(), SAID, "1 Jan"), usual, usual);
  silent(failed(renew({ status: 422 })), usual, usual);
  silent(failed(renew(), "<p>Paris cannot be renewed again</p>"), usual, usual);
  // What was sent otherwise may be what it was.
  silent(failed(renew({}, "0")), usual, usual);
  // A copy of the page tells of itself.
  silent(failed(renew(), SAID, OLD, { headers: [{ name: "x-cache", value: "HIT" }] }), usual, usual);
  const still = run(...loans(OLD, 2_000), ...renew(), ...loans(OLD, 3_300, SAID), passing(check));
  silent(failed(), usual, still);
  const other = run(...loans("10 Dec", 2_000), ...renew(), ...loans(NEW, 3_300, SAID), passing(check));
  silent(failed(), other, other);
});
