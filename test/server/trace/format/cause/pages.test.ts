import { expect, test } from "bun:test";
import { saidIn } from "../../../../../server/trace/format/cause/exchanges/said-in.ts";
import { causeOf, click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

test("a page of an error is told by its heading and the sentence below it, or by what it prints", () => {
  expect(
    saidIn(
      "<!doctype html><title>Forbidden | Town</title><h1>Forbidden <span>(403)</span></h1><p class=x>CSRF token mismatch.</p><p>More</p>",
    ),
  ).toBe("Forbidden (403): CSRF token mismatch.");
  expect(
    saidIn(
      "<!DOCTYPE html><title>Error</title><body><pre>Error: no such table: carts<br> &nbsp;at all</pre>",
    ),
  ).toBe("Error: no such table: carts");
  expect(saidIn("<html><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></html>")).toBe(
    "502 Bad Gateway",
  );
  expect(saidIn('<html><h1>Oops</h1><p role="alert">Card declined</p></html>')).toBe("Card declined");
  expect(saidIn("<html><title>Only this</title><picture><path></picture></html>")).toBe("Only this");
  expect(saidIn("<html></html>")).toBeNull();
});

test("a click that came before the page's script had loaded, which no other failure of that script is", () => {
  const script = (ts: number, took: number) =>
    exchange("/enhance.js", { ts, resource_type: "script", duration_ms: took });
  const data = exchange("/api/copies", { ts: 4_950 });
  const loaded = (took: number) => {
    const [request, response] = script(4_000, took);
    return [request!, { ...response!, ts: 4_000 + took }];
  };
  const usual = run(...loaded(20), click("Click Show", { ts: 4_900 }), ...data, passing());
  const late = loaded(1_900);
  expect(first(run(late[0]!, click("Click Show", { ts: 4_900 }), failing(), late[1]!), usual)).toBe(
    "slow: “Click Show” came before the page could react: its script GET /enhance.js loaded 980 ms after it; in the last pass it had loaded by then",
  );
  // A service worker reacts to no click.
  const worker = { ...late[0]!, headers: [{ name: "service-worker", value: "script" }] };
  const beside = run(worker, click("Click Show", { ts: 4_900 }), failing(), late[1]!);
  expect(told(beside, usual).join()).not.toContain("could react");
  const inTime = run(...loaded(20), click("Click Show", { ts: 4_900 }), failing());
  expect(told(inTime, usual).join()).not.toContain("could react");
});

test("a page that came out of a service worker, where the server answers it in passes", () => {
  const album = (server_ip?: string) =>
    exchange("/album", {
      ts: 4_000,
      resource_type: "document",
      http_version: "HTTP/1.1",
      ...(server_ip && { server_ip }),
    });
  const shown = page("<p>Album</p>", { url: `${SITE}/album` });
  const server = "127.0.0.1";
  expect(first(run(...album(), failing(), shown), run(...album(server), passing(), shown))).toBe(
    "stale_answer: GET /album was answered out of a service worker or the browser's cache; in the last pass the server answered it",
  );
  expect(told(run(...album(), failing(), shown), run(...album(), passing(), shown)).join()).not.toContain(
    "stale",
  );
});

test("a form that the server gave back, with what the page says that no other does", () => {
  const post = (status: number, body?: string, ts = 4_900) =>
    exchange("/sign-in", {
      method: "POST",
      ts,
      status,
      resource_type: "document",
      media_type: "text/html",
      ...(body !== undefined && { body }),
    });
  const form = exchange("/sign-in", {
    ts: 3_000,
    resource_type: "document",
    media_type: "text/html",
    body: "<h1>Please sign in</h1><form></form>",
  });
  const at = (path: string) => page("<h1>Please sign in</h1>", { url: `${SITE}${path}` });
  const start = page("<h1>Please sign in</h1>", { url: `${SITE}/sign-in`, ts: 3_100, step_id: "open" });
  const usual = run(...form, start, ...post(303), passing(), at("/loans"));
  const back = post(200, "<h1>Please sign in</h1><form></form><p>That PIN is not right.</p>");
  const found = told(run(...form, start, ...back, failing(), at("/sign-in")), usual);
  expect(found[0]).toBe(
    "page_message: POST /sign-in gave the form back instead of leading on (200, where the last pass got 303): the page says “That PIN is not right.”",
  );
  expect(found.join()).toContain("redirected: The page was still at /sign-in");
  expect(told(run(...form, start, ...post(303), failing(), at("/loans")), usual).join()).not.toContain(
    "form back",
  );
  // A test that first sends it empty gets it back in every pass.
  const empty = post(200, "<h1>Please sign in</h1><form></form><p>Enter your PIN.</p>", 4_000);
  const twice = run(...form, start, ...empty, ...post(303), passing(), at("/loans"));
  const [again] = causeOf(run(...form, start, ...empty, ...back, failing(), at("/sign-in")), twice).suspects;
  expect(again).toMatchObject({ title: found[0]!.replace("page_message: ", ""), detail: null });
});

test("a page that came without what the test looks for", () => {
  const catalogue = (...books: string[]) =>
    exchange("/catalogue", {
      ts: 4_000,
      resource_type: "document",
      media_type: "text/html",
      body: books.map((book) => `<li><button>Reserve ${book}</button></li>`).join(""),
    });
  const reserve = (more: object) =>
    click("Click Reserve", {
      ts: 5_000,
      duration_ms: 2_000,
      params: { selector: "internal:role=button" },
      ...more,
    });
  const missed = reserve({
    error: { message: "locator.click: Timeout 2000ms exceeded." },
    log: ["waiting for getByRole('button', { name: 'Reserve Piranesi' })"],
  });
  const shown = page("<button>Reserve Dune</button><button>Reserve Emma</button>", {
    step_id: "Click Reserve",
  });
  const failed = run(...catalogue("Dune", "Emma"), missed, shown);
  expect(first(failed, run(...catalogue("Dune", "Emma", "Piranesi"), reserve({})))).toBe(
    "answer_changed: GET /catalogue came without “Reserve Piranesi”, which it has in the last pass",
  );
  expect(told(failed).join()).not.toContain("in its place");
});

test("a script of the same length is another one where a tag of its text says so", () => {
  const script = (etag: string) =>
    exchange("/main.js", {
      ts: 1_000,
      resource_type: "script",
      headers: [
        { name: "Content-Length", value: "4020" },
        { name: "ETag", value: etag },
      ],
    });
  const released = (now: string, before: string) =>
    told(run(...script(now), failing()), run(...script(before), passing())).join();
  expect(released('W/"fb4-2Tn8Q2y6Exel+7BDDSb4mSqH47o"', 'W/"fb4-CzCwKuajeWAZge9l5VA+Ej64xyM"')).toContain(
    "The script GET /main.js changed since the last pass: it has another ETag",
  );
  // Of length and time.
  expect(released('W/"fb4-18c0a3f1b58"', 'W/"fb4-18c0a3f0000"')).not.toContain("The script");
});

test("a circle of redirects is told with what leads round", () => {
  const hop = (path: string, ts: number) => exchange(path, { ts, resource_type: "document", status: 302 });
  const gone = click("Navigate to /", {
    ts: 5_000,
    name: "goto",
    step_id: "open",
    ok: false,
    duration_ms: 500,
    error: { message: `page.goto: net::ERR_TOO_MANY_REDIRECTS at ${SITE}/` },
  });
  const circle = (...paths: string[]) =>
    first(run(...paths.flatMap((path, at) => hop(path, 5_010 + 10 * at)), { ...gone, ts: 5_000 }));
  expect(circle("/", "/welcome", "/", "/welcome")).toEndWith(
    "in a circle (net::ERR_TOO_MANY_REDIRECTS): / leads to /welcome, and so on",
  );
  expect(circle("/", "/")).toEndWith(": / leads to itself");
});

test("a page that came to another address is told with the page that was to lead there", () => {
  const signIn = (next: string) =>
    page("", { url: `${SITE}/login?next=${encodeURIComponent(next)}`, ts: 3_000, step_id: "a" });
  const at = (url: string) => page("<h1>Transfer</h1>", { url: SITE + url });
  const usual = run(signIn("/transfer?to=7"), at("/transfer?to=7"), passing());
  expect(first(run(signIn("/transfer"), at("/transfer"), failing()), usual)).toBe(
    "redirected: The page was at shop.example/transfer instead of shop.example/transfer?to=7: /login came with “/transfer” for “next”, where the last pass had “/transfer?to=7”",
  );
});

test("a file that goes by another hash of its bundler is no change of the page", () => {
  const shell = (file: string) =>
    exchange("/checkout", {
      ts: 1_000,
      resource_type: "document",
      media_type: "text/html",
      body: `<div id="app"></div><script type="module" src="/assets/${file}"></script>`,
    });
  const built = (now: string, before: string) =>
    told(
      run(...shell(now), failing()),
      run(...shell(before), passing()),
      run(...shell(before), passing()),
    ).join();
  expect(built("main-7WH57OY5.js", "main-L4NP6VZY.js")).not.toContain("came with");
  expect(built("main-UNQIAKTY.js", "main-CNHAOUQB.js")).not.toContain("came with");
  expect(built("main.3f9c01ab.js", "main.77ad03ee.js")).not.toContain("came with");
  expect(built("main-2.1.0.js", "main-2.0.0.js")).toContain('came with src="/assets/main-2.1.0.js"');
});

test("a form that was given back is told with the sentence that says why, and below the field that lost its name", () => {
  const html = (name: string, more = "") =>
    `<h1>New dish</h1><form>${more}<select ${name}><option value="1">Mains</option></select><button>Save</button></form>`;
  const form = (name: string) =>
    exchange("/menu/new", {
      ts: 3_000,
      resource_type: "document",
      media_type: "text/html",
      body: html(name),
    });
  const post = (status: number, sent: string, name: string) =>
    exchange("/menu/new", {
      method: "POST",
      ts: 5_050,
      status,
      resource_type: "document",
      media_type: "text/html",
      request: {
        headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
        body: sent,
      },
      ...(status === 200 && {
        body: html(name, "<h2>Please try again</h2><p>Please choose a category for it.</p>"),
      }),
    });
  const usual = run(...form('name="category"'), ...post(303, "title=Fig&category=1", ""), passing());
  const refused = run(...form('name="category"'), ...post(200, "title=Fig&category=1", ""), failing());
  expect(told(refused, usual, usual)[0]).toEndWith("the page says “Please choose a category for it.”");
  const nameless = told(
    run(...form('id="category"'), ...post(200, "title=Fig", ""), failing()),
    usual,
    usual,
  );
  expect(nameless[0]).toContain("without name in <select");
  expect(nameless[0]).toContain("POST /menu/new was sent without the field category");
});

test("a form that was given back stands below what it was sent with, where the failed step speaks of that", () => {
  const form = (more = "") => ({
    resource_type: "document",
    media_type: "text/html",
    body: `<h1>New booking</h1><form>${more}<input name="day"><button>Book</button></form>`,
  });
  const booked = (status: number, day: string) => [
    ...exchange("/bookings", { ts: 3_000, ...form() }),
    ...exchange("/bookings", {
      method: "POST",
      ts: 5_050,
      status,
      request: {
        headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
        body: `room=4&day=${day}`,
      },
      ...form("<p>Room 4 is taken on that day</p>"),
    }),
  ];
  const check = { expected: '"Booked for 2030-05-12"', received: '"New booking"' };
  const usual = run(...booked(303, "2030-05-12"), passing(check));
  const cause = (day: string) => told(run(...booked(200, day), failing(check)), usual, usual)[0];
  expect(cause("2030-05-11")).toBe(
    "page_changed: POST /bookings was sent with the field day “2030-05-11” where the last pass sent “2030-05-12”",
  );
  expect(cause("2030-05-12")).toBe(
    "page_message: POST /bookings gave the form back instead of leading on (200, where the last pass got 303): the page says “Room 4 is taken on that day”",
  );
});
