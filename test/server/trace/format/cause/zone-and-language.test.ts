import { describe, expect, test } from "bun:test";
import { causeIn, causeOf, click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

test("a span of days that is counted otherwise, with the same answers, is the clock's or the zone's", () => {
  const values = { expected: '"2 days left"', received: '"Due in 1 days left"' };
  const loans = (due: string) => exchange("/api/loans", { ts: 4_000, body: JSON.stringify({ due }) });
  const usual = run(...loans("2026-03-30"), passing());
  expect(first(run(...loans("2026-03-30"), failing(values)), usual)).toStartWith(
    "time: The page counted “1 days” where the test wants “2 days”, though every answer was the same",
  );
  expect(told(run(...loans("2026-03-29"), failing(values)), usual).join()).not.toContain("time:");
  const rendered = exchange("/", {
    ts: 4_000,
    resource_type: "document",
    media_type: "text/html",
    body: "<p>1 days left</p>",
  });
  expect(told(run(...rendered, failing(values)), usual).join()).not.toContain("time:");
});

describe("another zone or language", () => {
  const [berlin, york] = [{ timezone: "Europe/Berlin" }, { timezone: "America/New_York" }];
  const button = failing({ message: "Timed out", expected: "visible", received: "<element(s) not found>" });
  const later = failing({ expected: '"Delivery 14:00"', received: '"Delivery at noon"' });
  const kinds = (...args: Parameters<typeof causeIn>) => causeIn(...args).suspects.map(({ kind }) => kind);
  const ok = run(passing());

  test("explains nothing when one of the passes had it as well", () => {
    expect(kinds([berlin, york, berlin], run(button), ok, ok)).not.toContain("time");
    expect(kinds([berlin, york, berlin], run(later), ok, ok)).not.toContain("time");
    expect(causeIn([berlin, york, york], run(later), ok, ok).headline).toBe(
      "The browser ran in the time zone “Europe/Berlin”; in the last pass it was “America/New_York”",
    );
  });

  test("explains no missing element: neither changes whether a thing is there", () => {
    expect(kinds([berlin, york], run(button), ok)).not.toContain("time");
    expect(kinds([{ locale: "de" }, { locale: "en" }], run(button), ok)).not.toContain("time");
  });

  test("a locale explains other words on the page, a time zone does not", () => {
    expect(kinds([{ locale: "de" }, { locale: "en" }], run(failing()), ok)[0]).toBe("time");
    expect(kinds([berlin, york], run(failing()), ok)).not.toContain("time");
  });

  test("of the languages that requests ask for, those of all passes count", () => {
    const asked = (value: string) =>
      exchange("/", { request: { headers: [{ name: "accept-language", value }] } });
    const [german, english] = [run(...asked("de"), passing()), run(...asked("en"), passing())];
    const failed = run(...asked("de"), failing());
    expect(kinds([], failed, english, german)).not.toContain("time");
    expect(causeOf(failed, english, english).headline).toBe(
      "The browser asked for the language “de”, in the last pass for “en”: the page shows “Checkout” where the test wants “Thank you”",
    );
    expect(kinds([], run(...asked("de"), button), english)).not.toContain("time");
  });
});

test("the language of an answer is told before that an amount is written otherwise", () => {
  const config = (lang: string) => exchange("/config", { ts: 1_000, body: JSON.stringify({ lang }) });
  const shown = { expected: '"1,234.50 EUR"', received: '"1.234,50 EUR"' };
  expect(first(run(...config("de-DE"), failing(shown)), run(...config("en-GB"), passing(shown)))).toBe(
    "answer_changed: GET /config answered “de-DE” for “lang”, where the last pass had “en-GB”",
  );
  const meta = (format: string) => exchange("/meta", { ts: 1_000, body: JSON.stringify({ format }) });
  expect(first(run(...meta("de-DE"), failing(shown)), run(...meta("en-GB"), passing(shown)))).toContain(
    "answered “de-DE” for “format”",
  );
});

test("a day that a zone moved is told with the moment that an answer gives", () => {
  const ticket = exchange("/api/tickets/17", {
    ts: 4_900,
    body: JSON.stringify({ due: "2031-03-01T00:00:00Z" }),
  });
  const shown = { expected: '"1 March 2031"', received: '"28 February 2031"' };
  expect(first(run(...ticket, failing(shown)))).toEndWith(
    "; GET /api/tickets/17 answered “2031-03-01T00:00:00Z” for “due”, which is another day in another zone",
  );
});

test("midnight of the wanted day in UTC needs no year to be known by; a time without a zone is told as one", () => {
  const answered = (value: string, values: { expected: string; received: string }) =>
    first(
      run(...exchange("/api/prices", { ts: 4_900, body: JSON.stringify({ at: value }) }), failing(values)),
    );
  const day = { expected: '"Picked March 4"', received: '"Picked March 3"' };
  expect(answered("2027-03-04T00:00:00Z", day)).toEndWith(
    "; GET /api/prices answered “2027-03-04T00:00:00Z” for “at”, which is another day in another zone",
  );
  expect(answered("2027-03-04T15:30:00Z", day)).not.toContain("in another zone");
  const doors = { expected: '"Doors 1:30 PM"', received: '"Doors 7:30 PM"' };
  expect(answered("2031-05-17T19:30:00", doors)).toEndWith(
    "; GET /api/prices answered “2031-05-17T19:30:00” for “at”, which names no zone: browsers take it as their own",
  );
  for (const other of ["2031-05-17T19:30:00+02:00", "2031-05-17T13:30:00"])
    expect(answered(other, doors)).not.toContain("names no zone");
});

test("a day that was sent so already was not read otherwise, and is told with the write", () => {
  const post = exchange("/invoices", {
    ...{ method: "POST", ts: 3_000, status: 303 },
    request: {
      body: "client=3&due=2026-03-13",
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
  });
  expect(first(run(...post, failing({ expected: '"2026-03-14"', received: '"2026-03-13"' })))).toEndWith(
    "; POST /invoices was sent with “2026-03-13” for “due” already",
  );
});

test("a date that was sent in another form is told with the language that the browser asked for", () => {
  const asked = (language: string, day: string) =>
    exchange(`/slots?day=${encodeURIComponent(day)}`, {
      ts: 4_000,
      request: { headers: [{ name: "accept-language", value: language }] },
    });
  const usual = [
    run(...asked("en-GB", "09/03/2027"), passing()),
    run(...asked("en-GB", "10/03/2027"), passing()),
  ];
  expect(first(run(...asked("en-US", "3/9/2027"), failing()), ...usual)).toBe(
    "time: The browser asked for the language “en-US”, in the last pass for “en-GB”: GET /slots was sent with “3/9/2027” for “day”, where the last pass sent “09/03/2027”",
  );
  // One more day, or one that has no short number in it, is written in the same form.
  for (const day of ["11/03/2027", "09/04/2027"])
    expect(told(run(...asked("en-US", day), failing()), ...usual).join()).not.toContain("was sent with");
});

describe("a time that stands in the page that was served", () => {
  const served = (text: string, zone = "") =>
    exchange("/shifts", {
      ...{ ts: 4_000, resource_type: "document", media_type: "text/html" },
      body: `<h1>Shifts</h1><p>${zone}</p><td>${text}</td>`,
    });
  const check = failing({ expected: '"Tue 14 Jul, 11:00"', received: '"Tue 14 Jul, 12:00"' });
  const said = "the test expected “Tue 14 Jul, 11:00” and the page showed “Tue 14 Jul, 12:00”";

  test("is of the server's clock or zone, and told with the zone that the page names", () => {
    expect(first(run(...served("Tue 14 Jul, 12:00"), check))).toBe(
      `time: Another time, by the server's clock or time zone: ${said}; GET /shifts was served with it`,
    );
    const usual = run(...served("Tue 14 Jul, 11:00", "Times of Europe/Lisbon"), passing());
    expect(first(run(...served("Tue 14 Jul, 12:00", "Times of Europe/Madrid"), check), usual, usual)).toBe(
      `time: Another time, by the server's clock or time zone: ${said}; GET /shifts was served with it, and names the time zone “Europe/Madrid”, where the last pass had “Europe/Lisbon”`,
    );
  });

  test("is of the browser where the page came with another text, or with the wanted one too", () => {
    const browser = `time: Another time, by the clock or the time zone of the run: ${said}`;
    for (const text of ["2026-07-14T10:00:00Z", "Tue 14 Jul, 12:00</td><td>Tue 14 Jul, 11:00"])
      expect(told(run(...served(text), check))).toContain(browser);
  });

  test("a day likewise", () => {
    const day = failing({ expected: '"14 Jul"', received: '"13 Jul"' });
    expect(first(run(...served("13 Jul"), day))).toBe(
      "time: Another day, by the server's clock or time zone: the test expected “14 Jul” and the page showed “13 Jul”; GET /shifts was served with it",
    );
  });

  test("a day that is a neighbour of the one that passes were served with is told as such, and no other day", () => {
    const starts = (day: string) => ({
      expected: '"1 December"',
      received: `"Swimming for beginners, Mara Kent, ${day} paid"`,
    });
    const cause = (day: string, usualDay = "1 December") => {
      const usual = run(...served(usualDay), passing(starts(usualDay)));
      return told(run(...served(day), failing(starts(day))), usual, usual).find((title) =>
        title.startsWith("answer_changed: GET /shifts came with"),
      );
    };
    expect(cause("30 November")).toBe(
      "answer_changed: GET /shifts came with “30 November”, where the last pass had “1 December”; that is the day before, as by another clock or time zone of the server",
    );
    expect(cause("2 December")).toContain("that is the day after");
    expect(cause("24 November")).not.toContain("that is the day");
  });
});

test("a text that is cut off is no other form of the hour in it, and is told as it was sent", () => {
  const note = "Slept well, drank 600 ml since midnight. Repeat bloods at 06:00 and ring the renal team";
  const put = (text: string) =>
    exchange("/api/notes", { method: "PUT", ts: 4_500, request: { body: JSON.stringify({ text }) } });
  const check = (text: string) => ({ expected: `"${note}"`, received: `"${text}"` });
  const cut = note.slice(0, -5);
  const usual = run(...put(note), passing(check(note)));
  const cause = causeOf(run(...put(cut), failing(check(cut))), usual, usual);
  expect(cause.headline).toBe(
    "PUT /api/notes was sent with the field text cut off, with “…and ring the renal” at its end, where the last pass sent “…and ring the renal team”",
  );
  expect(JSON.stringify(cause)).not.toContain("Another locale");
});

test("a page in another language than in every pass is told with the answer that has chosen it", () => {
  const shown = (lang: string, link: string) =>
    page(`<html lang="${lang}"><body><a href="/t">${link}</a></body></html>`);
  const session = (lang: string) =>
    exchange("/api/session", {
      ts: 4_000,
      media_type: "application/json",
      body: JSON.stringify({ user: { prefs: { lang } } }),
    });
  const lost = {
    expected: "visible",
    received: null,
    title: "Expect getByRole('link', { name: 'Tags' })",
    message: "Locator: getByRole('link', { name: 'Tags' })\nError: element(s) not found",
  };
  const usual = run(...session("en"), shown("en", "Tags"), passing({ ...lost, message: undefined }));
  expect(causeOf(run(...session("de"), shown("de", "Themen"), failing(lost)), usual, usual).headline).toBe(
    "The page came in the language “de”, which GET /api/session answered for “user.prefs.lang”, where it came in “en” in the last pass",
  );
});

test("a language that the page had before it was opened anew is told as lost", () => {
  const shown = (lang: string, link: string, ts: number, more: object = {}) =>
    page(`<html lang="${lang}"><body><a href="/t">${link}</a></body></html>`, { ts, ...more });
  const reload = click("Reload", { name: "reload", ts: 4_000, step_id: "reload" });
  const lost = {
    expected: "visible",
    received: null,
    title: "Expect getByRole('link', { name: 'Themen' })",
    message: "Locator: getByRole('link', { name: 'Themen' })\nError: element(s) not found",
  };
  const usual = run(reload, shown("de", "Themen", 6_990), passing({ ...lost, message: undefined }));
  const headline = (before: string) =>
    causeOf(
      run(
        shown(before, "Waren", 3_500, { step_id: "pick" }),
        reload,
        shown("en", "Tags", 6_990),
        failing(lost),
      ),
      usual,
      usual,
    ).headline;
  expect(headline("de")).toBe(
    "“Reload” lost the language “de”: the page had it before, and the page that came then is in “en”, where it was kept in the last pass",
  );
  expect(headline("en")).not.toContain("lost the language");
});

test("a moment that the page shows as it is in UTC is told with the answer that gives it", () => {
  const rota = (start: string) =>
    exchange("/api/rota", {
      ts: 4_000,
      media_type: "application/json",
      body: JSON.stringify({ shifts: [{ start }] }),
    });
  const check = (text: string) => ({ expected: '"Sat 24 Oct 20:00"', received: `"${text}"` });
  const cause = (start: string) =>
    causeOf(
      run(...rota(start), failing(check("Sat 24 Oct 18:00"))),
      run(...rota(start), passing(check("Sat 24 Oct 20:00"))),
    ).headline;
  expect(cause("2026-10-24T18:00:00Z")).toBe(
    "Another time, by the clock or the time zone of the run: the test expected “Sat 24 Oct 20:00” and the page showed “Sat 24 Oct 18:00”; GET /api/rota answered “2026-10-24T18:00:00Z” for “shifts.0.start”: the page shows it as it is in UTC, where the test wants it as in UTC+2, the zone of Berlin",
  );
  for (const other of ["2026-10-25T18:00:00Z", "2026-10-24T17:00:00Z", "2026-99-99T18:00:00Z"])
    expect(cause(other)).not.toContain("as it is in UTC");
});

test("a moment in another zone comes before that the page was served without the text of it", () => {
  const rota = exchange("/api/rota", {
    ts: 4_000,
    media_type: "application/json",
    body: JSON.stringify({ shifts: [{ start: "2026-10-24T18:00:00Z" }] }),
  });
  const rows = (time: string) =>
    `<table><tr data-testid="shift"><td>Ann</td><td><time>Sat 24 Oct, ${time}</time></td><td>open</td></tr></table>`;
  const served = (html: string) =>
    exchange("/rota", {
      ts: 500,
      resource_type: "document",
      media_type: "text/html",
      body: `<main>${html}</main>`,
    });
  const drawn = (time: string, end: typeof passing) =>
    run(
      ...served(end === passing ? rows(time) : "<p>Nothing yet</p>"),
      ...rota,
      page(rows(time), { url: `${SITE}/rota` }),
      end({
        title: "Expect \"toContainText\" getByTestId('shift')",
        name: "toContainText",
        message: "expect(locator).toContainText(expected) failed\n\nLocator: getByTestId('shift')",
        expected: '"20:00"',
        received: `"AnnSat 24 Oct, ${time}open"`,
      }),
    );
  const usual = drawn("20:00", passing);
  const [first, second] = causeOf(drawn("18:00", failing), usual, usual).suspects;
  expect(first!.title).toContain("the page shows it as it is in UTC");
  expect(second!.title).toStartWith("GET /rota ");
});

test("a moment that the page shows in another zone is told with both zones", () => {
  const rows = (createdAt: unknown) =>
    exchange("/api/requests", {
      ts: 4_000,
      media_type: "application/json",
      body: JSON.stringify([{ createdAt }]),
    });
  const cause = (createdAt: unknown, received: string, expected = "3 Nov 2026, 23:40") => {
    const shown = { expected: `"${expected}"`, received: `"${received}"` };
    return causeOf(run(...rows(createdAt), failing(shown)), run(...rows(createdAt), passing(shown)))
      .suspects[0]!.title;
  };
  const both =
    "the page shows it as in UTC−8, the zone of Los Angeles, where the test wants it as in UTC+1, the zone of Berlin";
  const row = "Licence key for the second laptop3 Nov 2026, 14:40Solved";
  expect(cause("2026-11-03T22:40:00.000Z", row)).toEndWith(
    `answered “2026-11-03T22:40:00.000Z” for “0.createdAt”: ${both}`,
  );
  expect(cause(Date.UTC(2026, 10, 3, 22, 40), row)).toEndWith(both);
  expect(cause("2026-11-03T22:40:00.000Z", "03/11/2026 14:40", "03/11/2026 23:40")).toEndWith(both);
  // A day that the zone moved, too.
  expect(cause("2026-12-26T03:30:00Z", "25 Dec 2026, 22:30", "26 Dec 2026, 04:30")).toEndWith(
    "the page shows it as in UTC−5, the zone of New York, where the test wants it as in UTC+1, the zone of Berlin",
  );
  // Without a day a time is known by a round moment alone, and another day or minute is another moment.
  expect(cause("2026-12-26T17:00:00Z", "until 12:00", "until 18:00")).toContain("UTC−5");
  expect(cause("2026-12-26T17:00:12Z", "until 12:00", "until 18:00")).not.toContain("UTC");
  for (const other of ["2026-11-07T22:40:00Z", "2026-11-03T22:41:00Z", 3_600])
    expect(cause(other, row)).not.toContain("UTC");
});

test("a moment that a changed script may write in another zone is told with the script", () => {
  const rows = exchange("/api/requests", {
    ts: 4_000,
    media_type: "application/json",
    body: JSON.stringify([{ createdAt: "2026-11-03T22:40:00Z" }]),
  });
  const script = (body_size: number) =>
    exchange("/assets/portal.js", { ts: 1_000, resource_type: "script", body_size });
  const beside = exchange("/assets/portal.js", { ts: 2_000, body_size: 4_384 });
  const shown = { expected: '"3 Nov 2026, 23:40"', received: '"3 Nov 2026, 22:40"' };
  const title = (size: number) =>
    causeOf(
      run(...script(size), ...rows, failing(shown)),
      run(...script(4_397), ...beside, ...rows, passing(shown)),
    ).suspects[0]!.title;
  expect(title(4_414)).toStartWith("Another time, by the page's script or the time zone of the run: ");
  expect(title(4_414)).toEndWith("portal.js changed since the last pass: it has 4414 bytes instead of 4397");
  expect(title(4_397)).toStartWith("Another time, by the clock or the time zone of the run: ");
});

test("an amount or an hour in another form within a longer text is another locale's", () => {
  const cause = (expected: string, received: string) =>
    told(run(failing({ title: "Expect \"toContainText\" locator('aside')", expected, received })))[0];
  expect(
    cause('"Suite, 5 nights: €1,075.00"', '"SummarySuite, 5 nights: 1.075,00 €Total 991,00 €"'),
  ).toStartWith("time: Another locale: the same amount in another form");
  expect(cause('"3 Nov 2026, 23:40"', '"LicenceNov 3, 2026, 11:40 PMSolved"')).toStartWith(
    "time: Another locale",
  );
  expect(cause('"Suite, 5 nights: €1,075.00"', '"Suite, 5 nights: 1.175,00 €"')).not.toContain(
    "Another locale",
  );
  expect(cause('"3 Nov 2026, 23:40"', '"Nov 3, 2026, 10:40 PM"')).not.toContain("Another locale");
});

test("of several days in the same words the nearest is told in the place of the one that is looked for", () => {
  const looked = (text: string, end: typeof failing) =>
    end({
      name: "toBeVisible",
      title: `Expect "toBeVisible" getByText('${text}')`,
      message: "expect(locator).toBeVisible() failed\nError: element(s) not found",
      expected: "visible",
      received: "<element(s) not found>",
    });
  const ways = (...days: string[]) =>
    page(days.map((day, at) => `<p><span>€${3 + at}.90, arrives ${day}</span></p>`).join(""));
  const days = ["Thursday 3 December", "Tuesday 1 December", "Friday 4 December"];
  const usual = run(ways(...days), looked("arrives Tuesday 1 December", passing));
  const now = (...shown: string[]) =>
    first(run(ways(...shown), looked("arrives Tuesday 1 December", failing)), usual, usual);
  expect(now("Friday 4 December", "Wednesday 2 December", "Saturday 5 December")).toBe(
    "time: Another day, by the clock or the time zone of the run: the test looked for “arrives Tuesday 1 December”, the page shows “€4.90, arrives Wednesday 2 December”",
  );
  // What is said in other words is no other day of the same thing.
  const noted = page("<p>€4.90, arrives Saturday 5 December</p><p>Closed on Wednesday 2 December</p>");
  expect(first(run(noted, looked("arrives Tuesday 1 December", failing)), usual, usual)).toEndWith(
    "the page shows “€4.90, arrives Saturday 5 December”",
  );
});

test("a time that stood there before the page was to read anew is no clock's", () => {
  const estimate = { expected: '"6:30"', received: '"8:00"' };
  const card = (shown: string) => `<h1>Card</h1><span>${shown}</span>`;
  const stood = (shown: string) => page(card(shown), { ts: 4_000, step_id: pick.step_id, phase: "action" });
  const pick = click("Select option getByLabel('Assignee')", { ts: 4_000 });
  const read = exchange("/api/board", { ts: 4_200 });
  const first = (asked: Parameters<typeof run>, ...events: Parameters<typeof run>) => {
    const usual = run(pick, ...asked, passing(estimate));
    return told(run(pick, ...events, page(card("8:00")), failing(estimate)), usual, usual)[0];
  };
  expect(first(read, stood("8:00"))).toStartWith("request_unsent: GET /api/board was never sent");
  expect(first(read, stood("7:15"))).toStartWith("time: Another time");
  expect(first([], stood("8:00"))).toStartWith("time: Another time");
});
