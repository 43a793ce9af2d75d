import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run } from "../run.ts";
import { around, first, json, missed, told } from "./scene.ts";

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

test("a question that was refused, and answered well while the step still waited, is over, unless there was no time left", () => {
  const refused = exchange("/settings", { ts: 4_800, status: 429 });
  const confidence = (ts: number, more: object = {}) =>
    causeOf(run(...refused, ...exchange("/settings", { ts, ...more }), failing())).suspects.find(
      ({ kind }) => kind === "request_failed",
    )!.confidence;
  expect(confidence(6_000)).toBeLessThan(confidence(6_900) / 2);
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

test("what a page says of an error that it threw, or of an answer that it could not read, stands below the thing itself", () => {
  const said = (text: string) => page(`<p role="alert">${text}</p>`);
  const thrown = {
    kind: "console.error",
    source: "page",
    text: "TypeError: Cannot read properties of undefined (reading 'name')",
    stack: "TypeError: Cannot read\n    at paint (http://shop.example/app.js:2:58)",
    ts: 4_800,
  };
  expect(
    first(run(thrown, failing(), said("Cannot read properties of undefined (reading 'name')"))),
  ).toStartWith("page_error: The page threw TypeError");
  const moment = exchange("/api/ticket", {
    method: "POST",
    ts: 4_800,
    media_type: "text/html",
    body: "<!doctype html><title>One moment</title>",
  });
  expect(
    first(run(...moment, failing(), said("Could not hand in: Unexpected token '<' is not valid JSON"))),
  ).toStartWith("answer_changed: POST /api/ticket was answered with 200 and a page of HTML instead of data");
});

test("a field is there whatever lists its page shows", () => {
  const shown = page("<label>New note <input></label>");
  const empty = json("/notes", { notes: [] }, { ts: 4_500 });
  expect(first(run(...empty, missed("getByLabel('Seek')"), shown))).toStartWith("element_missing:");
});

test("what a page could not fetch is told with the request that the test's own route ended", () => {
  const ended = exchange("/api/stats", {
    ts: 4_800,
    status: 0,
    error: "net::ERR_FAILED",
    handled: "aborted",
  });
  const thrown = {
    kind: "console.error",
    source: "page",
    text: "TypeError: Failed to fetch",
    stack: "TypeError: Failed to fetch\n    at rest (http://shop.example/api.js:6:21)",
    ts: 4_820,
  };
  expect(first(run(...ended, thrown, failing()))).toBe(
    "page_error: The page threw TypeError: Failed to fetch at /api.js:6 (rest); GET /api/stats failed: net::ERR_FAILED, as the test's own route ended it",
  );
});

test("what shuts a frame in matters to a test that looks into it", () => {
  const shut = {
    kind: "console.error",
    text: "Blocked script execution in 'http://shop.example/embed' because the document's frame is sandboxed and the 'allow-scripts' permission is not set.",
    ts: 4_800,
  };
  const within = { title: "Expect \"toHaveText\" locator('iframe').contentFrame().getByRole('status')" };
  expect(first(run(shut, failing(within)))).toStartWith("browser_policy: The browser refused it");
  expect(first(run(shut, failing()))).toStartWith("assertion:");
});

test("a line about a permissions policy that refuses nothing is no refusal", () => {
  const line = (text: string) => ({ kind: "console.warn", text, ts: 4_800 });
  const refused = line("Permissions policy violation: Geolocation access has been blocked.");
  expect(first(run(refused, failing()))).toStartWith("browser_policy:");
  for (const text of [
    'Permissions policy "interest-cohort" is deprecated',
    "Error with Permissions-Policy header: Unrecognized feature: 'interest-cohort'.",
  ])
    expect(told(run(line(text), failing())).join()).not.toContain("browser_policy");
});

test("a control that is held back is told with the answer that was waited for, and not with what waits by design", () => {
  const disabled = (path: string) =>
    first(
      run(
        click("Fill Name", { ts: 3_500 }),
        ...exchange(path, { method: "POST", ts: 4_000 }).slice(0, 1),
        missed("getByRole('button', { name: 'Continue' })", {
          log: [
            "waiting for getByRole('button', { name: 'Continue' })",
            "  locator resolved to <button disabled>Continue</button>",
            "  element is not enabled",
          ],
        }),
        page("<button disabled>Continue</button>"),
      ),
    );
  expect(disabled("/api/quote")).toStartWith(
    "element_disabled: getByRole('button', { name: 'Continue' }) was disabled; POST /api/quote was still pending",
  );
  expect(disabled("/api/live-updates")).toBe(
    "element_disabled: getByRole('button', { name: 'Continue' }) was disabled",
  );
});

test("what a script could not do with nothing is told with the answer that the test itself had just given", () => {
  const fed = (handled: string | undefined) =>
    first(
      run(
        ...json("/api/quote", { days: 7 }, { ts: 4_800, ...(handled && { handled }) }),
        {
          kind: "console.error",
          source: "page",
          text: "TypeError: Cannot read properties of undefined (reading 'map')",
          stack: "TypeError: Cannot read\n    at show (http://shop.example/app.js:9:1)",
          ts: 4_830,
        },
        failing(),
      ),
    );
  expect(fed("fulfilled")).toEndWith("; the test's own route had just answered GET /api/quote");
  expect(fed(undefined)).not.toContain("own route");
});

test("the same is told of what a page says in these words", () => {
  const shown = (said: string, handled = "fulfilled") =>
    first(
      run(
        ...json("/api/quote", { days: 7 }, { ts: 4_800, handled }),
        page(`<h1>Checkout</h1><p role="alert">${said}</p>`),
        failing(),
      ),
    );
  const UNREAD = "Cannot read properties of undefined (reading 'map')";
  expect(shown(UNREAD)).toBe(
    `page_message: The page said “${UNREAD}”; the test's own route had just answered GET /api/quote`,
  );
  expect(shown(UNREAD, "")).not.toContain("own route");
  expect(shown("The price is not available")).not.toContain("own route");
});

test("a download that the test waited for is no news, and one that it did not wait for is", () => {
  const saved = { kind: "page.download", url: "http://shop.example/files/1", name: "one.txt", ts: 4_050 };
  const waited = click('Wait for event "download"', {
    name: "page.__waitInfo__",
    ts: 4_000,
    duration_ms: 60,
  });
  expect(first(run(waited, saved, failing()))).toStartWith("assertion:");
  expect(first(run(saved, failing()))).toStartWith("download:");
});

test("a file that goes by its address where the test wants a name is told so", () => {
  const saved = {
    kind: "page.download",
    url: "http://shop.example/export.csv",
    name: "export.csv",
    ts: 4_050,
  };
  const check = { expected: '"orders-7.csv"', received: '"export.csv"' };
  expect(first(run(saved, failing(check)))).toBe(
    "download: The browser called the download “export.csv” after its address (shop.example/export.csv), where the test wants “orders-7.csv”: the answer names no file in Content-Disposition",
  );
});

test("of one or two things there are many lists, of more there are few", () => {
  const list = (count: number) => json("/api/tags", { tags: Array.from({ length: count }, () => ({})) });
  const counted = (got: number) =>
    failing({
      name: "toHaveCount",
      title: "Expect \"toHaveCount\" getByTestId('message')",
      expected: "9",
      received: String(got),
    });
  const confidence = (count: number) => causeOf(run(...list(count), counted(count))).suspects[0]!.confidence;
  expect(confidence(2)).toBeLessThan(confidence(5));
});

test("a figure is found in an answer whatever its sign", () => {
  const check = { expected: '"-£43.58"', received: '"-£43.54"' };
  expect(first(run(...json("/api/quote", { discount: -4354 }), failing(check)))).toStartWith(
    "answer_changed: GET /api/quote answered “-4354” for “discount”: that is what the page shows",
  );
});

test("a page that came in the language of the browser is told where the figure is right and the word beside it another", () => {
  const list = exchange("/", {
    resource_type: "document",
    media_type: "text/html",
    ts: 3_000,
    body: "<p>24 Treffer</p>",
    request: { headers: [{ name: "accept-language", value: "de-DE" }] },
  });
  const shown = page('<html lang="de"><body><p>24 Treffer</p><button>Suchen</button></body></html>');
  const told = (received: string) =>
    first(run(...list, failing({ expected: '"24 results"', received }), shown));
  expect(told('"24 Treffer"')).toBe(
    "time: The browser asked for the language “de-DE” and the page came in “de”; the test wants “24 results”",
  );
  expect(told('"23 Treffer"')).not.toContain("language");
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

test("a number that names a thing is no figure of it", () => {
  const floor = (body: object) => json("/api/floor", { tables: [body] });
  const check = { expected: '"€5.40"', received: '"€0.05"' };
  expect(first(run(...floor({ id: 5 }), failing(check)))).toStartWith("assertion:");
  expect(first(run(...floor({ price: 5 }), failing(check)))).toContain("answered “5” for “tables.0.price”");
});

test("what picks or ticks shows itself alone, and did something", () => {
  const html = '<select aria-label="Role"><option>Cook</option></select><button>Save</button>';
  const picks = (name: string) =>
    first(
      run(
        ...around(click("Select Role", { name, ts: 4_000, step_id: "role" }), html, html),
        missed("getByLabel('PIN')"),
        page(html),
      ),
    );
  expect(picks("selectOption")).not.toContain("seems to have done nothing");
  expect(picks("click")).toContain("seems to have done nothing");
});

test("a figure or a line more is something that an action did, and a clock that went on is not", () => {
  const shown = (order: string) => `<p>${order}</p><button>Save</button>`;
  const pressed = (before: string, after: string) =>
    first(
      run(
        ...around(
          click("Click Crab", { name: "click", ts: 4_000, step_id: "crab" }),
          shown(before),
          shown(after),
        ),
        missed("getByRole('button', { name: 'Send' })"),
      ),
    );
  expect(pressed("1 × Crab", "2 × Crab")).not.toContain("seems to have done nothing");
  expect(pressed("1 × Crab", "1 × Crab</p><p>1 × Crab")).not.toContain("seems to have done nothing");
  expect(pressed("Open since 12:30", "Open since 12:31")).toContain("seems to have done nothing");
});

test("an empty list that was as empty before the last action says little, unless something was written to it since", () => {
  const notes = (ts: number) => json("/people/7/notes", [], { ts });
  const action = click("Click Store", { ts: 4_000, step_id: "store" });
  const sure = (...events: Parameters<typeof run>) =>
    causeOf(run(...events, missed("getByText('Kept for you')"), page("<p>Somebody</p>"))).suspects.find(
      ({ title }) => title.includes("empty list"),
    )!.confidence;
  const write = exchange("/people/7/notes", { method: "POST", ts: 4_100, status: 201 });
  expect(sure(...notes(3_000), action, ...notes(4_500))).toBeLessThan(0.5);
  expect(sure(...notes(3_000), action, ...write, ...notes(4_500))).toBeGreaterThan(0.6);
  expect(sure(action, ...notes(4_500))).toBeGreaterThan(0.6);
});

test("an empty list that the step does not look for comes after a role that may do little", () => {
  const notes = json("/people/7/notes", [], { ts: 4_500 });
  const who = json("/me", { user: { role: "viewer" } }, { ts: 1_000 });
  const shown = page("<h1>Person</h1><h2>Notes</h2>");
  const missing = (name: string) => [...notes, missed(`getByRole('button', { name: '${name}' })`), shown];
  expect(first(run(...who, ...missing("Edit")))).toContain("GET /me answered “viewer” for “user.role”");
  expect(first(run(...missing("Edit")))).toContain("empty list");
  expect(first(run(...who, ...missing("Open notes")))).toContain("empty list");
});
