import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, passing, run, SITE } from "./run.ts";
import { closed, socket } from "./socket.ts";

/** What only follows from another finding stands behind it. */
const first = (...args: Parameters<typeof causeOf>) => causeOf(...args).suspects[0]?.title;

test("an empty answer that leads to the sign-in stands behind the sign-in", () => {
  const send = (more: object) => exchange("/notes", { method: "POST", ts: 4_900, ...more });
  const sent = click("Save", { ts: 4_890 });
  const usual = run(sent, ...send({ body: "<li>milk</li>" }), passing(), page("<h1>Notes</h1>"));
  const empty = { body: "", headers: [{ name: "content-length", value: "0" }] };
  const away = run(sent, ...send(empty), failing(), page("<h1>Sign in</h1>", { url: `${SITE}/login` }));
  expect(first(away, usual)).toBe("The page was at /login instead of /checkout");
  const stayed = run(sent, ...send(empty), failing(), page("<h1>Notes</h1>"));
  expect(first(stayed, usual)).toBe("POST /notes was answered with 200 and an empty body, without any data");
});

test("a hidden element stands behind the answer that another role came with", () => {
  const me = (role: string) => exchange("/api/me", { ts: 300, body: JSON.stringify({ name: "Mina", role }) });
  const step = {
    name: "click",
    title: "Click getByRole('button', { name: 'Delete all' })",
    expected: undefined,
    received: undefined,
    message:
      "TimeoutError: locator.click: Timeout 4000ms exceeded.\nCall log:\n- waiting for getByRole('button', { name: 'Delete all' })",
  };
  const usual = run(...me("editor"), passing(step), page("<button>Delete all</button>"));
  const shut = page("<button hidden>Delete all</button>");
  const told = first(run(...me("viewer"), failing(step), shut), usual);
  expect(told).toStartWith("GET /api/me answered “viewer” for “role”, where the last pass had “editor”");
  expect(first(run(...me("editor"), failing(step), shut), usual)).toContain("hidden");
});

test("a request that is refused at the sign-in stands behind the page that was sent there, and before a page that was sent there later", () => {
  const asked = (more: object) => exchange("/checkout", { resource_type: "document", ...more });
  const led = (ts: number) => asked({ ts, status: 302, headers: [{ name: "location", value: "/login" }] });
  const counted = (ts: number, status: number) => exchange("/api/visits", { method: "POST", ts, status });
  const login = page("<h1>Sign in</h1>", { url: `${SITE}/login` });
  const usual = run(...asked({ ts: 4_000 }), ...counted(5_100, 200), passing(), page("<h1>Pay</h1>"));
  const away = run(...led(4_000), ...counted(5_100, 401), failing(), login);
  expect(first(away, usual)).toStartWith("The page was at /login instead of /checkout");
  expect(first(away)).toBe("The page was sent to /login: GET /checkout was answered with 302");
  const later = run(...counted(5_100, 401), ...led(5_200), failing(), login);
  expect(first(later, usual)).toBe("POST /api/visits was answered with 401");
});

const thrown = (text: string, ts: number) => ({
  kind: "console.error",
  source: "page",
  text,
  stack: `${text}\n    at paint (${SITE}/app.js:2:58)`,
  ts,
});

test("a connection that a page lets go of as it breaks stands behind the error", () => {
  const usual = run(...socket, passing());
  const broken = thrown("TypeError: rows.map is not a function", 4_950);
  expect(first(run(...socket, broken, closed(5_000), failing()), usual)).toStartWith(
    "The page threw TypeError: rows.map is not a function",
  );
  // One that ended long before is no echo of it.
  const late = thrown("TypeError: rows.map is not a function", 6_500);
  expect(first(run(...socket, closed(5_000), late, failing()), usual)).toStartWith(
    "The WebSocket /live closed",
  );
});

test("an error that the page threw comes before what else was logged of it, whatever addresses its text has", () => {
  const words = `TypeError: rows.map is not a function\n    at paint (${SITE}/app.js:2:58)`;
  const logged = { kind: "console.error", text: `Unhandled in page: ${words}`, ts: 4_951 };
  expect(first(run(thrown(words, 4_950), logged, failing()), run(passing()))).toStartWith(
    "The page threw TypeError: rows.map is not a function",
  );
});

test("what a page says in the words of its error, or that it could not read an answer, stands behind that", () => {
  const says = (text: string) => page(`<h1>Checkout</h1><p role="alert">${text}</p>`);
  const usual = run(passing(), says(""));
  const error = thrown("Error: Failed to load the rates", 1_500);
  expect(first(run(error, failing(), says("Failed to load the rates")), usual)).toStartWith(
    "The page threw Error: Failed to load the rates",
  );
  expect(first(run(error, failing(), says("Failed to load the stamps")), usual)).toBe(
    "The page said “Failed to load the stamps”",
  );
  const html = exchange("/api/ticket", {
    ...{ method: "POST", ts: 2_500, media_type: "text/html" },
    body: "<!doctype html><title>One moment</title>",
  });
  const unread = "Could not hand in: Unexpected token '<' is not valid JSON";
  expect(first(run(...html, failing(), says(unread)))).toStartWith(
    "POST /api/ticket was answered with 200 and a page of HTML instead of data",
  );
  expect(first(run(...html, failing(), says("Could not hand in: the counter is closed")))).toStartWith(
    "The page said “Could not hand in",
  );
});

test("an alert in the words of the test stands behind the refusal right before it", () => {
  const put = (ts: number, status: number) => exchange("/api/notes/4", { ts, status, method: "PUT" });
  const alert = {
    ...{ kind: "page.dialog", ts: 4_950, type: "alert" },
    message: "The shopping list could not be saved",
  };
  const check = { expected: '"Shopping list saved"', received: '"Shopping list"' };
  const told = (ts: number) =>
    first(run(...put(ts, 409), alert, failing(check)), run(...put(ts, 200), passing(check)));
  expect(told(4_900)).toBe("PUT /api/notes/4 was answered with 409");
  expect(told(2_000)).toStartWith("The page opened the dialog alert");
  // So does one that tells of what the test gave otherwise long before.
  const given = (value: string) =>
    click("Fill getByLabel('Name')", { name: "fill", ts: 1_000, params: { selector: "label=Name", value } });
  const usual = run(given("Tea"), passing(check));
  const gave = (value: string) => first(run(given(value), alert, failing(check)), usual, usual);
  expect(gave("Coffee")).toStartWith("The test gave getByLabel('Name') “Coffee”");
  expect(gave("Tea")).toStartWith("The page opened the dialog alert");
});

test("what the server answers where the test's own route no longer does stands behind the route", () => {
  const cards = (handled: object, title: string) =>
    exchange("/api/cards", { ts: 4_000, body: JSON.stringify([{ title }]), ...handled });
  const check = { expected: '"Mocked"', received: '"Real"' };
  const missed = run(...cards({}, "Real"), failing(check));
  const answered = { handled: "fulfilled" };
  expect(first(missed, run(...cards(answered, "Mocked"), passing(check)))).toStartWith(
    "The test's own route did not take GET /api/cards",
  );
  expect(first(missed, run(...cards({}, "Mocked"), passing(check)))).toStartWith(
    "GET /api/cards answered “Real”",
  );
  const refused = run(...cards({ status: 502 }, "Down"), failing(check));
  expect(first(refused, run(...cards(answered, "Mocked"), passing(check)))).toStartWith(
    "The test's own route did not take GET /api/cards",
  );
  expect(first(refused, run(...cards({}, "Mocked"), passing(check)))).toStartWith(
    "GET /api/cards was answered with 502",
  );
});

test("a script of another version stands behind what the step's log says of its element, and before an element that is nowhere", () => {
  const served = (version: string) =>
    exchange("/lab", {
      ...{ ts: 4_000, resource_type: "document", media_type: "text/html" },
      body: `<html><body><script src="/app.js${version}"></script></body></html>`,
    });
  const looks = "waiting for getByRole('button')";
  const detached = "element was detached from the DOM, retrying";
  const clicked = (more: object) => click("Click refresh", { ts: 5_000, duration_ms: 2_000, ...more });
  const usual = run(...served(""), clicked({}));
  const told = (...log: string[]) => {
    const error = { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." };
    return first(run(...served("?v=b"), clicked({ log, error })), usual, usual);
  };
  expect(told(looks, detached, looks, detached)).toContain("was taken out of the page (detached)");
  expect(told(looks)).toStartWith('GET /lab came with src="/app.js?v=b"');
});

test("where a form led to stands behind what the page there says", () => {
  const sent = (to: string, html: string, end: ReturnType<typeof failing>) =>
    run(
      click("Send", { ts: 4_850 }),
      ...exchange("/transfers", {
        method: "POST",
        ts: 4_900,
        status: 303,
        resource_type: "document",
        headers: [{ name: "location", value: to }],
      }),
      ...exchange(to, { ts: 4_950, resource_type: "document", media_type: "text/html", body: html }),
      end,
      page(html, { url: `${SITE}${to}` }),
    );
  const usual = sent("/transfers/done", "<h1>Thank you</h1>", passing());
  const back = (more: string) => first(sent("/transfers/new", `<h1>Checkout</h1>${more}`, failing()), usual);
  expect(back('<p role="alert">Your limit is exceeded</p>')).toBe("The page said “Your limit is exceeded”");
  expect(back("<p>To: Oma Inge</p>")).toStartWith("POST /transfers was answered with 303 and led to");
});

test("a script that came otherwise stands behind the refusal of what it asks for", () => {
  const price = { title: "Expect \"toHaveText\" locator('.price')", received: '"–"', expected: '"€44.50"' };
  const shown = (path: string, status: number, end: ReturnType<typeof failing>) =>
    run(
      ...exchange("/pay", {
        ts: 4_800,
        resource_type: "document",
        media_type: "text/html",
        body: `<p class="price">–</p><script>show('.price', '${path}')</script>`,
      }),
      ...exchange(path, { ts: 4_900, status, body: "{}" }),
      end,
    );
  const usual = shown("/api/rates", 200, passing(price));
  const told = (status: number) => first(shown("/api/rates/all", status, failing(price)), usual, usual);
  expect(told(404)).toBe("GET /api/rates/all was answered with 404");
  expect(told(200)).toStartWith("GET /pay came with another script in it");
});
