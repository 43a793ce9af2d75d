import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "./run.ts";

const radio = (name: string, value: string) => `<input type="radio" name="${name}" value="${value}">`;
const form = (fields: string, ts = 1_000) =>
  exchange("/events/new", {
    ...{ ts, resource_type: "document", media_type: "text/html" },
    body: `<form method="post"><input name="title">${fields}</form>`,
  });
const send = (fields: string, ts = 3_000) =>
  exchange("/events/new", {
    ...{ ts, method: "POST", status: 303, resource_type: "document" },
    request: {
      body: `title=Harbour&${fields}`,
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
  });
const list = (...items: string[]) =>
  exchange("/api/events", {
    ...{ ts: 4_000, media_type: "application/json" },
    body: JSON.stringify({ items, total: items.length }),
  });

const usual = run(
  ...form(radio("shown", "public") + radio("shown", "draft")),
  ...send("shown=public"),
  ...list("Harbour"),
  passing(),
);
const renamed = radio("shown_public", "public") + radio("shown", "draft");
const said =
  'answer_changed: GET /events/new came with name="shown_public" in <input>, where the last pass had name="shown"';

test("a field of several that came under another name is told with what was sent for it, before what is read afterwards", () => {
  const failed = run(
    ...form(renamed),
    ...send("shown_public=public&shown=draft"),
    ...list(),
    failing({ expected: '"Harbour"', received: '""' }),
  );
  expect(first(failed, usual, usual)).toBe(
    `${said}; POST /events/new was sent with the field shown “draft” where the last pass sent “public”`,
  );
});

test("a field under another name explains nothing that was sent without that name, or before the page came", () => {
  const end = failing({ expected: '"Harbour"', received: '""' });
  for (const silent of [
    run(...form(renamed), ...send("shown=draft"), ...list(), end),
    run(...form(renamed, 3_500), ...send("shown_public=public&shown=draft"), ...list(), end),
    run(...form(renamed), ...send("shown_public=public&shown=public"), ...list(), end),
  ])
    expect(told(silent, usual, usual).join("\n")).not.toContain(
      `had name="shown"; POST /events/new was sent`,
    );
});

test("a field that is new beside those of the passes has no other name", () => {
  const more = radio("size", "large") + radio("shown", "public") + radio("shown", "draft");
  expect(told(run(...form(more), ...send("shown=public"), failing()), usual, usual).join("\n")).not.toContain(
    "where the last pass had name",
  );
});
