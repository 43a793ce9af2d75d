import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run } from "../run.ts";
import { first, json, missed, told } from "./scene.ts";

/** What is there whatever the test does, as far as one run can tell. */
test("what decks a page, feels a server or counts visits stands below what the test wanted and got", () => {
  for (const [url, more] of [
    ["/maildev-icon.svg", {}],
    ["/assets/brand.woff2", {}],
    ["/", { method: "HEAD" }],
    ["/", { method: "OPTIONS" }],
    ["/collect?visit=1", { method: "POST" }],
    ["/experiments/assign", { ts: 3_000 }],
  ] as const) {
    const events = exchange(url, { ts: 4_800, status: 404, ...more });
    expect(first(run(...events, click("Click Pay", { ts: 4_000 }), failing())), url).toStartWith(
      "assertion:",
    );
  }
  expect(first(run(...exchange("/api/pay", { ts: 4_800, status: 404 }), failing()))).toStartWith(
    "request_failed:",
  );
});

test("what became of an operation that only counts or watches stands below what the test wanted and got", () => {
  const refused = (operationName: string) =>
    json(
      "/graphql",
      { data: null, errors: [{ message: "Too many events" }] },
      { method: "POST", request: { body: JSON.stringify({ operationName, query: "mutation" }) } },
    );
  for (const name of ["Track", "LogEvent", "Ping", "sendHeartbeat", "KeepAlive", "ReportMetrics"])
    expect(first(run(...refused(name), failing())), name).toStartWith("assertion:");
  for (const name of ["TrackParcel", "Login", "LogWorkout", "PingPongScore", "SendMessage", "Report"])
    expect(first(run(...refused(name), failing())), name).toContain(`(${name}) was answered with 200, but`);
});

test("a request that was refused before it was answered well is over", () => {
  const refused = exchange("/settings", { ts: 1_000, status: 401 });
  const confidence = (...more: ReturnType<typeof exchange>) =>
    causeOf(run(...refused, ...more, failing())).suspects.find(({ kind }) => kind === "request_failed")!
      .confidence;
  expect(confidence(...exchange("/settings", { ts: 2_000 }))).toBeLessThan(confidence() / 2);
});

test("a script that never parsed is missed however much went well since", () => {
  const thrown = {
    kind: "console.error",
    source: "page",
    text: "SyntaxError: Unexpected token '='",
    ts: 1_000,
  };
  expect(first(run(thrown, click("Fill Name", { ts: 4_000 }), failing()))).toStartWith(
    "page_error: The page threw SyntaxError",
  );
});

test("an empty list that came before the last action says little of what came after it", () => {
  const empty = json("/plugins", [], { ts: 1_000 });
  const target = "getByRole('button', { name: 'Done' })";
  const shown = page("<button>Apply</button>");
  expect(first(run(...empty, missed(target), shown))).toContain("GET /plugins answered with an empty list");
  expect(first(run(...empty, click("Click Open", { ts: 4_000 }), missed(target), shown))).toStartWith(
    "element_missing:",
  );
});

test("a renewed session and a poll that waits by design are nobody's fault, assets are no poll", () => {
  const twice = [
    ...exchange("/auth/refresh", { method: "POST", ts: 4_600 }),
    ...exchange("/auth/refresh", { method: "POST", ts: 4_900 }),
  ];
  expect(
    causeOf(run(...twice, failing())).suspects.find(({ kind }) => kind === "request_repeated")!.confidence,
  ).toBeLessThan(0.45);
  const waits = (url: string) => exchange(url, { ts: 4_900 })[0]!;
  expect(first(run(waits("/notices/poll"), failing()))).toStartWith("assertion:");
  expect(first(run(waits("/assets/delivery.js"), failing()))).toStartWith("request_pending:");
});

test("classes of what belongs together are alike, and none stands for another", () => {
  const panel = page('<section class="comments"><h2>Comments</h2></section>');
  expect(told(run(missed("locator('.comment')"), panel)).join()).not.toContain("in its place");
});

test("a part of what is wanted is no wrong value, and figures are not torn apart", () => {
  const greets = page("<span>Ana</span>");
  const login = json("/login", { username: "Ana" });
  expect(told(run(...login, missed("getByText('Hi Ana')"), greets)).join()).not.toContain(
    "that is what the page shows",
  );
  const people = json("/people", { items: [{ has: "2 orders" }, { has: "22 orders" }] });
  const shown = told(run(...people, failing({ expected: '"Zoe"', received: '"Jon Ek 22 orders"' }))).join();
  expect(shown).toContain("“22 orders” for “items.1.has”");
});

test("a value of the wanted form is what the page shows, whatever stands around it", () => {
  const sidebar = json("/sidebar", { latest: { version: "1.0.0" } });
  expect(first(run(...sidebar, failing({ expected: '"1.1.0"', received: '"latest1.0.0"' })))).toBe(
    "answer_changed: GET /sidebar answered “1.0.0” for “latest.version”: that is what the page shows, where the test wants “1.1.0”",
  );
});

test("a file that a page takes its words from is not where a wrong value came from", () => {
  const words = (url: string) =>
    told(
      run(
        ...json(url, { toast: { notSaved: "Change was not saved" } }),
        failing({ expected: '"Saved"', received: '"Change was not saved"' }),
      ),
    ).join("\n");
  expect(words("/api/status")).toContain("GET /api/status answered “Change was not saved”");
  for (const url of ["/i18n/en.json", "/locales/de/common.json", "/assets/messages-en.json"])
    expect(words(url)).not.toContain("answered “Change was not saved”");
});

test("a picture or a font that the browser blocked, and an error of no file, stand below what the test wanted and got", () => {
  const says = (text: string, more: object = {}) => ({
    kind: "console.error",
    source: "console",
    text,
    ts: 4_500,
    ...more,
  });
  const blocked = (what: string) =>
    says(
      `Loading the ${what} 'data:,' violates the following Content Security Policy directive: "default-src 'self'". The action has been blocked.`,
    );
  const pay = click("Click Pay", { ts: 4_000 });
  for (const what of ["image", "font"])
    expect(first(run(pay, blocked(what), failing())), what).toStartWith("assertion:");
  expect(first(run(pay, blocked("script"), failing()))).toStartWith("browser_policy:");
  const thrown = (frame: string) =>
    says("SecurityError: Access is denied for this document.", {
      source: "page",
      stack: `    at <anonymous>:2:58\n    at ${frame}`,
    });
  expect(first(run(pay, thrown("<anonymous>:3:7"), failing()))).toStartWith("assertion:");
  expect(first(run(pay, thrown("http://shop.example/app.js:3:7"), failing()))).toStartWith("page_error:");
});
