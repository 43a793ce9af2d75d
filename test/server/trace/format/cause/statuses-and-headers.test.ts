import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, passing, run, told } from "./run.ts";

const adjust = click("Save change", { ts: 4_000 });
/** A write after the click, with its answer. */
const answered = (method: string, answer: Record<string, unknown>, url = "/orders/4293/lines/2") =>
  exchange(url, { method, ts: 4_010, ...answer });
const header = (name: string, value: string) => ({ name, value });
const cause = (method: string, now: object, ...passes: object[]) =>
  told(
    run(adjust, ...answered(method, { ...now }), failing()),
    ...passes.map((before) => run(adjust, ...answered(method, { ...before }), passing())),
  ).join("\n");

test("a redirect by which the browser repeats a method that no pass repeated is told", () => {
  const to = (status: number) => ({ status, headers: [header("location", "/orders/4293")] });
  expect(cause("DELETE", to(302), to(303), to(303))).toStartWith(
    "redirected: DELETE /orders/4293/lines/2 was sent elsewhere with 302, where every pass got 303: the browser asks there with DELETE in the place of GET",
  );
  // Browsers turn a POST into a GET by each of the two.
  expect(cause("POST", to(302), to(303), to(303))).not.toContain("in the place of");
  expect(cause("DELETE", to(303), to(303), to(303))).not.toContain("was sent elsewhere");
  expect(cause("DELETE", to(302), to(303), to(302))).not.toContain("was sent elsewhere");
});

test("another status of success than in every pass is told, a part of a file is not", () => {
  expect(cause("POST", { status: 202 }, { status: 201 }, { status: 201 })).toContain(
    "answer_changed: POST /orders/4293/lines/2 was answered with 202, where every pass got 201",
  );
  for (const silent of [
    cause("POST", { status: 202 }, { status: 201 }, { status: 202 }),
    cause("GET", { status: 206 }, { status: 200 }, { status: 200 }),
    cause("GET", { status: 304 }, { status: 200 }, { status: 200 }),
  ])
    expect(silent).not.toContain("where every pass got");
});

test("a header of the product's own that every pass has is missed, one of servers and one that varies are not", () => {
  const having = (...headers: ReturnType<typeof header>[]) => ({ headers });
  const stock = header("hx-trigger", "stock-changed");
  expect(cause("POST", having(), having(stock), having(stock))).toStartWith(
    "answer_changed: POST /orders/4293/lines/2 came without the header hx-trigger “stock-changed”, which it has in every pass",
  );
  expect(cause("POST", having(header("x-step", "2")), having(header("x-step", "1")))).toContain(
    "came with the header x-step “2”, where every pass has “1”",
  );
  // A secret is told by its name alone.
  const secret = cause("POST", having(), having(header("x-csrf-token", "north")));
  expect(secret).toContain("came without the header x-csrf-token, which");
  expect(secret).not.toContain("north");
  for (const silent of [
    cause(
      "POST",
      having(),
      having(header("x-ratelimit-remaining", "5")),
      having(header("x-ratelimit-remaining", "5")),
    ),
    cause("POST", having(header("x-version", "7")), having(header("x-version", "6"))),
    cause("POST", having(header("x-row", "3")), having(header("x-row", "1")), having(header("x-row", "2"))),
    cause("POST", having(stock), having(stock), having(stock)),
  ])
    expect(silent).not.toMatch(/the header x-|the header hx-/);
});

test("a part of a page that is asked for until it is done, and stopped with another status, is told by its text", () => {
  const progress = (...parts: [number, string][]) =>
    parts.flatMap(([status, text], at) =>
      exchange("/imports/16029001/progress", {
        ts: 4_100 + at * 200,
        status,
        media_type: "text/html; charset=utf-8",
        body: `<p role="status">${text}</p>`,
      }),
    );
  const pass = run(
    adjust,
    ...progress(
      [200, "20 of 100 rows"],
      [200, "60 of 100 rows"],
      [200, "80 of 100 rows"],
      [286, "Import finished"],
    ),
    passing(),
  );
  const stopped = run(adjust, ...progress([200, "20 of 100 rows"], [286, "60 of 100 rows"]), failing());
  expect(told(stopped, pass)[0]).toBe(
    "request_unsent: The page stopped asking for GET /imports/16029001/progress at “60 of 100 rows”, which was answered with 286: it asked 2 times, in the last pass 4 times, until “Import finished”",
  );
});

test("a refused request is told with the field that no pass sends, a secret, an id and one of some passes are not", () => {
  const sent = (fields: Record<string, unknown>, status = 201) => ({
    status,
    request: { body: JSON.stringify({ code: "5901", ...fields }) },
  });
  const usual = sent({});
  expect(cause("POST", sent({ stage: "review" }, 422), usual, usual)).toContain(
    "which was sent with the field stage “review” that no pass sends, was answered with 422",
  );
  for (const silent of [
    cause("POST", sent({ csrf: "north" }, 422), usual, usual),
    cause("POST", sent({ visit: "b3f5907a99c1d0e2" }, 422), usual, usual),
    cause("POST", sent({ stage: "review" }, 422), usual, sent({ stage: "book" })),
    // Nothing is known of what passes send.
    cause("POST", sent({ stage: "review" }, 422), { status: 201 }, { status: 201 }),
  ])
    expect(silent).not.toContain("that no pass sends");
});

test("a write that succeeded otherwise than it ever does comes before what is read of it, and a read that did so does not", () => {
  const order = (method: string, status: number, ticket: string | null) =>
    exchange("/api/orders", { method, ts: 4_000, status, body: JSON.stringify({ ticket }) });
  const list = (...items: string[]) => exchange("/api/tickets", { ts: 4_500, body: JSON.stringify(items) });
  const usual = run(...order("POST", 201, "T1"), ...list("T1"), passing());
  expect(first(run(...order("POST", 200, null), ...list(), failing()), usual, usual)).toStartWith(
    "answer_changed: POST /api/orders was answered with 200, where every pass got 201; POST /api/orders answered “null” for “ticket”",
  );
  const read = run(...order("GET", 201, "T1"), ...list("T1"), passing());
  expect(first(run(...order("GET", 200, "T1"), ...list(), failing()), read, read)).not.toContain("got 201");
});

describe("a refusal that passes have as well", () => {
  const pay = (body: object, status = 402) =>
    exchange("/api/pay", { ts: 4_000, method: "POST", status, body: JSON.stringify(body) });
  const message = "The card was declined.";
  const values = { expected: '"Not enough funds"', received: '"Something went wrong"' };
  const usual = run(...pay({ message, code: "funds" }), passing(values));
  const toldFirst = (body: object, status?: number) =>
    told(run(...pay(body, status), failing(values)), usual, usual)[0];

  test("is told where it says something else by another name, or lacks a part", () => {
    expect(toldFirst({ message, reason: "funds" })).toBe(
      "answer_changed: POST /api/pay was refused with 402 as in the last pass, but answered with a field “reason” now, where the last pass had “code” (“funds”)",
    );
    expect(toldFirst({ message })).toBe(
      "answer_changed: POST /api/pay was refused with 402 as in the last pass, but answered nothing for “code”, where the last pass had “funds”",
    );
  });

  test("is none where it says the same, or varies in the same place, or was no such refusal there", () => {
    const other = run(...pay({ message, code: "limit" }), passing(values));
    expect(toldFirst({ message, code: "funds" })).not.toContain("as in the last pass, but");
    expect(toldFirst({ message, reason: "funds" }, 409)).not.toContain("as in the last pass, but");
    expect(
      told(run(...pay({ message, code: "stolen" }), failing(values)), usual, other).join(),
    ).not.toContain("as in the last pass, but");
  });
});

describe("a refusal for want of a token against forgery", () => {
  const refused = (cookie: string, code: string) =>
    told(
      run(
        adjust,
        ...answered("POST", {
          status: 403,
          body: JSON.stringify({ error: { code, message: "Please reload." } }),
          request: { headers: [header("cookie", cookie), header("X-CSRF-Token", "t0k3n")] },
        }),
        failing(),
      ),
    ).join("\n");

  test("is told with the header that was sent all the same", () => {
    expect(refused("sid=1; csrf=t0k3n", "bad_csrf")).toContain(
      "was answered with 403: Please reload; its answer speaks of “csrf”, though it carried the header “x-csrf-token” with the value of its cookie “csrf”",
    );
  });

  test("is told alone where the header had another value than the cookie, or the answer speaks of something else", () => {
    expect(refused("sid=1; csrf=other", "bad_csrf")).not.toContain("though it carried");
    expect(refused("sid=1; csrf=t0k3n", "no_access")).not.toContain("though it carried");
  });
});

test("a write that was sent as another type of content than in every pass, and refused, is told with both", () => {
  const sent = (type: string, status: number, body = "{}") => ({
    ...{ status, body },
    ...(type !== "" && { request: { headers: [header("Content-Type", type)] } }),
  });
  const refused = (type: string, ...passes: string[]) =>
    cause(
      "POST",
      sent(type, 415, '{"message":"Only PDF files are taken"}'),
      ...passes.map((one) => sent(one, 200)),
    );
  expect(
    refused("application/json", "multipart/form-data; boundary=a", "multipart/form-data; boundary=b"),
  ).toContain(
    "request_failed: POST /orders/4293/lines/2, which was sent with Content-Type “application/json” where the last pass sent “multipart/form-data”, was answered with 415: Only PDF files are taken",
  );
  for (const silent of [
    refused("multipart/form-data; boundary=c", "multipart/form-data; boundary=a"),
    refused("application/json", "application/json", "text/plain"),
    refused("", "application/json"),
    refused("application/json", ""),
  ])
    expect(silent).not.toContain("Content-Type");
});

test("a policy that a page came with, and no pass, is told with what browsers do by it", () => {
  const shop = (...headers: object[]) => exchange("/shop", { ts: 1_000, resource_type: "document", headers });
  const popup = { kind: "page.popup", ts: 4_500, url: "http://pay.example/" };
  const opener = header("Cross-Origin-Opener-Policy", "same-origin");
  const told = (mine: object[], ...theirs: object[][]) =>
    causeOf(
      run(...shop(...mine), popup, failing()),
      ...theirs.map((one) => run(...shop(...one), popup, passing())),
    ).suspects.map(({ title }) => title);
  expect(told([opener], [], [])[0]).toBe(
    "GET /shop came with the header cross-origin-opener-policy “same-origin”, which it has not in the last pass: windows of other origins that the page opens cannot reach it, and it cannot reach them (window.opener is null)",
  );
  expect(told([], [opener], [opener])[0]).toStartWith(
    "GET /shop came without the header cross-origin-opener-policy, which is “same-origin” in the last pass: by that header",
  );
  expect(told([opener], [opener], [opener]).join()).not.toContain("opener");
  expect(told([opener], [], [opener]).join()).not.toContain("opener");
});
