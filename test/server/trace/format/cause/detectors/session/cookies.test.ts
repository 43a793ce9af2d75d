import { describe, expect, test } from "bun:test";
import { causeOf, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const wire = { name: "Host", value: "shop.example" };
const cookie = { name: "Cookie", value: "sid=1" };

test("a cookie is not missed where the browser told the headers of a request only in part", () => {
  const post = (headers: object[], status: number) =>
    exchange("/sign-in", { method: "POST", ts: 4_000, status, request: { headers } });
  const usual = run(...post([wire, cookie], 303), passing());
  expect(told(run(...post([], 303), failing()), usual).join()).not.toContain("cookie");
  expect(first(run(...post([wire], 401), failing()), usual)).toBe(
    "storage: POST /sign-in was sent without the cookie “sid”, which it carried in the last pass, and was answered with 401",
  );
});

test("an answer that the passes got as well is no refusal of a lost cookie", () => {
  const post = (headers: object[]) =>
    exchange("/sign-in", { method: "POST", ts: 4_000, status: 303, request: { headers } });
  expect(first(run(...post([wire]), failing()), run(...post([wire, cookie]), passing()))).toBe(
    "storage: POST /sign-in was sent without the cookie “sid”, which it carried in the last pass",
  );
});

test("a cookie that the browser did not keep", () => {
  const signIn = (value: string) =>
    exchange("/sign-in", { ts: 3_000, headers: [{ name: "Set-Cookie", value }] });
  const post = (headers: object[], status: number) =>
    exchange("/sign-in", { method: "POST", ts: 4_900, status, request: { headers } });
  const usual = run(...signIn("sid=1; Path=/"), ...post([wire, cookie], 303), passing());
  const refused = "sid=2; Path=/; Domain=library.example";
  const { suspects } = causeOf(run(...signIn(refused), ...post([wire], 403), failing()), usual);
  expect(suspects[0]).toMatchObject({
    kind: "storage",
    title:
      "GET /sign-in sets the cookie “sid” with Domain=library.example, which it has not in the last pass: browsers refuse such a cookie of shop.example",
    detail:
      "The browser did not keep the cookie “sid” that GET /sign-in sets: no later request carried it, as they do in the last pass",
  });
  const alike = causeOf(run(...signIn("sid=2; Path=/"), ...post([wire], 403), failing()), usual);
  expect(alike.suspects[0]!.title).toStartWith("The browser did not keep the cookie “sid”");
  const kept = told(run(...signIn("sid=2; Path=/"), ...post([wire, cookie], 403), failing()), usual);
  expect(kept.join()).not.toContain("did not keep");
  // Of a request that is known in part only, nothing is concluded.
  expect(told(run(...signIn(refused), ...post([], 403), failing()), usual).join()).not.toContain(
    "did not keep",
  );
});

test("a cookie that lost its path is told with the folder that it is left to", () => {
  const saved = (url: string, value: string) =>
    exchange(url, { method: "POST", ts: 3_000, headers: [{ name: "Set-Cookie", value }] });
  const usual = run(...saved("/settings/units", "unit=lb; Path=/"), passing());
  expect(first(run(...saved("/settings/units", "unit=lb"), failing()), usual)).toBe(
    "storage: POST /settings/units sets the cookie “unit” without Path=/, which it has in the last pass: pages outside of /settings do not get it",
  );
  // Everything lies in the folder of what stands on top.
  const atTop = run(...saved("/units", "unit=lb"), failing());
  expect(told(atTop, run(...saved("/units", "unit=lb; Path=/"), passing())).join()).not.toContain("outside");
});

describe("a stored cookie that had ended", () => {
  const began = (...cookies: object[]) => ({ kind: "storage.state", ts: 10, cookies, origins: [] });
  const old = (name: string, domain = ".shop.example") => ({ name, domain, value: "1", expires: 500 });
  const broken = exchange("/api/pay", { status: 500, ts: 4_950 });
  const well = exchange("/api/pay", { ts: 4_950 });
  const titles = ({ suspects }: ReturnType<typeof causeOf>) => suspects.map(({ title }) => title).join("\n");

  test("explains nothing when a pass began with it as well", () => {
    const short = [old("_gat"), old("sid")];
    const cause = causeOf(
      run(began(...short), ...broken, failing()),
      run(began(...short), ...well, passing()),
    );
    expect(cause.suspects[0]).toMatchObject({ kind: "request_failed" });
    expect(titles(cause)).not.toContain("had ended");
    expect(cause.also_when_passing).toEqual([
      { title: expect.stringContaining("“_gat” had ended"), count: 1 },
      { title: expect.stringContaining("“sid” had ended"), count: 1 },
    ]);
  });

  test("is told first where it is a session's that the passes still had", () => {
    const fresh = { ...old("sid"), expires: 9_000 };
    const cause = causeOf(run(began(old("sid")), failing()), run(began(fresh), passing()));
    expect(cause.suspects[0]).toMatchObject({ kind: "storage", is_new: true });
    expect(cause.headline).toContain("The stored cookie “sid” had ended");
  });

  test("comes after a failed request where it only counts visitors, and is left out where it is of another site", () => {
    for (const name of ["_gat", "__cf_bm", "_hjSessionUser_1"]) {
      const cause = causeOf(run(began(old(name)), ...broken, failing()), run(began(), ...well, passing()));
      expect(cause.suspects[0]).toMatchObject({ kind: "request_failed" });
      expect(cause.suspects.find(({ kind }) => kind === "storage")!.confidence).toBeLessThan(0.5);
    }
    const foreign = old("sid", ".ads.other");
    expect(titles(causeOf(run(began(foreign), ...broken, failing())))).not.toContain("had ended");
  });

  test("is not called new where no pass tells what it began with", () => {
    const cause = causeOf(
      run(began(old("sid")), ...exchange("/"), failing()),
      run(...exchange("/"), passing()),
    );
    expect(cause.suspects.find(({ kind }) => kind === "storage")).toMatchObject({ is_new: null });
  });
});

describe("a cookie that every pass sends with one path of several", () => {
  const draft = { name: "Cookie", value: "sid=1; draft=7" };
  const step = (nth: number, headers: object[], ts: number, more: object = {}) =>
    exchange(`/permit/${nth}`, { ts, request: { headers: [wire, ...headers] }, ...more });
  const posted = (headers: object[], location: string) =>
    step(2, headers, 4_000, {
      method: "POST",
      status: 302,
      headers: [{ name: "Location", value: location }],
    });
  const ask = (headers: object[], location: string, after: object[]) => [
    ...step(1, [cookie], 3_000),
    ...posted(headers, location),
    ...exchange(location, { ts: 4_010, request: { headers: [wire, ...after] } }),
  ];
  const usual = run(...ask([draft], "/permit/3", [draft]), passing());

  test("is missed where the answer leads elsewhere, and told with who carried it", () => {
    expect(first(run(...ask([cookie], "/permit/1?e=1", [draft]), failing()), usual, usual)).toBe(
      "storage: POST /permit/2 was sent without the cookie “draft”, which it carried in the last pass, and led to /permit/1?e=1 instead of /permit/3; GET /permit/1?e=1 carried it afterwards, so it may be set for another path",
    );
  });

  test("leads nowhere else where each pass is led to a thing of its own", () => {
    const other = run(...ask([draft], "/permit/9", [draft]), passing());
    expect(told(run(...ask([cookie], "/permit/7", [draft]), failing()), usual, other).join()).not.toContain(
      "and led to",
    );
  });
});

describe("a cookie with SameSite=Strict", () => {
  const strict = "sso_state=2; Path=/sso; HttpOnly; SameSite=Strict";
  const start = (terms = strict) =>
    exchange("/sso/start", {
      ts: 1_000,
      resource_type: "document",
      status: 302,
      headers: [{ name: "set-cookie", value: terms }],
      request: { headers: [wire] },
    });
  const other = exchange("http://id.example/authorize", { ts: 1_500, resource_type: "document" });
  const back = (headers: object[] = [wire], status = 400) =>
    exchange("/sso/callback?code=d", { ts: 2_000, resource_type: "document", status, request: { headers } });
  const home = exchange("/", { ts: 500, resource_type: "document", request: { headers: [wire] } });

  test("is told where another site leads to the page that needs it", () => {
    const said =
      "storage: GET /sso/start sets the cookie “sso_state” with SameSite=Strict, so that GET /sso/callback, to which another site led, came without it";
    const mine = run(...home, ...start(), ...other, ...back(), failing());
    expect(first(mine)).toBe(said);
    // Not every recording has what a redirect sets.
    const untold = exchange("/sso/start", { ts: 1_000, resource_type: "document", status: 302 });
    const carried = back([wire, { name: "Cookie", value: "sso_state=2" }], 302);
    expect(first(mine, run(...home, ...untold, ...other, ...carried, passing()))).toBe(said);
  });

  test("explains nothing where it came, where no other site led there, or where passes have it so as well", () => {
    const mine = run(...home, ...start(), ...other, ...back(), failing());
    const silent = [
      told(run(...home, ...start(strict.replace("Strict", "Lax")), ...other, ...back(), failing())),
      told(run(...home, ...start(), ...back(), failing())),
      told(
        run(
          ...home,
          ...start(),
          ...other,
          ...back([wire, { name: "Cookie", value: "sso_state=2" }]),
          failing(),
        ),
      ),
      told(mine, run(...home, ...start(), ...other, ...back([wire], 302), passing())),
    ];
    for (const one of silent) expect(one.join("\n")).not.toContain("SameSite=Strict");
  });
});

test("a page that came otherwise without the cookie that passes sent is told by the cookie", () => {
  const invoice = (headers: object[], body: string) =>
    exchange("/invoices/9", {
      ts: 4_000,
      resource_type: "document",
      media_type: "text/html",
      body,
      request: { headers },
    });
  const flash = { name: "Cookie", value: "flash=created" };
  expect(
    first(
      run(
        ...invoice([wire], "<h1>Invoice</h1><p>Total 9</p>"),
        failing({ expected: '"Created"', received: '""' }),
      ),
      run(...invoice([wire, flash], "<h1>Invoice</h1><p>Created</p><p>Total 9</p>"), passing()),
    ),
  ).toBe("storage: GET /invoices/9 was sent without the cookie “flash”, which it carried in the last pass");
});

test("who is sent to the sign-in is told so before what its page is refused for the same reason", () => {
  const sheet = (status: number) => exchange("/timesheet", { ts: 1_000, resource_type: "document", status });
  const signIn = exchange("/login", { ts: 1_100, resource_type: "document" });
  const flags = (status: number) => exchange("/api/flags", { ts: 1_300, status });
  const beat = (status: number) => exchange("/api/heartbeat", { ts: 1_200, status });
  const shown = (url: string) => ({
    kind: "dom.snapshot",
    html: "<h1>Sign in</h1>",
    ts: 6_990,
    step_id: "check",
    url: `http://shop.example${url}`,
  });
  const usual = run(...sheet(200), ...beat(200), ...flags(200), passing(), shown("/timesheet"));
  const mine = run(...sheet(302), ...signIn, ...beat(401), ...flags(401), failing(), shown("/login"));
  expect(told(mine, usual)[0]).toStartWith("redirected: The page was at /login instead of /timesheet");
});

test("who is sent to the sign-in from where the page stood is told by what was refused before", () => {
  const stood = (url: string, ts: number) => page("<h1>Settings</h1>", { url: `${SITE}${url}`, ts });
  const news = (ts: number, status: number) =>
    exchange("/api/news", { ts, status, body: '{"error":"Session has expired"}' });
  const usual = run(...news(2_000, 200), stood("/settings", 2_500), ...news(3_000, 200), passing());
  const [cause] = told(
    run(
      ...news(2_000, 200),
      stood("/settings", 2_500),
      ...news(3_000, 401),
      failing(),
      stood("/login", 6_990),
    ),
    run(...news(2_000, 200), stood("/settings", 2_500), passing(), stood("/settings", 6_990)),
    usual,
  );
  expect(cause).toStartWith("request_failed: GET /api/news was answered with 401");
  expect(cause).toContain("; the page was at /login instead of /settings");
});

test("a cookie is not told to be lost that a client carried, or where the page's own sign-in was refused", () => {
  const set = (headers: object[]) => [{ name: "Set-Cookie", value: "sid=1; Path=/" }, ...headers];
  const setUp = exchange("/session", { method: "POST", ts: 2_000, headers: set([]), resource_type: "api" });
  const seated = (headers: object[]) => exchange("/seats", { ts: 2_100, request: { headers } });
  const asked = (ts: number, headers: object[]) => exchange("/me", { ts, request: { headers } });
  const signIn = (status: number, sent = [wire]) =>
    exchange("/session", {
      ...{ method: "POST", ts: 4_000, status, request: { headers: sent } },
      headers: status === 200 ? set([]) : [],
    });
  const usual = (sent = [wire]) =>
    run(...setUp, ...asked(3_000, [wire]), ...signIn(200, sent), ...asked(4_500, [wire, cookie]), passing());
  const cause = (pass: ReturnType<typeof run>, ...between: ReturnType<typeof exchange>) =>
    told(run(...setUp, ...between, failing()), pass);
  const refused = cause(usual(), ...asked(3_000, [wire]), ...signIn(429));
  expect(refused[0]).toStartWith("request_failed: POST /session was answered with 429");
  expect(refused.join()).not.toContain("did not keep");
  expect(cause(usual(), ...seated([cookie]), ...asked(3_000, [wire])).join()).not.toContain("did not keep");
  expect(cause(usual(), ...asked(3_000, [wire])).join()).toContain("did not keep the cookie “sid”");
  // Who was to carry it was refused for want of it.
  expect(cause(usual([wire, cookie]), ...asked(3_000, [wire]), ...signIn(401)).join()).toContain("“sid”");
});

describe("a page that is asked for before and after the sign-in", () => {
  const html = { resource_type: "document", media_type: "text/html" };
  const reports = (ts: number, headers: object[], status: number) =>
    exchange("/reports", {
      ...{ ts, status, ...html, request: { headers } },
      headers: status === 303 ? [{ name: "Location", value: "/login" }] : [],
    });
  const signIn = (status: number) => exchange("/login", { method: "POST", ts: 3_500, status, ...html });
  const usual = run(
    ...reports(3_000, [wire], 303),
    ...signIn(303),
    ...reports(3_600, [wire, cookie], 200),
    passing(),
  );
  const cause = (...more: ReturnType<typeof exchange>) =>
    told(run(...reports(3_000, [wire], 303), ...more, failing()), usual, usual);

  test("is told to lack the cookie that it carried in its turn, with who carried it afterwards", () => {
    const counted = exchange("/api/list", { ts: 3_800, request: { headers: [wire, cookie] } });
    expect(cause(...signIn(303), ...reports(3_600, [wire], 303), ...counted)[0]).toBe(
      "storage: GET /reports was sent without the cookie “sid”, which it carried in the last pass, and was answered with 303, which led to /login; GET /api/list carried it afterwards, so it may be set for another path",
    );
  });

  test("is told so of a thing that each run has its own of", () => {
    const draft = (id: string, ts: number, headers: object[], status: number) =>
      exchange(`/drafts/${id}`, {
        ...{ ts, status, ...html, request: { headers } },
        headers: status === 303 ? [{ name: "Location", value: "/login" }] : [],
      });
    const whole = (id: string, sent: object[], status: number, end: ReturnType<typeof passing>) =>
      run(...draft(id, 3_000, [wire], 303), ...signIn(303), ...draft(id, 3_600, sent, status), end);
    const [one, other] = ["1c3e6633-8cf4-4c8b-8ece-ffc14c559a3c", "922d49ba-bb81-4f3c-b2c3-48cc19fbe2f7"];
    const pass = whole(other!, [wire, cookie], 200, passing());
    expect(told(whole(one!, [wire], 303, failing()), pass, pass)[0]).toStartWith(
      `storage: GET /drafts/${one} was sent without the cookie “sid”, which it carried in the last pass, and was answered with 303`,
    );
    expect(told(run(...draft(one!, 3_000, [wire], 303), failing()), pass, pass).join()).not.toContain(
      "without the cookie",
    );
  });

  test("lacks none the first time, nor where the sign-in went otherwise", () => {
    for (const silent of [cause(), cause(...signIn(200), ...reports(3_600, [wire], 303))])
      expect(silent.join()).not.toContain("without the cookie");
  });
});

test("a cookie that comes of a sign-in is not missed where nobody had signed in yet", () => {
  const asked = (cookie: string, ts: number) =>
    exchange("/api/status", {
      ts,
      request: { headers: [wire, ...(cookie === "" ? [] : [{ name: "Cookie", value: cookie }])] },
    });
  const signIn = exchange("/api/session", { method: "POST", ts: 2_000 });
  const usual = run(...signIn, ...asked("sid=a", 3_000), passing());
  const missed = "/api/status was sent without the cookie “sid”";
  expect(told(run(...asked("", 1_500), ...signIn, failing()), usual, usual).join()).not.toContain(missed);
  expect(told(run(...asked("", 3_000), failing()), usual, usual).join()).not.toContain(missed);
  expect(told(run(...signIn, ...asked("", 3_000), failing()), usual, usual).join()).toContain(missed);
});

describe("of two people who sign in in one test", () => {
  const jar = (value: string) => ({ headers: [wire, { name: "Cookie", value: `sid=${value}` }] });
  const signIn = (value: string, ts: number) =>
    exchange("/login", {
      ...{ method: "POST", ts, resource_type: "api" },
      headers: [{ name: "Set-Cookie", value: `sid=${value}; Path=/` }],
    });
  const by = (page: string | undefined, value: string, ts: number) =>
    exchange("/boards", { ts, request: { ...jar(value), page } });
  const both = [...signIn("ana", 1_000), ...signIn("ben", 1_100)];
  const usual = run(...both, ...by("two", "ben", 2_000), ...by(undefined, "ben", 2_200), passing());

  test("nobody went on with the other's cookie", () => {
    const now = run(
      ...both,
      ...by("two", "ben", 2_000),
      ...by("one", "ana", 2_100),
      ...by(undefined, "ana", 2_200),
      failing(),
    );
    expect(told(now, usual).join()).not.toContain("old cookie");
  });

  test("one whose new cookie nothing carries did", () => {
    const now = run(...both, ...by("one", "ana", 2_100), ...by(undefined, "ana", 2_200), failing());
    expect(told(now, usual).join()).toContain("old cookie");
  });
});

test("a poll that came to the same before its page was signed in, or of somebody else's page, lost no cookie", () => {
  const poll = (page: string, ts: number, headers: object[]) =>
    exchange("/api/status", { ts, page, request: { headers, page } });
  const usual = run(...poll("mine", 3_000, [wire, cookie]), passing());
  const lost =
    "storage: GET /api/status was sent without the cookie “sid”, which it carried in the last pass";
  const here = (...polls: ReturnType<typeof exchange>[]) =>
    told(run(...polls.flat(), failing()), usual).join("\n");
  expect(here(poll("mine", 2_000, [wire]), poll("mine", 3_000, [wire, cookie]))).not.toContain(lost);
  expect(here(poll("mine", 3_000, [wire, cookie]), poll("theirs", 3_500, [wire]))).not.toContain(lost);
  expect(here(poll("mine", 2_000, [wire, cookie]), poll("mine", 3_000, [wire]))).toContain(lost);
  expect(here(poll("mine", 3_000, [wire]))).toContain(lost);
});
