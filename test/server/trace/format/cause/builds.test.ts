import { expect, test } from "bun:test";
import { calledAlike } from "../../../../../server/trace/format/cause/run/called.ts";
import { exchangeKey } from "../../../../../server/trace/format/cause/run/keys.ts";
import { click, exchange, factsOf, failing, first, page, passing, run, told } from "./run.ts";

/** The script of a page, called after its content. */
const bundle = (hash: string, ts = 900) =>
  exchange(`/assets/app.${hash}.js`, { resource_type: "script", media_type: "text/javascript", ts });
const document = (hash: string) =>
  exchange("/wizard", {
    resource_type: "document",
    media_type: "text/html",
    ts: 800,
    body: `<h1>Wizard</h1><script src="/assets/app.${hash}.js"></script>`,
  });
const CHANGED =
  "the script GET /assets/app.3gy71pud.js changed since the last pass, which had “app.3qwb1ib6.js”";
const missing = {
  name: "toBeVisible",
  title: "Expect \"toBeVisible\" getByRole('heading', { name: 'Your details' })",
  message:
    "expect(locator).toBeVisible() failed\n\nLocator: getByRole('heading', { name: 'Your details' })\nExpected: visible\nTimeout: 2000ms\nError: element(s) not found",
  expected: "visible",
  received: undefined,
};

test("a bundle under another name is the same file that changed, and its address is no change of the page", () => {
  const failed = run(...document("3gy71pud"), ...bundle("3gy71pud"), failing());
  const pass = run(...document("3qwb1ib6"), ...bundle("3qwb1ib6"), passing());
  const all = told(failed, pass, pass);
  expect(all.join("\n")).not.toContain("came with src=");
  expect(all.join("\n")).toContain(CHANGED.replace("the script", "The script"));
  const alike = run(...document("3gy71pud"), ...bundle("3gy71pud"), passing());
  expect(told(failed, alike, pass).join("\n")).not.toContain("changed since");
});

test("what a page lost when it was opened anew is told with the script that changed, before what stands in its place", () => {
  const seen = (heading: string, ts: number, step_id: string) =>
    page(`<h1>Booking</h1><h2>${heading}</h2>`, { ts, step_id, phase: "after", page: "one" });
  const reload = click("Reload", { name: "reload", ts: 3_000, page: "one" });
  const went = (hash: string, heading: string) => [
    ...document(hash),
    ...bundle(hash),
    click("Click Continue", { ts: 2_000, page: "one" }),
    seen("Your details", 2_010, "Click Continue"),
    reload,
    seen(heading, 3_010, "Reload"),
  ];
  const end = { page: "one", ...missing };
  const lost = run(...went("3gy71pud", "Dates"), failing(end), seen("Dates", 6_900, "check"));
  const pass = run(...went("3qwb1ib6", "Your details"), passing(end), seen("Your details", 6_900, "check"));
  expect(first(lost, pass, pass)).toBe(
    `page_changed: “Reload” lost a heading “Your details”: the page had it before, and the page that came then has it no longer, as it has in the last pass; ${CHANGED}`,
  );
});

test("a span that the page counts otherwise is told with the script that changed, and with the clock where none did", () => {
  const check = { expected: '"3 days"', received: '"2 days"' };
  const pass = run(...bundle("3qwb1ib6"), passing({ ...check, received: '"3 days"' }));
  expect(first(run(...bundle("3gy71pud"), failing(check)), pass, pass)).toBe(
    `page_changed: The page counted “2 days” where the test wants “3 days”, though every answer was the same as in the last pass; ${CHANGED}`,
  );
  expect(first(run(...bundle("3qwb1ib6"), failing(check)), pass, pass)).toContain("by the clock");
});

test("hours that something took are no time of the day: the script that counts them is told, and no clock", () => {
  const check = { expected: '"0:25:"', received: '"HAR-6 0:00:01 Stop"' };
  const forward = click('Fast forward clock "25:00"', { name: "browserContext.clockFastForward", ts: 4_000 });
  const pass = (...more: Parameters<typeof run>) => run(...bundle("3qwb1ib6"), ...more, passing(check));
  const failed = (hash: string, ...more: Parameters<typeof run>) =>
    run(...bundle(hash), ...more, failing(check));
  const counted = "page_changed: The page counted “0:00:01” where the test wants “0:25”";
  const same = `, though every answer was the same as in the last pass; ${CHANGED}`;
  expect(first(failed("3gy71pud"), pass(), pass())).toBe(`${counted}${same}`);
  expect(first(failed("3gy71pud", forward), pass(forward), pass(forward))).toBe(
    `${counted} of the time elapsed after “Fast forward clock "25:00"”, which let each timer run once at most${same}`,
  );
  expect(told(failed("3qwb1ib6"), pass()).join()).not.toMatch(/clock|counted/);
  // A total beside which the page shows another one that is nought.
  const total = failing({ expected: '"7:30"', received: '"7:00"', message: 'Array ["7:00", "0:00"]' });
  expect(told(run(total), run(passing())).join()).not.toContain("clock");
  for (const [expected, received] of [
    ['"09:30"', '"00:30"'],
    ['"9:30 am"', '"0:30 am"'],
    ['"9:30"', '"10:00"'],
  ])
    expect(told(run(failing({ expected, received })), run(passing())).join()).toContain("time: Another time");
});

test("an element that is nowhere is told with the script that changed, where nothing else is known", () => {
  const failed = (...more: ReturnType<typeof exchange>) =>
    run(...bundle("3gy71pud"), ...more, failing(missing), page("<h1>Booking</h1>"));
  const pass = run(...bundle("3qwb1ib6"), passing(missing), page("<h1>Booking</h1>"));
  expect(first(failed(), pass, pass)).toEndWith(
    `was nowhere on the page; its heading is “Booking”; ${CHANGED}`,
  );
  const refused = exchange("/api/draft", { ts: 4_900, status: 500 });
  expect(told(failed(...refused), pass, pass).join("\n")).not.toContain(`“Booking”; ${CHANGED}`);
});

test("a name without a figure is one by content where another run has one that tells", () => {
  const script = (path: string) => run(...exchange(path, { resource_type: "script", ts: 900 }));
  const keysOf = (...paths: string[]) =>
    calledAlike(paths.map((path) => factsOf(script(path)))).map((facts) =>
      exchangeKey(facts.exchanges[0]!, facts),
    );
  const [mine, theirs] = keysOf("/assets/till-azmpfavs.js", "/assets/till-3gy71pud.js");
  expect(mine).toBe(theirs!);
  expect(keysOf("/assets/part-azmpfavs.js", "/assets/till-3gy71pud.js")[0]).toContain("azmpfavs");
  // Base64 for addresses has hyphens too.
  const [hyphened, other] = keysOf("/assets/index-Bv-ZeW1R.js", "/assets/index-BqBnJzn-.js");
  expect(hyphened).toBe(other!);
  expect(keysOf("/assets/date-picker.js", "/assets/date-picking.js")[0]).toContain("date-picker");
  // Words of a product are no such names.
  expect(keysOf("/assets/app-settings.js", "/assets/app-checkout.js")[0]).toContain("settings");
});

test("an element that is there twice is told with the script that changed", () => {
  const strict = failing({
    name: "toHaveText",
    title: "Expect \"toHaveText\" getByTestId('line')",
    message:
      "expect(locator).toHaveText(expected) failed\n\nError: strict mode violation: getByTestId('line') resolved to 2 elements",
    expected: '"Risotto"',
    received: undefined,
  });
  const lines = (count: number) => page('<li data-testid="line">Risotto</li>'.repeat(count));
  const pass = run(
    ...bundle("3qwb1ib6"),
    passing({ title: "Expect \"toHaveText\" getByTestId('line')" }),
    lines(1),
  );
  expect(first(run(...bundle("3gy71pud"), strict, lines(2)), pass, pass)).toBe(
    `element_ambiguous: getByTestId('line') matched 2 elements where the test means one: each is a listitem “Risotto” (test id “line”); ${CHANGED}`,
  );
});

test("a build that a page names, and servers on other ports of this machine, are no other page and no other answer", () => {
  const visit = (build: string, port: number, ending: ReturnType<typeof failing>) =>
    run(
      ...exchange("/reports", {
        resource_type: "document",
        media_type: "text/html",
        ts: 800,
        body: `<h1>Reports</h1><script>window.config={build:"${build}"}</script>`,
      }),
      ...exchange("/api/config", { ts: 900, body: JSON.stringify({ geo: `http://127.0.0.1:${port}/v1` }) }),
      ending,
    );
  const passes = [visit("59a1f01", 5201, passing()), visit("7be2204", 5201, passing())] as const;
  expect(told(visit("5901201", 5221, failing()), ...passes)).toHaveLength(1);
  const other = visit("5901201", 5221, failing()).map((event) =>
    typeof event.body === "string" ? { ...event, body: event.body.replace("/v1", "/v2") } : event,
  );
  expect(told(other, ...passes).join()).toContain("http://127.0.0.1:5221/v2");
});

test("scripts of a release of which nothing else is known are one suspect, with the names of the first", () => {
  const release = (hash: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      exchange(`/assets/part${at}.${hash}.js`, { resource_type: "script", ts: 900 }),
    ).flat();
  const scripts = (count: number) =>
    told(run(...release("3gy71pud", count), failing()), run(...release("3qwb1ib6", count), passing())).filter(
      (one) => one.includes("script"),
    );
  expect(scripts(5)).toEqual([
    "answer_changed: The scripts part0.3gy71pud.js, part1.3gy71pud.js, part2.3gy71pud.js and 2 more changed since the last pass; the page says “Checkout” where the test wants “Thank you”",
  ]);
  expect(scripts(1)).toEqual([
    "answer_changed: The script GET /assets/part0.3gy71pud.js changed since the last pass, which had “part0.3qwb1ib6.js”; the page says “Checkout” where the test wants “Thank you”",
  ]);
});

test("a file that is called after its content and has its length is no other one for the time in its tag", () => {
  const script = (path: string, tag: string, size = 400) =>
    exchange(path, {
      resource_type: "script",
      ts: 900,
      body_size: size,
      headers: [{ name: "etag", value: tag }],
    });
  const released = (now: Parameters<typeof script>, before: Parameters<typeof script>) =>
    told(run(...script(...now), failing()), run(...script(...before), passing())).join();
  const [named, plain] = ["/assets/app.3qwb1ib6.js", "/assets/app.js"];
  const before = 'W/"18a3-1a22c2ae496"';
  expect(released([named, 'W/"18a3-1a22c2fda7a"'], [named, before])).not.toContain("changed since");
  // nginx writes the time first.
  expect(released([named, '"6745a1b2-18a3"'], [named, '"67459f00-18a3"'])).not.toContain("changed since");
  for (const [now, then] of [
    // Of another length, or packed to another one.
    [
      [named, 'W/"18a5-1a22c2fda7a"'],
      [named, before],
    ],
    // The same, of files that are all given one time.
    [
      [named, 'W/"18a5-1a22c2ae496"'],
      [named, before],
    ],
    [
      [named, 'W/"18a3-1a22c2fda7a"', 402],
      [named, before, 400],
    ],
    // A tag of the text itself.
    [
      [named, '"CzCwKuajeWAZge9l5VA"'],
      [named, '"2Tn8Q2y6Exel7BDDSb4"'],
    ],
    // A name that says nothing of the content.
    [
      [plain, 'W/"18a3-1a22c2fda7a"'],
      [plain, before],
    ],
  ] as [Parameters<typeof script>, Parameters<typeof script>][])
    expect(released(now, then)).toContain("changed since the last pass: it has another ETag");
});
