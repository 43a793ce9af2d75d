import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "./run.ts";

const header = (name: string, value: string) => ({ name, value });

describe("an answer by the id of a request that was answered before", () => {
  const rota = (ts: number, id: string, body = '{"who":"Boyd"}') =>
    exchange("/api/rota", {
      ts,
      body,
      media_type: "application/json",
      headers: [header("x-request-id", id)],
    });
  const usual = run(...rota(3_000, "a1"), ...rota(4_500, "a2", '{"who":"Dita"}'), passing());

  test("is a copy, though nothing says how long it may be kept", () => {
    const failed = run(...rota(3_000, "b1"), ...rota(4_500, "b1"), failing());
    expect(first(failed, usual, usual)).toBe(
      "stale_answer: GET /api/rota was answered out of a cache or a service worker, with the copy of 1.5 s earlier; in the last pass the server answered it",
    );
  });

  test("is told before what it lacks, whatever else is said of that", () => {
    const news = (ts: number, id: string, text: string) =>
      exchange("/news", {
        ts,
        media_type: "text/html",
        body: `<p>${text}</p>`,
        headers: [header("x-request-id", id), header("cache-control", "max-age=300")],
      });
    const wants = { expected: '"A place is free"', received: '"Nothing"' };
    const usual = run(
      ...news(3_000, "a1", "Nothing"),
      ...news(4_500, "a2", "A place is free"),
      passing(wants),
    );
    const failed = run(...news(3_000, "b1", "Nothing"), ...news(4_500, "b1", "Nothing"), failing(wants));
    expect(first(failed, usual, usual)).toBe(
      "stale_answer: GET /news was answered out of the browser's cache, with the copy of 1.5 s earlier; in the last pass the server answered it; GET /news came with “Nothing”, where the last pass had “A place is free”",
    );
  });

  test("is never too old where it says the same whenever it is asked for", () => {
    const failed = run(...rota(3_000, "b1"), ...rota(4_500, "b1"), failing());
    const same = run(...rota(3_000, "a1"), ...rota(4_500, "a2"), passing());
    expect(told(failed, same, same).join()).not.toContain("with the copy of");
  });

  test("is the page's own where a service worker asked for it at the same moment", () => {
    const failed = run(...rota(4_495, "b1"), ...rota(4_500, "b1"), failing());
    expect(told(failed, usual, usual).join()).not.toContain("with the copy of");
  });

  test("is the page's own where a service worker got it from the network for the page", () => {
    const from = (ts: number, isWorkers: boolean) =>
      rota(ts, "b1").map((event) => ({
        ...event,
        http_version: "HTTP/1.1",
        ...(isWorkers && { server_ip: "127.0.0.1" }),
      }));
    const failed = run(...from(4_400, true), ...from(4_500, false), failing());
    expect(told(failed, usual, usual).join()).not.toContain("with the copy of");
    const again = run(...from(4_000, true), ...from(4_010, false), ...from(4_500, false), failing());
    expect(told(again, usual, usual).join()).toContain("with the copy of");
  });

  test("and ids of requests are nothing that a product tells its scripts", () => {
    const failed = run(...rota(3_000, "b1"), ...rota(4_500, "zz", '{"who":"Dita"}'), failing());
    expect(told(failed, usual, usual).join()).not.toContain("x-request-id");
  });
});

describe("a page with the tag that it had before", () => {
  const article = (ts: number, title: string, tag: string) =>
    exchange("/a/mayor", {
      ts,
      resource_type: "document",
      media_type: "text/html",
      body: `<h1>${title}</h1>`,
      headers: [header("etag", tag)],
    });
  const check = { expected: '"Mayor opens bridge"', received: '"Mayor opens brige"' };

  test("is told with it, where every pass has another one by then", () => {
    const failed = run(
      ...article(3_000, "Mayor opens brige", '"1"'),
      ...article(4_500, "Mayor opens brige", '"1"'),
      failing(check),
    );
    const usual = run(
      ...article(3_000, "Mayor opens brige", '"1"'),
      ...article(4_500, "Mayor opens bridge", '"2"'),
      passing(check),
    );
    expect(first(failed, usual, usual)).toContain(
      "GET /a/mayor came with the ETag that it had before, by which copies count as unchanged (304), and with “Mayor opens brige”",
    );
  });
});

describe("a script that is served as something else", () => {
  const worker = (type: string, more: object = {}) =>
    exchange("/sw.js", {
      ...more,
      ts: 4_500,
      media_type: type.split(";")[0],
      headers: [header("content-type", type)],
      request: { headers: [header("service-worker", "script")] },
    });

  test("is told with both types", () => {
    const usual = run(...worker("text/javascript; charset=utf-8"), passing());
    expect(first(run(...worker("text/plain"), failing()), usual, usual)).toBe(
      "script_failed: The script GET /sw.js was served as “text/plain”, where the last pass had “text/javascript”: browsers do not take it so",
    );
  });

  test("is no cause where passes serve it so, or as another type of script", () => {
    const plain = run(...worker("text/plain"), passing());
    expect(told(run(...worker("text/plain"), failing()), plain).join()).not.toContain("was served as");
    const other = run(...worker("application/javascript"), failing());
    expect(told(other, run(...worker("text/javascript"), passing())).join()).not.toContain("was served as");
  });

  test("is not told of what was refused, or led elsewhere", () => {
    const usual = run(...worker("text/javascript"), passing());
    for (const status of [303, 404])
      expect(told(run(...worker("text/plain", { status }), failing()), usual, usual).join()).not.toContain(
        "was served as",
      );
  });
});
