import { describe, expect, test } from "bun:test";
import { causeOf, exchange, failing, first, passing, run, told } from "../run.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const met = { expected: '"3 rows updated"', received: '"1 row updated"' };

describe("a write that was taken in part", () => {
  const bulk = (said: string, body = "do=approve&ids=a&ids=b&ids=c") =>
    exchange("/bulk", {
      ts: 4_000,
      method: "POST",
      media_type: "text/html",
      request: { headers: FORM, body },
      body: `<p role="status">${said}</p>`,
    });
  const usual = run(...bulk("3 rows updated"), passing(met));

  test("is told with how many it was sent with", () => {
    expect(first(run(...bulk("1 row updated"), failing(met)), usual, usual)).toBe(
      "answer_changed: POST /bulk came with “1 row updated”, where the last pass had “3 rows updated”; it was sent with 3 “ids”, of which only 1 was taken",
    );
  });

  test("is another thing where it was sent with another number", () => {
    for (const body of ["do=approve&ids=a&ids=b", "do=approve&id=3"])
      expect(told(run(...bulk("1 row updated", body), failing(met)), usual, usual).join()).not.toContain(
        "of which only",
      );
  });

  test("is told of lists as of forms", () => {
    const sent = (updated: number) =>
      exchange("/api/bulk", {
        ts: 4_000,
        method: "POST",
        request: { body: JSON.stringify({ ids: ["a", "b", "c"] }) },
        body: JSON.stringify({ updated }),
      });
    const count = { expected: '"3"', received: '"1"' };
    expect(first(run(...sent(1), failing(count)), run(...sent(3), passing(count)))).toEndWith(
      "it was sent with 3 “ids”, of which only 1 was taken",
    );
  });
});

test("what was not taken of a write goes before what is read of it afterwards", () => {
  const bulk = (ids: number[], sent = [1, 2, 3]) =>
    exchange("/api/tickets/bulk", {
      ts: 4_000,
      method: "POST",
      media_type: "application/json",
      request: { body: JSON.stringify({ ids: sent, value: "jun" }) },
      body: JSON.stringify({ ids }),
    });
  const list = (assignee: string | null) =>
    exchange("/api/tickets", {
      ts: 4_200,
      media_type: "application/json",
      body: JSON.stringify({ items: [{ id: 3, subject: "Zoom link", assignee }] }),
    });
  const wants = { expected: '"Jun Sakamoto"', received: '"–"' };
  const usual = run(...bulk([1, 2, 3]), ...list("Jun Sakamoto"), passing(wants));
  const cause = (write: ReturnType<typeof bulk>) =>
    told(run(...write, ...list(null), failing(wants)), usual, usual);
  expect(cause(bulk([1, 2]))[0]).toBe(
    "answer_changed: POST /api/tickets/bulk answered with 2 items for “ids” instead of 3 items; it was sent with 3 “ids”, of which only 2 were taken",
  );
  const readIn = (write: ReturnType<typeof bulk>) =>
    causeOf(run(...write, ...list(null), failing(wants)), usual, usual).suspects.find(({ title }) =>
      title.startsWith("GET /api/tickets answered"),
    )!.confidence;
  expect(readIn(bulk([1, 2]))).toBeLessThan(readIn(bulk([1, 2, 3])));
  // Where it was sent with no more than it took, what is read says more.
  expect(cause(bulk([1, 2], [1, 2])).join()).not.toContain("of which only");
  expect(cause(bulk([1, 2, 3]))[0]).toStartWith("answer_changed: GET /api/tickets answered “null”");
});

describe("an answer to a write without what the test looks for", () => {
  const save = (kept: string[], sent = ["L-AB 77"]) =>
    exchange("/api/drafts/1", {
      ts: 4_000,
      method: "PATCH",
      request: { body: JSON.stringify({ data: { plates: sent } }) },
      body: JSON.stringify({ data: { plates: kept } }),
    });
  const plate = { expected: '"L-AB 77"', received: '""' };
  const usual = run(...save(["L-AB 77"]), passing(plate));

  test("is told with what the write was sent with", () => {
    expect(first(run(...save([]), failing(plate)), usual, usual)).toEndWith(
      "; it was sent with “L-AB 77” for “data.plates.0”, which was not kept",
    );
  });

  test("kept all that it was sent with where that was something else", () => {
    expect(told(run(...save([], []), failing(plate)), usual, usual).join()).not.toContain("was not kept");
  });
});

describe("a field that a write was sent with as in the passes, and answered otherwise", () => {
  const numbered = { expected: '"LH-105"', received: '"LQ-105"' };
  const saved = (answered: object, sent: object = { prefix: "LH" }) =>
    exchange("/api/settings", {
      ts: 4_000,
      method: "PATCH",
      request: { body: JSON.stringify(sent) },
      body: JSON.stringify(answered),
    });
  const next = (number: string) =>
    exchange("/api/documents/next", { ts: 4_300, body: JSON.stringify({ number }) });
  const usual = run(...saved({ prefix: "LH" }), ...next("LH-105"), passing(numbered));
  const cause = (...events: Parameters<typeof run>) => told(run(...events, failing(numbered)), usual, usual);

  test("was not kept: that comes before what is made of it later", () => {
    expect(cause(...saved({ prefix: "LQ" }), ...next("LQ-105"))[0]).toBe(
      "answer_changed: PATCH /api/settings answered “LQ” for “prefix”, where the last pass had “LH”; it was sent with “LH” for “prefix”, which was not kept",
    );
  });

  test("comes after what is made of something else, and was kept where it was sent otherwise", () => {
    expect(cause(...saved({ prefix: "LH" }), ...next("LQ-105"))[0]).toContain("/api/documents/next");
    const other = cause(...saved({ prefix: "LQ" }, { prefix: "LQ" }), ...next("LQ-105"));
    expect(other.join()).not.toContain("not kept");
  });
});

test("a page that was answered to a write with what stood there before says that it was not kept", () => {
  const put = (city: string, sent = "city=Sandby&phone=1") =>
    exchange("/account", {
      ts: 4_000,
      method: "PUT",
      media_type: "text/html",
      request: { headers: FORM, body: sent },
      body: `<p>City</p><p>${city}</p>`,
    });
  const city = { expected: '"Sandby"', received: '"Lindholm"' };
  const usual = run(...put("Sandby"), passing(city));
  expect(first(run(...put("Lindholm"), failing(city)), usual, usual)).toBe(
    "answer_changed: PUT /account came with “Lindholm”, where the last pass had “Sandby”; it was sent with “Sandby” for “city”, which was not kept",
  );
  const other = told(run(...put("Lindholm", "city=Lindholm&phone=1"), failing(city)), usual, usual);
  expect(other.join()).not.toContain("which was not kept");
});
