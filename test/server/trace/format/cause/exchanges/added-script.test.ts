import { expect, test } from "bun:test";
import { causeOf, exchange, failing, passing, run, told } from "../run.ts";

const script = (path: string, more: object = {}) =>
  exchange(path, { ts: 1_000, resource_type: "script", media_type: "text/javascript", ...more });
const lost = script("/assets/help.js", { status: 404, media_type: "text/plain", ts: 1_100 });
const signIn = script("/session/new", {
  media_type: "text/html",
  body: "<!doctype html><p>Sign in</p>",
  ts: 1_100,
});
const unparsed = {
  kind: "console.error",
  source: "page",
  text: "SyntaxError: Unexpected token '<'",
  ts: 1_120,
};
const thrown = { ...unparsed, text: "ReferenceError: help is not defined", ts: 1_130 };
const usual = run(...script("/assets/app.js"), passing());
const first = (...events: Parameters<typeof run>) => told(run(...events, failing()), usual, usual)[0]!;

const confidenceOf = (path: string, ...events: Parameters<typeof run>) =>
  causeOf(run(...events, failing()), usual, usual).suspects.find(({ title }) => title.includes(path))
    ?.confidence;

test("a script that no pass loads, and that the page does without, explains little", () => {
  const app = script("/assets/app.js");
  expect(confidenceOf("/assets/help.js", ...app, ...lost)).toBeLessThan(0.5);
  expect(confidenceOf("/session/new", ...app, ...signIn, unparsed)).toBeLessThan(0.5);
  expect(told(run(...app, ...signIn, unparsed, failing()), usual, usual)[0]).toContain("Unexpected token");
  expect(confidenceOf("/assets/help.js", ...app, ...lost, thrown)).toBeGreaterThan(0.8);
});

test("a script that passes load comes first", () => {
  expect(first(...script("/assets/app.js", { status: 404, media_type: "text/plain" }))).toContain(
    "The script GET /assets/app.js was answered with 404",
  );
});

test("a script that was led to a page is told by its own address", () => {
  const app = (more: object) => script("/assets/app.js", { media_type: "text/plain", ...more });
  const away = app({ status: 303, headers: [{ name: "location", value: "/session/new" }] });
  expect(first(...away, ...signIn, unparsed)).toBe(
    "script_failed: The script GET /assets/app.js was led to /session/new (303), a page of HTML instead of a script",
  );
  // Without a pass nobody knows whether it is so each time.
  const alone = causeOf(run(...away, ...signIn, failing())).suspects;
  expect(alone.find(({ title }) => title.includes("was led to /session/new"))?.is_new).toBeNull();
});

test("the tag that brings it is no other markup of the page", () => {
  const html = (more: string) =>
    exchange("/checkout", {
      ts: 900,
      resource_type: "document",
      media_type: "text/html",
      body: `<html><body><script src="/assets/app.js"></script>${more}<h1>Checkout</h1></body></html>`,
    });
  const pass = run(...html(""), ...script("/assets/app.js"), passing());
  const cause = told(
    run(...html('<script src="/assets/help.js"></script>'), ...script("/assets/app.js"), ...lost, failing()),
    pass,
    pass,
  );
  expect(cause.join("\n")).not.toContain("came with “<script");
});
