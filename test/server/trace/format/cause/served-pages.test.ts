import { expect, test } from "bun:test";
import { saidIn } from "../../../../../server/trace/format/cause/exchanges/said-in.ts";
import { calledAlike } from "../../../../../server/trace/format/cause/run/called.ts";
import { idsOf } from "../../../../../server/trace/format/cause/run/own-ids.ts";
import { causeOf, click, exchange, factsOf, failing, first, page, passing, run, SITE, told } from "./run.ts";

const HOST = { name: "Host", value: "shop.example" };
const document = (url: string, body: string, more: object = {}) =>
  exchange(url, { resource_type: "document", media_type: "text/html", ts: 4_000, body, ...more });
const visit = (...urls: string[]) =>
  run(...urls.flatMap((url) => exchange(url, { resource_type: "document" })));
const ids = (...runs: string[][]) => idsOf(runs.map((urls) => factsOf(visit(...urls))));

test("what stands at one place of a path and is another in every pass is an id, whatever its form", () => {
  const booking = (ref: string) => ["/search", `/bookings/${ref}/guests`, `/bookings/${ref}/pay`];
  expect(ids(booking("AD6830"), booking("90DB27"), booking("XKQZPT")).toSorted()).toEqual([
    "90DB27",
    "AD6830",
    "XKQZPT",
  ]);
  expect(ids(booking("352743"), booking("90DB27"), booking("DF5326"))).toContain("352743");
});

test("a word is no id that passes share, that is made otherwise, or that one pass alone cannot tell from a word", () => {
  const at = (last: string) => ["/start", `/shop/${last}`];
  expect(ids(at("sign-in"), at("checkout"), at("checkout"))).toEqual([]);
  expect(ids(at("checkout"), at("receipts"))).toEqual([]);
  expect(ids(at("undefined"), at("9f3a7c"), at("1b22ef"))).not.toContain("undefined");
  expect(ids(at("9f3a7c"))).toEqual([]);
});

test("what a run asks for where every pass asks for an id is one, though the run came to no path of it", () => {
  const order = (no: string) => [`/orders?no=${no}&status=open`, `/orders/${no}`];
  const [mine, ...passes] = [["/orders?no=40515&status=open"], order("40700"), order("40552")] as const;
  expect(ids([...mine], [...passes[0]!], [...passes[1]!])).toContain("40515");
  // What passes ask for alike, or what leads to no path, is asked for by its own name.
  expect(ids(["/orders?no=40515"], order("40700"), ["/orders?no=Smith", "/orders/40552"])).not.toContain(
    "40515",
  );
  expect(ids(["/orders?status=closed"], order("40700"), order("40552"))).toEqual(["40552", "40700"]);
  expect(ids(["/orders?no=undefined"], order("40700"), order("40552"))).not.toContain("undefined");
});

test("runs that name a thing by another id call it alike, in addresses and in texts", () => {
  const [mine, theirs] = calledAlike(
    ["QXBNRT", "PLMKWZ", "ZZTRQA"].map((ref) => factsOf(visit("/", `/bookings/${ref}/pay`))),
  );
  expect(mine!.normaliser.url(`${SITE}/bookings/QXBNRT/pay`)).toBe(
    theirs!.normaliser.url(`${SITE}/bookings/PLMKWZ/pay`),
  );
  expect(mine!.normaliser.text("Booking QXBNRT is held")).toBe("Booking <id> is held");
});

test("a figure of one row of many, or a button of one thing, weighs less than anything that the failed step is about", () => {
  const weightOf = (now: string, before: string, more: Record<string, unknown> = {}) => {
    const pass = run(...document("/cabins", before), passing());
    const { suspects } = causeOf(run(...document("/cabins", now), failing(more)), pass, pass);
    return suspects.find(({ title }) => /^GET \/cabins came with(?:out)? .*(?:data-|<button)/.test(title))
      ?.confidence;
  };
  const row = (free: number, no: number) => `<tr data-free="${free}" id="row-${no}"><td>Cabin</td></tr>`;
  const list = (free: number) => `<table>${row(4, 1)}${row(free, 2)}</table>`;
  expect(weightOf(list(5), list(3))).toBeLessThan(0.4);
  // What stands there once may be what scripts go by.
  const one = (most: number) => `<div data-most="${most}">Cabins</div>`;
  expect(weightOf(one(5), one(3))).toBeGreaterThan(0.8);
  const cancel = '<p>Cabins</p><button hx-delete="/bookings/4711" type="button">X</button>';
  expect(weightOf("<p>Cabins</p>", cancel)).toBeLessThan(0.4);
  const missing = {
    title: "Expect \"toBeVisible\" getByRole('button', { name: 'X' })",
    message: "Locator: getByRole('button', { name: 'X' })\nError: element(s) not found",
    expected: undefined,
    received: undefined,
  };
  expect(weightOf("<p>Cabins</p>", cancel, missing)).toBeGreaterThan(0.4);
});

test("what a page's head sets for its scripts is told, and not what it says of its release or visitor", () => {
  const head = (more: string) => `<html lang="en"><head>${more}</head><body><h1>Cabins</h1></body>`;
  const usual = run(...document("/cabins", head("<meta name='x-config' content='{\"wait\":1}'>")), passing());
  const now = (more: string) => run(...document("/cabins", head(more)), failing());
  expect(first(now("<meta name='x-config' content='{\"wait\":1,\"off\":[4]}'>"), usual, usual)).toBe(
    "answer_changed: GET /cabins came with content=\"{'wait':1,'off':[4]}\" in <meta name=\"x-config\">, where the last pass had content=\"{'wait':1}\"",
  );
  const release = '<meta name="version" content="2"><meta name="csrf-token" content="b">';
  const same = now(`<meta name='x-config' content='{"wait":1}'>${release}`);
  expect(told(same, usual, usual).join()).not.toContain("<meta");
  const other = run(...document("/cabins", head("<meta name='x-config' content='{\"wait\":2}'>")), passing());
  expect(told(now("<meta name='x-config' content='{\"wait\":3}'>"), usual, other).join()).not.toContain(
    "<meta",
  );
});

test("what differs in a field, a form or a frame is told by its attribute", () => {
  const form = (field: string) =>
    `<html lang="en"><body data-variant="A"><form action="/book" method="post">${field}<input type="hidden" name="csrf" value="x"></form>`;
  const usual = run(...document("/cabins/3", form('<input name="nights" type="number" min="1">')), passing());
  const now = (field: string) => run(...document("/cabins/3", form(field)), failing());
  expect(first(now('<input name="nights" type="number" min="1" max="2">'), usual, usual)).toBe(
    'answer_changed: GET /cabins/3 came with max="2" in <input name="nights">, where the last pass had none',
  );
  expect(first(now('<input name="nights[]" type="number" min="1">'), usual, usual)).toBe(
    'answer_changed: GET /cabins/3 came with name="nights[]" in <input>, where the last pass had name="nights"',
  );
  expect(
    first(now('<input name="nights" type="number" min="1"><input name="firm" required>'), usual, usual),
  ).toBe(
    'answer_changed: GET /cabins/3 came with “<input name="firm" required>”, which it has not in the last pass',
  );
});

test("what varies between passes, an experiment of the whole page and another page as a whole are no change of a field", () => {
  const body = (ref: string, variant: string) =>
    `<body data-variant="${variant}"><div data-ref="${ref}">x</div><form action="/a">`;
  const at = (html: string, end: ReturnType<typeof failing>) => run(...document("/list", html), end);
  const passes = [at(body("r1", "B"), passing()), at(body("r2", "B"), passing())];
  expect(told(at(body("r3", "A"), failing()), ...passes).join()).not.toContain("came with");
  const others = Array.from({ length: 9 }, (_, at) => `<input name="f${at}">`).join("");
  expect(told(at(others, failing()), ...passes).join()).not.toContain("<input");
});

test("markup that never ends costs no more than other markup", () => {
  const parts = ["<script>", '<form a="', "<input ", "<a data-x='", "<", "<table ", "<!--"];
  const met = { expected: '"Thank you"', received: '"Checkout"' };
  const started = performance.now();
  for (const hostile of [...parts, parts.join("")].map((part) => part.repeat(60_000 / part.length))) {
    const failed = run(...document("/", `<p>Checkout</p>${hostile}`), failing(met));
    const usual = run(...document("/", `<p>Thank you</p>${hostile}`), passing(met));
    causeOf(failed, usual, usual);
    causeOf(failed);
  }
  expect(performance.now() - started).toBeLessThan(2_000);
});

test("a cookie that is set for other pages, and one that browsers refuse", () => {
  const signIn = (cookie: string, end: ReturnType<typeof failing>) =>
    run(
      ...exchange("/sign-in", {
        method: "POST",
        status: 303,
        resource_type: "document",
        ts: 4_000,
        headers: [{ name: "set-cookie", value: cookie }],
      }),
      end,
    );
  const usual = signIn("sid=1; Path=/; SameSite=Lax", passing());
  expect(first(signIn("sid=2; Path=/account; SameSite=Lax", failing()), usual)).toBe(
    "storage: POST /sign-in sets the cookie “sid” with Path=/account, where the last pass had Path=/: pages outside of /account do not get it",
  );
  expect(first(signIn("sid=2; Path=/; SameSite=None", failing()), usual)).toBe(
    "storage: POST /sign-in sets the cookie “sid” with SameSite=None and without Secure: browsers refuse such a cookie, and go on without it or with the one before",
  );
  expect(told(signIn("sid=3; SameSite=Lax; Path=/; Max-Age=60", failing()), usual).join()).not.toContain(
    "storage",
  );
});

const asks = (url: string, cookie: string, more: object = {}) =>
  exchange(url, {
    resource_type: "document",
    request: { headers: [HOST, { name: "Cookie", value: cookie }] },
    ...more,
  });

test("a cookie that was sent to one page beside an older one and not to the next is kept for a path", () => {
  const usual = run(
    ...asks("/account", "sid=new", { ts: 3_000 }),
    ...asks("/claims", "sid=new", { ts: 4_000 }),
    passing(),
  );
  const now = run(
    ...asks("/account", "sid=new; sid=old", { ts: 3_000 }),
    ...asks("/claims", "sid=old", { ts: 4_000, status: 303 }),
    failing(),
  );
  expect(first(now, usual)).toStartWith(
    "storage: GET /claims did not carry the cookie “sid” that GET /account carried beside an older one",
  );
});

test("a cookie that a form renews in every pass and not in this run", () => {
  const go = (after: string, end: ReturnType<typeof failing>) =>
    run(
      ...asks("/sign-in", "sid=a", { ts: 3_000, method: "POST", status: 303 }),
      ...asks("/account", `sid=${after}`, { ts: 4_000 }),
      end,
    );
  expect(first(go("a", failing()), go("b", passing()), go("c", passing()))).toStartWith(
    "storage: After POST /sign-in the browser went on with the old cookie “sid”",
  );
  expect(told(go("a", failing()), go("a", passing())).join()).not.toContain("went on");
});

test("a cookie that somebody else has, or another answer set, is none that a form renews", () => {
  const sent = (method: string, page: string, cookie: string, ts: number) =>
    exchange("/notes", { method, ts, request: { page, headers: [HOST, { name: "Cookie", value: cookie }] } });
  const noted = sent("POST", "one", "sid=a", 3_000);
  const now = run(...noted, ...sent("GET", "one", "sid=a", 4_000), failing());
  const renewed = run(...noted, ...sent("GET", "one", "sid=b", 4_000), passing());
  const colleague = run(...noted, ...sent("GET", "two", "sid=b", 4_000), passing());
  const setting = { headers: [{ name: "Set-Cookie", value: "sid=b; Path=/" }] };
  const switched = run(
    ...noted,
    ...exchange("/session", { ts: 3_500, method: "POST", ...setting }),
    ...sent("GET", "one", "sid=b", 4_000),
    passing(),
  );
  const wentOn = "went on with the old cookie";
  expect(told(now, renewed, renewed).join()).toContain(wentOn);
  for (const usual of [colleague, switched]) expect(told(now, usual, usual).join()).not.toContain(wentOn);
});

test("letters that are read by another charset, and a page where a file was", () => {
  const typed = (url: string, type: string, end: ReturnType<typeof failing>, body = "<h1>Soon</h1>") =>
    run(
      ...document(url, body, { media_type: type, headers: [{ name: "Content-Type", value: type }] }),
      page("<p>Ã…lesund</p>"),
      end,
    );
  expect(
    first(
      typed("/list", "text/html; charset=iso-8859-1", failing()),
      typed("/list", "text/html; charset=utf-8", passing()),
    ),
  ).toBe(
    "answer_changed: GET /list is served as charset=iso-8859-1, where the last pass had charset=utf-8: its letters are garbled",
  );
  expect(
    first(typed("/policy.pdf", "text/html", failing()), typed("/policy.pdf", "application/pdf", passing())),
  ).toBe("download: GET /policy.pdf was answered with a page (“Soon”) instead of a PDF");
});

test("the browser's own copy of a page, where the passes asked the server again", () => {
  const dated = (at: number, control: string, body: string, date = 12) =>
    document("/account", body, {
      ts: at,
      headers: [
        { name: "date", value: `Mon, 23 Nov 2026 19:24:${date} GMT` },
        { name: "cache-control", value: control },
      ],
    });
  const usual = run(
    ...dated(3_000, "no-store", "<p>None</p>"),
    ...dated(4_000, "no-store", "<p>One</p>", 13),
    passing(),
  );
  const now = run(
    ...dated(3_000, "max-age=600", "<p>None</p>"),
    ...dated(4_000, "max-age=600", "<p>None</p>"),
    failing(),
  );
  expect(first(now, usual)).toStartWith("stale_answer: GET /account was answered out of the browser's cache");
});

test("data that a page was sent elsewhere for, and a page that is another one altogether", () => {
  const usual = run(
    ...exchange("/results", { ts: 4_000, body: "<li>Birch</li>", media_type: "text/html" }),
    passing(),
  );
  const now = run(
    ...exchange("/results", { ts: 4_000, status: 302, headers: [{ name: "location", value: "/sign-in" }] }),
    failing(),
  );
  expect(first(now, usual)).toBe(
    "redirected: GET /results was redirected to /sign-in (302); in the last pass it was answered",
  );
  const list = "<h1>Cabins</h1><p>Birch</p><p>Pine</p><p>Fjord</p><p>Tower</p><p>Harbour</p>";
  const challenge =
    "<!doctype html><title>Just a moment</title><h1>Checking your browser</h1><p>You are not a robot, are you?</p>";
  expect(
    first(run(...document("/search", challenge), failing()), run(...document("/search", list), passing())),
  ).toBe(
    "answer_changed: GET /search was answered with another page altogether: “Checking your browser: You are not a robot, are you?”",
  );
});

test("a sum that is another one is told with the line that makes it so, and a list with what moved", () => {
  const quote = (vat: string, sum: string) => `<table><tr><th>VAT ${vat} %</th><td>${sum}</td></tr></table>`;
  const values = { expected: '"€119.00"', received: '"€100.00"' };
  expect(
    first(
      run(...document("/quote", quote("0", "€100.00")), failing(values)),
      run(...document("/quote", quote("19", "€119.00")), passing()),
    ),
  ).toEndWith("it says “VAT 0 %” there too, where the last pass had “VAT 19 %”");
  const list = (...names: string[]) => names.map((name) => `<li>${name}</li>`).join("");
  const wrong = { expected: '"Pine"', received: '"Tower"' };
  expect(
    first(
      run(...document("/list", list("Tower", "Birch", "Pine")), failing(wrong)),
      run(...document("/list", list("Pine", "Birch", "Tower")), passing()),
    ),
  ).toBe(
    "answer_changed: GET /list came in another order: “Tower” stands before “Pine”, which stood there in the last pass",
  );
});

test("a table in another order is told though a list beside it names its rows too", () => {
  const teams = (...names: string[]) =>
    `<ul><li>Birch</li><li>Pine</li><li>Tower</li></ul><table>${names.map((name, at) => `<tr><td>${at + 1}</td><td>${name} A</td></tr>`).join("")}</table><p>${names[0]} A</p>`;
  expect(
    first(
      run(
        ...document("/ladder", teams("Tower", "Birch", "Pine")),
        failing({ expected: '"Pine A"', received: '"Tower A"' }),
      ),
      run(...document("/ladder", teams("Pine", "Birch", "Tower")), passing()),
    ),
  ).toBe(
    "answer_changed: GET /ladder came in another order: “Tower A” stands before “Pine A”, which stood there in the last pass",
  );
});

test("the state of things has no order, and a row fewer is no other markup", () => {
  const board = (...states: string[]) =>
    `<h1>Doors</h1><main>${states.map((state, at) => `<div data-door="${at}"><b>${at}</b><i>${state}</i><button type="button">Set</button></div>`).join("")}</main>`;
  const met = { expected: '"Shut"', received: '"Open"' };
  const usual = board("Ajar", "Shut", "Open", "Shut", "Open", "Shut", "Open");
  const now = board("Shut", "Open", "Shut", "Ajar", "Open");
  const causes = told(
    run(...document("/doors", now), failing(met)),
    run(...document("/doors", usual), passing()),
    run(...document("/doors", usual), passing()),
  ).join();
  expect(causes).not.toContain("in another order");
  expect(causes).not.toContain("<button");
  expect(causes).not.toContain("<div");
});

test("a number that the test met is no part of a longer one of the page", () => {
  const diary = (lane: string) => `<h1>Diary</h1><p>Lane ${lane}</p>`;
  const causes = told(
    run(...document("/diary", diary("114")), failing({ expected: '"20"', received: '"14"' })),
    run(...document("/diary", diary("113")), passing()),
  );
  expect(causes.join()).not.toContain("came with");
});

test("a figure that stands for none that every pass has weighs little, and a number that was counted is none of a page", () => {
  const list = (count: string) => `<p>Showing <b>1</b>–<b>12</b> of <b>${count}</b></p><p>124</p>`;
  const looks = { expected: '"Showing 13–24 of 33"', received: '"Showing 1–12 of 35"' };
  const pass = (count: string) => run(...document("/rows", list(count)), passing(looks));
  const weightOf = (...passes: ReturnType<typeof pass>[]) =>
    causeOf(run(...document("/rows", list("35")), failing(looks)), ...passes).suspects.find(({ title }) =>
      title.startsWith("GET /rows came with “35”"),
    )?.confidence;
  expect(weightOf(pass("31"), pass("29"))).toBeLessThan(0.45);
  expect(weightOf(pass("31"), pass("31"))).toBeGreaterThan(0.8);
  const count = { name: "toHaveCount", expected: "12", received: "11" };
  const causes = told(
    run(...document("/rows", list("35").replace("124", "97")), failing(count)),
    run(...document("/rows", list("35")), passing(count)),
  );
  expect(causes.join()).not.toContain("without “124”");
});

test("a job that is asked for time and again and never moves on", () => {
  const from = (more: object, ...states: string[]) =>
    states.flatMap((state, at) =>
      exchange("/job", { ts: 3_000 + at * 100, body: JSON.stringify({ state }), ...more }),
    );
  const polls = (...states: string[]) => from({}, ...states);
  const usual = run(...polls("queued", "running", "done"), passing());
  expect(first(run(...polls("queued", "queued", "queued", "queued"), failing()), usual)).toBe(
    "answer_changed: GET /job still answered “queued” for “state”, 4 times in a row; in the last pass it came to “done”",
  );
  expect(told(run(...polls("queued", "running", "done"), failing()), usual).join()).not.toContain(
    "still answered",
  );
  const kept = from({ http_version: "HTTP/1.1" }, "queued", "queued", "queued");
  expect(first(run(...kept, failing()), usual)).toEndWith(
    "it came to “done”; the last came out of a service worker or the browser's cache",
  );
});

test("what is typed after the focus moved stands in a field that no pass has", () => {
  const typing = click("type", { name: "keyboardType", params: { text: "Bergen" }, ts: 4_000 });
  const usual = run(typing, page('<input name="place" value="Bergen">'), passing());
  const now = page(
    '<input name="place" value="Be"><h2>Ten per cent off</h2><label>Your e-mail <input name="mail" value="rgen"></label>',
  );
  expect(first(run(typing, now, failing()), usual)).toStartWith(
    "page_changed: What the test typed (“Bergen”) went into another field: “Your e-mail” under “Ten per cent off” holds “rgen”",
  );
});

test("a form that came back is told by what stands beside its field", () => {
  expect(
    saidIn(
      '<html><h1>Who travels?</h1><p>Fjord View</p><p class="error">Date of birth has to be DD/MM/YYYY.</p></html>',
    ),
  ).toBe("Date of birth has to be DD/MM/YYYY.");
});

test("a message that is no more than the name of its status is followed by what was thrown, and where", () => {
  const said = (body: object) => saidIn(JSON.stringify(body));
  const thrown = "TypeError: Cannot read properties of undefined (reading 'rate')";
  const message = "Internal Server Error";
  expect(said({ message, error: thrown, at: "repriceStay" })).toBe(`${message}: ${thrown} (at repriceStay)`);
  expect(said({ message, exception: `${thrown}\n  at a.js`, at: "2026-01-02 10:00" })).toBe(
    `${message}: ${thrown}`,
  );
  expect(said({ message, error: "Server error", at: "repriceStay" })).toBe(message);
  expect(said({ message: "The stay is over", error: thrown, at: "repriceStay" })).toBe("The stay is over");
});

test("a part of a page that says what went wrong is told by what a person reads in it", () => {
  expect(saidIn("<p>Somebody else changed it.</p>")).toBe("Somebody else changed it.");
  expect(
    saidIn(
      '<section class="card"><h2>Bolt</h2><input name="count"><p role="alert"><b>Enter</b> a whole number, don&#x27;t guess</p></section>',
    ),
  ).toBe("Enter a whole number, don't guess");
  expect(saidIn('<form id="book"><ul class="errorlist"><li>Name a day.</li></ul><p>Help</p></form>')).toBe(
    "Name a day.",
  );
  expect(saidIn("<Error><Code>NoSuchKey</Code><Message>It is not there</Message></Error>")).toBe(
    "NoSuchKey It is not there",
  );
  expect(saidIn("<html><body>Bad gateway</body></html>")).toBe("Bad gateway");
});

test("what only holds a refused field, an alert that is hidden, and what was typed say nothing of what went wrong", () => {
  const field = '<label>Day</label><textarea class="is-invalid">tomorrow</textarea>';
  expect(saidIn(`<form class="has-error"><h2>Book</h2>${field}</form>`)).toBe("Book Day tomorrow");
  expect(saidIn('<p class="terror">Taken</p><p role="alert" hidden>Saved</p>')).toContain("Taken");
  expect(saidIn("<3 of 5 were sent")).toBe("<3 of 5 were sent");
  expect(saidIn("<img src=x>")).toBeNull();
});

test("an alert that only points to its form is told with what stands beside the fields", () => {
  const field = (name: string, more = "") => `<p><label>${name} <input name="${name}"></label>${more}</p>`;
  const wrong = (text: string, more = "") => `<span class="field-error"${more}>${text}</span>`;
  const form = (alert: string, ...fields: string[]) =>
    saidIn(`<main><p role="alert">${alert}</p><form>${fields.join("")}</form></main>`);
  expect(form("Check the form", field("Room"), field("Seats", wrong("Too few")))).toBe(
    "Check the form (Seats: Too few)",
  );
  expect(form("Check the form", field("Seats"), field("Room", wrong("Too few", " hidden")))).toBe(
    "Check the form",
  );
  expect(form("Seats: Too few", field("Seats", wrong("Too few")))).toBe("Seats: Too few");
  // Of what stands beside several fields, or beside none, nobody knows what it is of.
  expect(form("Check the form", `<div>${field("From")}${field("To")}${wrong("In turn")}</div>`)).toBe(
    "Check the form",
  );
  expect(form("Saved", wrong("Old news"))).toBe("Saved");
});

test("a script of another release that a cache has kept explains what is no longer asked for", () => {
  const script = (size: number, headers: object[]) =>
    exchange("/app.js", {
      resource_type: "script",
      ts: 3_000,
      headers: [{ name: "content-length", value: `${size}` }, ...headers],
    });
  const usual = run(...script(900, []), passing());
  expect(first(run(...script(600, [{ name: "age", value: "604800" }]), failing()), usual)).toBe(
    "stale_answer: The script GET /app.js came from a cache, 7 days old and is not that of the last pass: it has 600 bytes instead of 900",
  );
});

const list = (ts: number, ...names: string[]) =>
  document(
    "/patients",
    `<h1>Patients</h1><ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul><p>${names.length} patients</p>`,
    { ts },
  );
const counted = {
  name: "toBeVisible",
  title: "Expect \"toBeVisible\" getByText('2 patients')",
  message:
    "expect(locator).toBeVisible() failed\nLocator: getByText('2 patients')\nError: element(s) not found",
  expected: undefined,
  received: undefined,
};
const removes = click("Click getByRole('button', { name: 'Delete' })", { ts: 3_500 });

test("a page that came again as it was before an action is told, though passes have seen it so before theirs", () => {
  const usual = run(...list(1_000, "Ann", "Bo", "Cy"), removes, ...list(4_000, "Bo", "Cy"), passing(counted));
  const failed = run(
    ...list(1_000, "Ann", "Bo", "Cy"),
    removes,
    ...list(4_000, "Ann", "Bo", "Cy"),
    failing(counted),
  );
  expect(first(failed, usual, usual)).toBe(
    "answer_changed: GET /patients came with “3 patients”, where the last pass had “2 patients”; it says “Ann” there too",
  );
});

test("what another page has in the place of an element is no other name of it", () => {
  const shot = (path: string, text: string) =>
    page(`<h1>Clinic</h1><p>${text}</p>`, { url: `${SITE}${path}` });
  const usual = run(removes, passing(counted), shot("/patients", "2 patients"));
  const failed = (path: string) => run(removes, failing(counted), shot(path, "Ward A"));
  expect(first(failed("/patients"), usual, usual)).toStartWith("element_renamed:");
  expect(told(failed("/patients/1"), usual, usual).join("\n")).not.toContain("element_renamed");
});

test("a hidden element is told with the script that changed, where nothing else says why it is hidden", () => {
  const script = (size: number) =>
    exchange("/site.js", {
      resource_type: "script",
      ts: 1_000,
      media_type: "text/javascript",
      body_size: size,
    });
  const target = "getByText('Admitted')";
  const log = [
    "waiting for getByText('Admitted')",
    "locator resolved to <div hidden>Admitted</div>",
    "element is not visible",
  ];
  const clicks = (ok: boolean) =>
    click(`Click ${target}`, {
      ts: 5_000,
      step_id: "check",
      ...(ok
        ? {}
        : {
            ok,
            duration_ms: 2_000,
            log,
            error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
          }),
    });
  const usual = run(...script(1_219), clicks(true));
  expect(first(run(...script(1_211), clicks(false)), usual, usual)).toEndWith(
    "; the script GET /site.js changed since the last pass: it has 1211 bytes instead of 1219",
  );
});

test("an address in an attribute is the same whatever ids are in it, and another host is not", () => {
  const at = (id: number, more = "", host = "") =>
    document(
      `/receive/${id}`,
      `<form hx-post="${host}/receive/${id}/scan" hx-target="#receive"><input name="code"${more}></form>`,
    );
  const cause = (now: ReturnType<typeof at>) =>
    told(run(...now, failing()), run(...at(4_181), passing()), run(...at(4_182), passing())).join("\n");
  expect(cause(at(4_288))).not.toContain("came with");
  expect(cause(at(4_288, ' required="required"'))).toContain(
    'came with required="required" in <input name="code">, where the last pass had none',
  );
  expect(cause(at(4_288, "", "http://127.0.0.2"))).toContain("came with hx-post=");
});

test("a component is told by any attribute that it acts by, and an id without a letter is an id", () => {
  const palette = (shortcut: string, visit: string) =>
    document(
      "/invoices",
      `<command-palette shortcut="${shortcut}" class="${visit}"></command-palette><script src="/chat.js?c=${visit}"></script>`,
    );
  const usual = run(...palette("mod+k", "9505dcc9"), passing());
  expect(first(run(...palette("meta+k", "25941506"), failing()), usual, usual)).toBe(
    'answer_changed: GET /invoices came with shortcut="meta+k" in <command-palette>, where the last pass had shortcut="mod+k"',
  );
  expect(told(run(...palette("mod+k", "25941506"), failing()), usual, usual).join("\n")).not.toContain(
    "came with",
  );
});

test("ids in data that an attribute holds are none of the markup, and another value in it is", () => {
  const basket = (id: string, total: number) => {
    const lines = [
      { id, name: "Mushroom rice", choices: [], quantity: 1, total },
      { id: id.split("").reverse().join(""), name: "Burnt cheesecake", choices: [], quantity: 1, total },
    ];
    return document(
      "/basket",
      `<div id="basket" data-basket="${JSON.stringify({ lines, count: 2 }).replaceAll('"', "&quot;")}"></div>`,
    );
  };
  const usual = (id: string) => run(...basket(id, 7), passing());
  const cause = (total: number) =>
    told(run(...basket("46900975", total), failing()), usual("9af07c11"), usual("4c11d0aa")).join("\n");
  expect(cause(7)).not.toContain("came with");
  expect(cause(9)).toContain("came with data-basket=");
});
