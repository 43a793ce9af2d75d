import { expect, test } from "bun:test";
import { click, exchange, failing, page, passing, run, told } from "./run.ts";
import { message, socket } from "./socket.ts";

const reload = click("Reload", { ts: 4_000 });
const asset = (ts: number) => exchange("/assets/app-ZEU7ZHA7.js", { ts, media_type: "text/javascript" });
const document = (body: string, ts = 1_000) =>
  exchange("/checkout", { ts, resource_type: "document", media_type: "text/html", body });

test("a file that the browser opened from its copy was not left out", () => {
  const pass = run(...asset(1_000), reload, ...asset(4_100), passing());
  expect(told(run(...asset(1_000), reload, failing()), pass, pass).join()).not.toContain("was never sent");
  const usual = run(reload, ...asset(4_100), ...exchange("/api/me", { ts: 4_200 }), passing());
  expect(told(run(reload, failing()), usual, usual)[0]).toContain("GET /api/me was never sent");
});

test("what others do meanwhile in a live page comes after what is missing", () => {
  const said = (type: string, ts: number) => message("received", { type, x: 0.2588, y: 0.9949 }, ts);
  const pass = run(...socket, said("hello", 1_010), reload, ...exchange("/api/me", { ts: 4_200 }), passing());
  const failed = run(...socket, said("hello", 1_010), said("cursor", 2_000), reload, failing());
  const [first] = told(failed, pass, pass);
  expect(first).toContain("request_unsent: GET /api/me was never sent");
});

test("a number that is rounded to another one is not what the page shows", () => {
  const cause = (value: number, got: string, want: string) =>
    told(
      run(
        ...exchange("/api/summary", {
          ts: 4_500,
          body: JSON.stringify({ notes: value }),
          media_type: "application/json",
        }),
        failing({
          title: `Expect "toHaveText" getByTestId('notes')`,
          expected: JSON.stringify(want),
          received: JSON.stringify(got),
        }),
        page(`<p>${got}</p>`),
      ),
    ).join("\n");
  expect(cause(0.745, "1 waiting", "2 waiting")).not.toContain("that is what the page shows");
  expect(cause(1, "1 waiting", "All synced")).not.toContain("that is what the page shows");
  expect(cause(1, "1 waiting", "2 waiting")).toContain(
    "answered “1” for “notes”: that is what the page shows",
  );
  expect(cause(1_249.6, "1250 kg", "1300 kg")).toContain("that is what the page shows");
});

test("what a page hands to its scripts as JSON is compared as answers are", () => {
  const at = (origin: string, visit: string) =>
    document(
      `<h1>Pay</h1><script type="application/json" id="__boot">${JSON.stringify({ visit, payOrigin: origin })}</script>`,
    );
  const usual = ["b3f5907a99c1d0e2", "c1d0e2b3f5907a99"].map((visit) => run(...at("/pay", visit), passing()));
  expect(told(run(...at("/frame", "9f1c0e2b3f59aa07"), failing()), ...usual)[0]).toContain(
    "answer_changed: GET /checkout answered “/frame” for “payOrigin”, where the last pass had “/pay”",
  );
  expect(told(run(...at("/pay", "9f1c0e2b3f59aa07"), failing()), ...usual).join()).not.toContain("payOrigin");
  // What is no JSON is no data.
  const broken = document(`<h1>Pay</h1><script type="application/json" id="__boot">{"a":</script>`);
  expect(told(run(...broken, failing()), ...usual).join()).not.toContain("payOrigin");
});

test("of a run alone, a write that one press sent twice comes before the list that has one thing more for it", () => {
  const create = (ts: number) =>
    exchange("/api/trips", { method: "POST", ts, status: 201, request: { body: '{"title":"Porto"}' } });
  const list = exchange("/api/trips", {
    ts: 4_400,
    body: JSON.stringify({ trips: [1, 2, 3, 4].map((id) => ({ id })) }),
    media_type: "application/json",
  });
  const cause = (second: number) =>
    told(
      run(
        click("Create", { ts: 4_000 }),
        ...create(4_010),
        ...create(second),
        ...list,
        failing({
          name: "toHaveCount",
          title: 'Expect "toHaveCount" getByTestId("trip")',
          message: "expect(locator).toHaveCount(expected) failed",
          expected: "3",
          received: "4",
        }),
      ),
    );
  expect(cause(4_012)[0]).toBe("request_repeated: POST /api/trips was sent twice, within 2 ms");
  expect(cause(4_300)[0]).toContain("answered with 4 items");
});

test("what a product tries out or decks its pages with comes after what is missing, unless the test looks for it", () => {
  const flags = (promo_slot: string) =>
    exchange("/flags.json", {
      ts: 1_000,
      body: JSON.stringify({ flags: { promo_slot } }),
      media_type: "application/json",
    });
  const usual = run(...flags("left"), reload, ...exchange("/api/me", { ts: 4_200 }), passing());
  const failed = (more = {}) => run(...flags("right"), reload, failing(more));
  expect(told(failed(), usual, usual)[0]).toContain("GET /api/me was never sent");
  expect(told(failed({ expected: '"left"', received: '"right"' }), usual, usual)[0]).toContain(
    "GET /flags.json answered “right” for “flags.promo_slot”",
  );
});

test("a request to another server that is always answered without content breaks no page", () => {
  const count = (path: string, ts: number, more: object) =>
    exchange(`http://shop.example:8125/hit?p=${path}`, { ts, ...more });
  const broken = count("pay", 4_200, { status: 503 });
  const price = (cents: number) => exchange("/api/price", { ts: 4_100, body: JSON.stringify({ cents }) });
  const shown = { expected: '"€7.50"', received: '"€6.00"' };
  const usual = (status: number) =>
    run(
      ...count("home", 1_000, { status }),
      ...price(750),
      ...count("pay", 4_200, { status }),
      passing(shown),
    );
  const failed = run(...price(600), ...broken, failing(shown));
  expect(told(failed, usual(204), usual(204))[0]).toContain("GET /api/price answered “600”");
  const signed = count("home", 1_000, { status: 204, headers: [{ name: "Set-Cookie", value: "sid=1" }] });
  expect(told(failed, run(...signed, ...price(750), passing(shown)))[0]).toContain("answered with 503");
  // What is answered with content may be needed, and so may what nobody saw answered.
  expect(told(failed, usual(200), usual(200))[0]).toContain("was answered with 503");
  expect(told(run(...broken, failing()))[0]).toContain("was answered with 503");
  const alone = run(
    ...document("<h1>Pay</h1>", 500),
    ...count("home", 1_000, { status: 204 }),
    ...broken,
    failing(),
  );
  expect(told(alone)[0]).not.toContain("503");
});

test("a script that is not there any more is told by its status, and not by the type of the page that says so", () => {
  const refused = {
    kind: "console.error",
    text: "Refused to execute script from 'http://shop.example/app-1.js' because its MIME type ('text/plain') is not executable, and strict MIME type checking is enabled.",
    location: { url: "http://shop.example/app-1.js" },
    ts: 4_950,
  };
  const script = (status: number) =>
    exchange("/app-1.js", { resource_type: "script", media_type: "text/plain", ts: 4_900, status });
  const [first, ...others] = told(run(...script(404), refused, failing()));
  expect(first).toBe("script_failed: The script GET /app-1.js was answered with 404");
  expect(others.join()).not.toContain("refused to use");
  expect(told(run(...script(200), refused, failing()))[0]).toContain("The browser refused to use /app-1.js");
  const unsaid = exchange("/app-1.js", {
    resource_type: "script",
    ts: 4_900,
    status: undefined,
    error: "blocked",
  });
  expect(told(run(...unsaid, refused, failing())).join()).toContain("The browser refused to use /app-1.js");
});

const refused = { status: null, error: "net::ERR_CONNECTION_REFUSED" };

test("an answer without content is no news where the same failed in passes", () => {
  const asked = (url: string, more: object) => exchange(url, { ts: 4_200, status: 204, ...more });
  const lost = (url: string) => run(...asked(url, {}), failing());
  const usual = (url: string, more: object) => run(...asked(url, more), passing());
  const counter = "http://stats.example/hit?p=home";
  const said = "was answered with 204 and an empty body";
  expect(told(lost(counter), usual(counter, refused), usual(counter, refused)).join()).not.toContain(said);
  expect(told(lost("/api/rows"), usual("/api/rows", refused)).join()).not.toContain(said);
  expect(told(lost("/api/rows"), usual("/api/rows", { status: 200, body: '{"rows":[1]}' }))[0]).toContain(
    said,
  );
});

test("a server that is told page after page where the browser is, and was never there, breaks no page", () => {
  const shown = (path: string, ts: number) =>
    page("<h1>Shop</h1>", { url: `http://shop.example${path}`, ts });
  const asked = (query: string, ts: number) =>
    exchange(`http://shop.example:8125/hit?${query}`, { ts, ...refused });
  const walk = (...queries: [string, string]) =>
    run(
      ...document("<h1>Shop</h1>", 500),
      shown("/", 600),
      ...asked(queries[0], 700),
      reload,
      shown("/pay", 4_100),
      ...asked(queries[1], 4_200),
      failing(),
    );
  expect(told(walk("p=%2F&v=1", "p=%2Fpay%3Fstep%3D2&v=2"))[0]).not.toContain("nobody listened");
  // What is asked for otherwise, or of one page alone, may be what the page needs.
  expect(told(walk("part=1", "part=2"))[0]).toContain("nobody listened there");
  expect(told(walk("p=%2Fpay&v=1", "p=%2Fpay&v=2"))[0]).toContain("nobody listened there");
});

test("that an icon did not load, or what no page asked for, comes after what the failed step says", () => {
  const line = (path: string) => ({
    kind: "console.error",
    ts: 4_950,
    text: "Failed to load resource: the server responded with a status of 404 (Not Found)",
    location: { url: `http://shop.example${path}` },
  });
  const asked = exchange("/api/me", { ts: 1_000 });
  const read = (path: string) => exchange(path, { ts: 4_900, status: 200 });
  const usual = run(...asked, passing());
  for (const path of ["/favicon.ico", "/img/hero.webp?v=3", "/probe"]) {
    const all = told(run(...asked, line(path), failing()), usual);
    expect(all[0]).toContain("assertion: ");
    expect(all[1]).toContain("console_error: The page logged the error: Failed to load resource");
  }
  expect(told(run(...asked, ...read("/api/cart"), line("/api/cart"), failing()), usual)[0]).toContain(
    "Failed to load resource",
  );
});

test("a line that each run logs with a word made for it is no news, and one that no pass logs is", () => {
  const line = (text: string) => ({ kind: "console.warning", ts: 4_950, text });
  const said = (now: string, ...usual: string[]) =>
    told(run(line(now), failing()), ...usual.map((text) => run(line(text), passing()))).join();
  expect(said("visits: dropped kmjw2whchm", "visits: dropped 2z5ac5bjplh")).not.toContain("visits: dropped");
  expect(said("visits: dropped kmjw2whchm", "visits: kept 2z5ac5bjplh")).toContain("visits: dropped");
  expect(said("visits: dropped all", "visits: dropped 2z5ac5bjplh")).toContain("visits: dropped all");
});
