import { expect, test } from "bun:test";
import { failing, run, save } from "../run.ts";
import { around, fill, json, missed, post, textOf, told } from "./scene.ts";

const html = "<h1>Stations</h1><p data-testid='count'>12 stations</p>";
const notices = (ts: number) =>
  json("/api/notices", { items: [{ id: `n${ts}`, text: "Tiles are new" }] }, { ts });
const none = (target: string) =>
  failing({
    name: "toHaveCount",
    title: `Expect "toHaveCount" ${target}`,
    message: `expect(locator).toHaveCount(expected) failed\n\nLocator: ${target}`,
    expected: "0",
    received: "1",
  });

test("what a page asks for long after the typing is no search that lacks the word", () => {
  const cause = (ts: number) =>
    told(
      run(
        ...notices(1_000),
        ...around(fill("Search stations", "mill", 4_100), html, html),
        ...notices(ts),
        textOf("count", "2 stations", "12 stations"),
      ),
    ).join("\n");
  expect(cause(4_400)).toContain("GET /api/notices was sent without “mill”");
  expect(cause(6_500)).not.toContain("was sent without “mill”");
});

test("a list of news that nothing speaks of lists as many things as the test met by chance", () => {
  const cause = (target: string) => told(run(...notices(4_500), none(target)))[0];
  expect(cause("getByTestId('bike-row')")).toStartWith("assertion:");
  expect(cause("getByTestId('notice')")).toContain("GET /api/notices answered with 1 item");
});

test("what was just made has no parts yet, and that says nothing of what is missing", () => {
  const cause = (part: string) =>
    told(
      run(
        save({ ts: 4_000 }),
        ...post("/api/orders", 201, { id: "o1", code: "T-17", [part]: [] }),
        missed("getByRole('row', { name: 'Lines' })"),
      ),
    ).join("\n");
  expect(cause("defects")).not.toContain("empty list");
});

test("a list to which a thing was added, and which was not read again, is told where the test looks for that one", () => {
  const body = JSON.stringify({ code: "T-17" });
  const cause = (target: string, ...more: Parameters<typeof run>) =>
    told(
      run(
        ...json("/api/orders", [{ id: "o0", code: "T-16" }], { ts: 2_000 }),
        save({ ts: 4_000 }),
        ...post("/api/orders", 201, { id: "o1", code: "T-17" }, { request: { body } }),
        ...more,
        missed(target),
      ),
    ).join("\n");
  const row = "getByRole('row', { name: 'T-17' })";
  expect(cause(row)).toContain(
    "GET /api/orders was not asked for again after POST /api/orders, answered with 201",
  );
  expect(cause("getByRole('row', { name: 'T-21' })")).not.toContain("GET /api/orders was not asked");
  expect(cause(row, ...json("/api/orders", [{ id: "o0" }], { ts: 4_300 }))).not.toContain(
    "was not asked for again",
  );
});

test("a write that led on, or whose answer is what the page shows next, needs nothing to be read again", () => {
  const cause = (more: object, target = "getByTestId('warning')") =>
    told(
      run(
        ...json("/reports", [{ id: "r1" }], { ts: 2_000 }),
        save({ ts: 4_000 }),
        ...post("/reports/7/lines", 200, {}, more),
        missed(target),
      ),
    ).join("\n");
  expect(cause({})).toContain("GET /reports was not asked for again");
  for (const said of [
    cause({ status: 303 }),
    cause({ media_type: "text/vnd.turbo-stream.html" }),
    cause({}, "getByRole('alert')"),
  ])
    expect(said).not.toContain("GET /reports was not asked for again");
});
