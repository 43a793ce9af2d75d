import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const ASKED_BY_SERVER = { server_ip: "127.0.0.1", http_version: "HTTP/1.1" };
const COPY = { http_version: "HTTP/1.1" };
const html = (...names: string[]) => names.map((name) => `<li>${name}</li>`).join("");
const list = (ts: number, names: string[], more: object = ASKED_BY_SERVER) =>
  exchange("/list", {
    ts,
    resource_type: "document",
    media_type: "text/html",
    body: html(...names),
    ...more,
  });
const BEFORE = ["Drill", "Cutter", "Studio"];
const AFTER = ["Cutter", "Drill", "Studio"];
const worker = (size: number, more: object = { headers: [{ name: "Service-Worker", value: "script" }] }) =>
  exchange("/sw.js", {
    ts: 200,
    resource_type: "script",
    request: more,
    headers: [{ name: "content-length", value: String(size) }],
    ...ASKED_BY_SERVER,
  });
const reload = click("Reload", { ts: 3_000, name: "page.reload" });
const mine = failing({ expected: '"Cutter"', received: '"Drill"' });
const usual = run(...list(100, BEFORE), ...worker(669), reload, ...list(3_010, AFTER), passing(mine));

describe("an answer that no server was asked for", () => {
  test("is told with the service worker that is another one than in the passes", () => {
    const failed = run(...list(100, BEFORE), ...worker(896), reload, ...list(3_010, BEFORE, COPY), mine);
    expect(first(failed, usual, usual)).toStartWith(
      "answer_changed: GET /list came out of a service worker or the browser's cache in another order: “Drill” stands before “Cutter”, which stood there in the last pass; the service worker GET /sw.js changed since the last pass: it has 896 bytes instead of 669",
    );
  });

  test("is told without it where that is the same, or what changed is a page's script", () => {
    const same = run(...list(100, BEFORE), ...worker(669), reload, ...list(3_010, BEFORE, COPY), mine);
    expect(first(same, usual, usual)).toEndWith("which stood there in the last pass");
    const script = (size: number) => worker(size, {});
    const failed = run(...list(100, BEFORE), ...script(896), reload, ...list(3_010, BEFORE, COPY), mine);
    const pass = run(...list(100, BEFORE), ...script(669), reload, ...list(3_010, AFTER), passing(mine));
    expect(first(failed, pass, pass)).toEndWith("which stood there in the last pass");
    expect(told(failed, pass).join()).not.toContain("service worker GET");
  });

  test("is no reason where the server answered", () => {
    const failed = run(...list(100, BEFORE), ...worker(896), reload, ...list(3_010, BEFORE), mine);
    expect(first(failed, usual, usual)).toEndWith("which stood there in the last pass");
  });
});

test("a page that a service worker fetches to keep it is no page that anybody is shown", () => {
  const kept = exchange("/list", { ts: 300, media_type: "text/html", body: "<p>", ...ASKED_BY_SERVER });
  const failed = run(...list(100, BEFORE), ...worker(669), ...kept, reload, ...list(3_010, AFTER), mine);
  expect(told(failed, usual, usual).join()).not.toContain("GET /list");
});
