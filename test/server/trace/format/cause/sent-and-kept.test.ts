import { describe, expect, test } from "bun:test";
import { failedOf, wantedBodies } from "../../../../../server/trace/format/cause/run/select.ts";
import { createSummaryBuilder } from "../../../../../server/trace/format/summary-builder.ts";
import { meta } from "../summary-fixture.ts";
import { causeOf, click, exchange, factsOf, failing, first, page, passing, run, SITE, told } from "./run.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded; charset=UTF-8" }];
const save = (fields: string, more: object = {}) =>
  exchange("/save", { method: "POST", ts: 4_500, request: { headers: FORM, body: fields }, ...more });
const listed = (ts: number, ...names: string[]) =>
  exchange("/", {
    resource_type: "document",
    media_type: "text/html",
    ts,
    body: `<h1>Jobs</h1><ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`,
  });
const row = { title: "Expect \"toBeVisible\" getByText('Send digest')", name: "toBeVisible" };
const missed = failing({
  ...row,
  message:
    "expect(locator).toBeVisible() failed\nLocator: getByText('Send digest')\nError: element(s) not found",
  expected: undefined,
  received: undefined,
});
const found = passing(row);

test("a field of a form that the page left out is told, where the page lacks what stood in it", () => {
  const usual = run(...save("name=Send+digest&command=send"), ...listed(4_600, "Send digest"), found);
  const named = run(...save("command=send"), ...listed(4_600, "job 1"), missed);
  expect(first(named, usual)).toBe(
    "page_changed: POST /save was sent without the field name “Send digest”, which the last pass sent",
  );
  const other = run(...save("name=Send+digets&command=send"), ...listed(4_600, "Send digets"), missed);
  expect(first(other, usual)).toBe(
    "page_changed: POST /save was sent with the field name “Send digets” where the last pass sent “Send digest”",
  );
  const tokens = run(
    ...save("name=Send+digest&command=send&_csrf=b2"),
    ...listed(4_600, "Send digest"),
    missed,
  );
  const usualToken = run(
    ...save("name=Send+digest&command=send&_csrf=a1"),
    ...listed(4_600, "Send digest"),
    found,
  );
  expect(told(tokens, usualToken).join()).not.toContain("_csrf");
});

test("what the page sends of what the test gave it, or of what an answer told it, is no cause of its own", () => {
  const filled = (value: string) =>
    click("Fill getByLabel('Name')", {
      name: "fill",
      ts: 4_000,
      params: { selector: "label=Name", value },
    });
  const usual = run(filled("Send digest"), ...save("name=Send+digest"), found);
  const typed = told(run(filled("Send digets"), ...save("name=Send+digets"), missed), usual, usual);
  expect(typed[0]).toStartWith("test_code: The test gave getByLabel('Name')");
  const draft = (name: string) => exchange("/draft", { ts: 4_000, body: JSON.stringify({ name }) });
  const given = (name: string) => [...draft(name), ...save(`name=${name.replace(" ", "+")}`)];
  expect(first(run(...given("Send digets"), missed), run(...given("Send digest"), found))).toStartWith(
    "answer_changed: GET /draft answered “Send digets” for “name”",
  );
});

test("what was sent for an empty answer is read as well", () => {
  const events = run(...save("sha256:1"), ...exchange("/beat", { ts: 4_600 }), failing());
  const facts = factsOf(events);
  const builder = createSummaryBuilder(meta({ claimedStatus: "failed" }));
  for (const event of events) builder.add(event);
  const wanted = wantedBodies(facts, failedOf(builder.finish(), facts)!);
  expect(wanted.map(({ url }) => URL.parse(url)?.pathname)).toEqual(["/save"]);
});

const counted = (received: number) => ({
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" locator('li')",
  message: "expect(locator).toHaveCount(expected) failed",
  expected: "2",
  received: String(received),
});

test("a served page without the things that the test counts is told with what it lacks", () => {
  const usual = run(...listed(4_000, "Rotate logs", "Nightly dump"), passing(counted(2)));
  expect(first(run(...listed(4_000), failing(counted(0))), usual)).toBe(
    "answer_changed: GET / came without “Rotate logs”, “Nightly dump”, which it has in the last pass: it lists fewer things, or none",
  );
  expect(
    told(run(...listed(4_000, "Rotate logs", "Weekly dump"), failing(counted(0))), usual)[0],
  ).not.toContain("fewer things");
});

test("a page from before something was saved is not said to lack it", () => {
  const visit = (...after: string[]) => [
    ...listed(3_000, "Old"),
    ...save("name=x"),
    ...listed(4_600, ...after),
  ];
  const usual = run(...visit("Old", "Send digest"), found);
  const findings = causeOf(run(...visit("Old"), missed), usual).suspects.filter(({ title }) =>
    title.startsWith("GET / came without “Send digest”"),
  );
  expect(findings).toHaveLength(1);
  expect(told(run(...listed(3_000, "Old"), ...save("name=x"), missed), usual).join()).not.toContain(
    "came without",
  );
});

test("a pattern that the test expects is looked for by its words", () => {
  const check = {
    name: "toHaveText",
    title: "Expect \"toHaveText\" locator('li')",
    message: "expect(locator).toHaveText(expected) failed",
    expected: "/backup .*\\.db/,",
  };
  const usual = run(...listed(4_000, "backup Monday.db"), passing(check));
  expect(first(run(...listed(4_000, "None"), failing({ ...check, received: '"None",' })), usual)).toBe(
    "answer_changed: GET / came with “None”, where the last pass had “backup Monday.db”",
  );
});

const asks = (type: string, message: string, ts = 4_600) => ({ kind: "page.dialog", ts, type, message });
const answer = (word: "accept" | "dismiss") => ({
  ...click(`${word} dialog`, { name: `dialog.${word}`, ts: 4_610 }),
});

test("a dialog that the test answered otherwise than in its passes", () => {
  const went = (word: "accept" | "dismiss") => [asks("confirm", "Delete “tags”?"), answer(word)];
  const removed = exchange("/tags", { method: "DELETE", ts: 4_700 });
  expect(first(run(...went("dismiss"), failing()), run(...went("accept"), ...removed, passing()))).toBe(
    'test_code: The test dismissed the dialog “Delete "tags"?”, which it accepted in the last pass',
  );
  expect(told(run(...went("accept"), failing()), run(...went("accept"), passing())).join()).not.toContain(
    "accepted the dialog",
  );
});

test("an alert comes after the refusal that it tells of", () => {
  const refused = exchange("/list.ejs", { ts: 4_590, status: 404, body: "Cannot GET /list.ejs" });
  const alert = asks("alert", "failed to fetch html template list.ejs");
  const found = told(
    run(...refused, alert, failing()),
    run(...exchange("/list.ejs", { ts: 4_590 }), passing()),
  );
  expect(found[0]).toBe("request_failed: GET /list.ejs was answered with 404: Cannot GET /list.ejs");
  expect(found[1]).toStartWith("dialog:");
  expect(first(run(alert, failing()), run(passing()))).toStartWith("dialog:");
});

test("an alert is told with the value that the test gave otherwise before it", () => {
  const given = (value: string) =>
    click("Fill getByLabel('Password')", {
      name: "fill",
      ts: 4_000,
      params: { selector: "label=Password", value },
    });
  const usual = run(given("sesame"), passing());
  expect(first(run(given("seesame"), asks("alert", "Sign-In Failed"), failing()), usual, usual)).toBe(
    "test_code: The test gave getByLabel('Password') another value than in the last pass; the page opened the dialog alert: “Sign-In Failed”",
  );
});

test("what a refused write would have changed comes after the refusal, for the same thing alone", () => {
  const check = { expected: '"Good evening"', received: '"Good morning"' };
  const read = (value: string) => exchange("/v2/key/motd", { ts: 4_900, body: JSON.stringify({ value }) });
  const write = (status: number, to = "/v1/key/motd") =>
    exchange(to, { method: "POST", ts: 4_000, status, body: status === 200 ? "" : '{"error":"read only"}' });
  const usual = run(...write(200), ...read("Good evening"), passing(check));
  expect(first(run(...write(500), ...read("Good morning"), failing(check)), usual)).toBe(
    "request_failed: POST /v1/key/motd was answered with 500: read only",
  );
  const elsewhere = run(...write(500, "/v1/visits"), ...read("Good morning"), failing(check));
  const usualVisit = run(...write(200, "/v1/visits"), ...read("Good evening"), passing(check));
  expect(first(elsewhere, usualVisit)).toStartWith(
    "answer_changed: GET /v2/key/motd answered “Good morning”",
  );
});

test("an element that a style sheet hides is told in one breath", () => {
  const sheet = (text: string) =>
    exchange("/app.css", { ts: 1_000, resource_type: "stylesheet", media_type: "text/css", body: text });
  const press = (more: object) =>
    click("Click getByRole('button', { name: 'Ok' })", { ts: 5_000, step_id: "check", ...more });
  const failed = press({
    ok: false,
    duration_ms: 2_000,
    log: ["waiting for getByRole('button', { name: 'Ok' })"],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  });
  const shown = page("<footer><button>Ok</button></footer>");
  const hidden = page('<footer><button style="display:none">Ok</button></footer>');
  expect(
    first(
      run(...sheet(".a{color:red}.ok{display:none}"), failed, hidden),
      run(...sheet(".a{color:red}"), press({}), shown),
    ),
  ).toContain("it is hidden; the style sheet GET /app.css changed since the last pass: “.ok{display:none }”");
});

test("what stands between the same texts as in every pass has another name there", () => {
  const jobs = (word: string) =>
    exchange("/", {
      resource_type: "document",
      media_type: "text/html",
      ts: 4_000,
      body: `<table><tr><td>Nightly dump</td><td>0 3 * * *</td><td>Edit</td><td>${word}</td></tr></table><p>2 jobs</p>`,
    });
  const check = failing({
    title: "Expect \"toBeVisible\" getByText('Disable')",
    message:
      "expect(locator).toBeVisible() failed\nLocator: getByText('Disable')\nError: element(s) not found",
    expected: undefined,
    received: undefined,
  });
  expect(first(run(...jobs("Pause"), check), run(...jobs("Disable"), found))).toBe(
    "answer_changed: GET / came with “Pause”, where the last pass had “Disable”",
  );
});

test("a served page with more things than the test counts is told with what it names twice", () => {
  const usual = run(...listed(4_000, "Rotate logs", "Nightly dump"), passing(counted(2)));
  const twice = run(...listed(4_000, "Rotate logs", "Rotate logs", "Nightly dump"), failing(counted(3)));
  expect(first(twice, usual)).toBe(
    "answer_changed: GET / came with “Rotate logs” 2 times, which the last pass has once: it lists more things",
  );
  const other = run(...listed(4_000, "Rotate logs", "Nightly dump", "Send digest"), failing(counted(3)));
  expect(first(other, usual)).toBe(
    "answer_changed: GET / came with “Send digest”, which the last pass has not: it lists more things; it was so before the test had written anything",
  );
});

test("a request that a click no longer sends is told with the script that changed", () => {
  const script = (bytes: number) =>
    exchange("/app.js", {
      ts: 1_000,
      resource_type: "script",
      headers: [{ name: "content-length", value: String(bytes) }],
    });
  const press = click("Click getByRole('button', { name: 'Ok' })", { ts: 4_000 });
  const remove = exchange("/remove", { method: "POST", ts: 4_020 });
  expect(
    first(run(...script(880), press, failing()), run(...script(900), press, ...remove, passing())),
  ).toStartWith(
    "request_unsent: POST /remove was never sent: in the last pass it went out 20 ms after “Click getByRole('button', { name: 'Ok' })”; the script GET /app.js changed since the last pass: it has 880 bytes instead of 900",
  );
});

test("what was sent with the wanted value, answered well and read as before was not kept", () => {
  const check = { expected: '"Good evening"', received: '"Good morning"' };
  const read = (value: string) => exchange("/v2/key/motd", { ts: 4_900, body: JSON.stringify({ value }) });
  const write = exchange("/v1/key/motd", {
    method: "POST",
    ts: 4_000,
    request: { headers: FORM, body: "stringValue=Good+evening" },
  });
  const usual = run(...write, ...read("Good evening"), passing(check));
  expect(first(run(...write, ...read("Good morning"), failing(check)), usual)).toEndWith(
    "; POST /v1/key/motd had been sent with it and answered with 200: it was not kept, or another one is read",
  );
  expect(first(run(...read("Good morning"), failing(check)), usual)).not.toContain("it was not kept");
});

describe("an amount that was sent to be kept", () => {
  const check = { expected: '"£17.35"', received: '"£15.00"' };
  const item = (path: string, ts: number, day: number, note: string) =>
    exchange(path, {
      ts,
      media_type: "application/json",
      body: JSON.stringify({ item: { note, day, deposit: day + 3_000 } }),
    });
  const change = (fields: string, location = "/mine") =>
    exchange("/mine/a4k81x", {
      method: "POST",
      ts: 4_000,
      status: 303,
      headers: [{ name: "location", value: location }],
      request: { headers: FORM, body: fields },
    });
  const [old, fresh] = [item("/mine", 3_000, 1_500, "Old"), item("/item/a4k81x", 4_800, 1_735, "Sharpened")];
  const stale = item("/item/a4k81x", 4_800, 1_500, "Old");
  const usual = run(...old, ...change("day=17.35&note=Sharpened"), ...fresh, passing(check));

  test("and of which the page shows the old one is told as such, of all that is old in the answer", () => {
    expect(
      first(run(...old, ...change("day=17.35&note=Sharpened"), ...stale, failing(check)), usual, usual),
    ).toBe(
      "answer_changed: GET /item/a4k81x answered “1500” for “item.day”, where the last pass had “1735”; POST /mine/a4k81x had been sent with “17.35” and answered with 303: the value read is still the old one",
    );
  });

  test("is none where the test counts", () => {
    const count = { expected: "24", received: "22", title: 'Expect "toBe"', name: "toBe" };
    const list = (day: number, title: string) =>
      exchange("/list", { ts: 4_000, body: JSON.stringify({ items: [{ title, day }] }) });
    expect(
      first(run(...list(2_200, "Saw"), failing(count)), run(...list(2_400, "Drill"), passing(count))),
    ).not.toContain("“2200”");
  });

  test("is told as not kept where nothing had that value before, and not as sent where it was not, or was turned away", () => {
    const said = (...events: Parameters<typeof run>) =>
      first(run(...events, ...stale, failing(check)), usual, usual);
    expect(said(...change("day=17.35"))).toEndWith("it was not kept, or another one is read");
    for (const sent of [
      change("day=16.35"),
      change("day=17.35", "/login"),
      change("day=17.35", "/mine?error=1"),
    ])
      expect(said(...old, ...sent)).not.toContain("had been sent with");
  });
});

test("who was signed in and is at the sign-in again was sent back, without an answer that says so", () => {
  const at = (path: string, ts: number) =>
    page("<h1>Page</h1>", { url: `${SITE}${path}`, ts, step_id: `at ${ts}` });
  const back = at("/login", 6_990);
  const usual = run(at("/login", 1_000), at("/settings", 3_000), passing(), at("/settings", 6_980));
  expect(told(run(at("/login", 1_000), at("/settings", 3_000), failing(), back), usual)).toContain(
    "redirected: The page went back to shop.example/login, though it had been at shop.example/settings already; in the last pass it stayed there",
  );
  expect(told(run(at("/login", 1_000), failing(), back), usual).join()).not.toContain("went back");
});

test("a button that is disabled without a word is told with the script that changed", () => {
  const script = (bytes: number) =>
    exchange("/app.js", {
      ts: 1_000,
      resource_type: "script",
      headers: [{ name: "content-length", value: String(bytes) }],
    });
  const target = "getByRole('button', { name: 'Save' })";
  const press = (more: object) => click(`Click ${target}`, { ts: 5_000, step_id: "check", ...more });
  const failed = press({
    ok: false,
    duration_ms: 2_000,
    log: [`waiting for ${target}`, "element is not enabled"],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  });
  expect(first(run(...script(880), failed), run(...script(900), press({})))).toBe(
    `element_disabled: ${target} was disabled, where the last pass has it enabled; the script GET /app.js changed since the last pass: it has 880 bytes instead of 900`,
  );
  expect(first(run(...script(900), failed), run(...script(900), press({})))).toBe(
    `element_disabled: ${target} was disabled, where the last pass has it enabled`,
  );
});

test("a served page with the very text twice that the test counts is told, whatever else has gone from it", () => {
  const check = {
    ...counted(2),
    title: `Expect "toHaveCount" getByRole('row').filter({ hasText: 'Nightly' })`,
  };
  const count = { ...check, expected: "1" };
  const usual = run(...listed(4_000, "Nightly", "Weekly"), passing(count));
  const now = (...names: string[]) => told(run(...listed(4_000, ...names), failing(count)), usual, usual);
  expect(now("Nightly", "Nightly", "Left by run 8")[0]).toBe(
    "answer_changed: GET / came with “Nightly” twice, which the last pass has once; “Left by run 8” stands beside one of them, and in no pass",
  );
  expect(now("Nightly", "Daily").join()).not.toContain("twice");
});

test("a page that still lists what was removed is told, though it listed it before as well", () => {
  const removal = exchange("/remove", { method: "POST", ts: 4_500 });
  const went = (...left: string[]) => [
    ...listed(3_000, "Rotate logs", "Dump"),
    ...removal,
    ...listed(4_600, ...left),
  ];
  const check = { ...counted(2), expected: "1" };
  expect(
    first(run(...went("Rotate logs", "Dump"), failing(check)), run(...went("Dump"), passing(check))),
  ).toBe("answer_changed: GET / came with “Rotate logs”, which the last pass has not: it lists more things");
});

test("what a page sends at intervals in its passes too is not sent once too often", () => {
  const stay = (...times: number[]) => times.flatMap((ts) => exchange("/session", { method: "POST", ts }));
  const often = causeOf(run(...stay(500, 2_000, 4_500), failing()), run(...stay(500, 2_000), passing()));
  expect(often.suspects[0]!.confidence).toBeLessThan(0.6);
  const twin = causeOf(run(...stay(500, 4_490, 4_500), failing()), run(...stay(500, 2_000), passing()));
  expect(twin.suspects[0]!.confidence).toBeGreaterThan(0.8);
});

test("a button that was served disabled is told with the page", () => {
  const served = (more: string) =>
    exchange("/", {
      resource_type: "document",
      media_type: "text/html",
      ts: 4_000,
      body: `<form><button id="save"${more}>Save</button></form>`,
    });
  const target = "getByRole('button', { name: 'Save' })";
  const press = (more: object) => click(`Click ${target}`, { ts: 5_000, step_id: "check", ...more });
  const failed = press({
    ok: false,
    duration_ms: 2_000,
    log: [`waiting for ${target}`, "element is not enabled"],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  });
  const usual = run(...served(""), press({}));
  expect(first(run(...served(" disabled"), failed), usual, usual)).toBe(
    `element_disabled: ${target} was disabled, where the last pass has it enabled; GET / came with disabled in <button id="save">, where the last pass had none`,
  );
  const wired = exchange("/", {
    resource_type: "document",
    media_type: "text/html",
    ts: 4_000,
    body: `<form data-action="change->agree#look"><button id="save" data-agree-target="button" disabled>Save</button></form>`,
  });
  expect(first(run(...wired, failed), usual, usual)).toContain('came with disabled in <button id="save">');
});

test("a page out of a copy from before a write is told before what it lacks, and not where the server had answered so since", () => {
  const jobs = (ts: number, isServed: boolean, ...names: string[]) =>
    exchange("/jobs", {
      resource_type: "document",
      media_type: "text/html",
      http_version: "HTTP/1.1",
      ts,
      body: `<h1>Jobs</h1><ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`,
      ...(isServed && { server_ip: "127.0.0.1" }),
    });
  const shown = page("<h1>Jobs</h1>", { url: `${SITE}/jobs` });
  const visit = (before: number, isServed: boolean, ...names: string[]) => [
    ...jobs(before, true, "Old"),
    ...save("name=Send+digest"),
    ...jobs(4_800, isServed, ...names),
    shown,
  ];
  const usual = run(...visit(3_000, true, "Old", "Send digest"), found);
  expect(first(run(...visit(3_000, false, "Old"), missed), usual)).toBe(
    "stale_answer: GET /jobs was answered out of a service worker or the browser's cache; in the last pass the server answered it; GET /jobs came without “Send digest”, which it has in the last pass: still as before POST /save, which was answered with 200",
  );
  expect(first(run(...visit(3_000, true, "Old"), missed), usual)).toStartWith(
    "answer_changed: GET /jobs came without",
  );
});
