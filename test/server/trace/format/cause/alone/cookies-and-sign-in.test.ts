import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first as ofRun, page, passing, run, SITE } from "../run.ts";
import { document, first, header, json, told } from "./scene.ts";

const RAW = { headers: [{ name: "host", value: "shop.example" }] };
const carrying = (cookie: string) => ({
  headers: [...RAW.headers, { name: "cookie", value: cookie }],
});
const setting = (cookie: string, location?: string) => ({
  headers: [
    { name: "set-cookie", value: cookie },
    ...(location === undefined ? [] : [{ name: "location", value: location }]),
  ],
});

test("a cookie that its own thing does not get is told by its path", () => {
  const cause = (cookie: string, request = RAW, read = "/api/basket") =>
    told(
      run(
        ...exchange("/api/basket/items", { method: "POST", ts: 4_000, ...setting(cookie), request: RAW }),
        ...json(read, { items: [] }, { ts: 4_100, request }),
        failing(),
      ),
    ).join("\n");
  expect(cause("basket=b1; Path=/events")).toStartWith(
    "storage: POST /api/basket/items sets the cookie “basket” with Path=/events, so that GET /api/basket came without it",
  );
  for (const silent of [
    cause("basket=b1; Path=/"),
    cause("basket=b1; Path=/api"),
    // For renewals alone, as products have it.
    cause("refresh=r1; Path=/auth/refresh"),
    cause("basket=b1; Path=/events", carrying("basket=b0")),
    cause("basket=b1; Path=/events", RAW, "/api/orders"),
  ])
    expect(silent).not.toContain("came without it");
});

test("a cookie that the page does not get which its own answer leads to is told", () => {
  const cause = (path: string, to: string, request = RAW) =>
    told(
      run(
        ...document("/permit/1", "", {
          method: "POST",
          status: 302,
          ...setting(`draft=d1; Path=${path}`, to),
          request: RAW,
        }),
        ...document(to, "<p>Your application was not found</p>", { ts: 3_100, request }),
        failing(),
      ),
    ).join("\n");
  expect(cause("/permit/1", "/permit/2")).toContain(
    "storage: POST /permit/1 sets the cookie “draft” with Path=/permit/1, so that GET /permit/2 came without it",
  );
  for (const silent of [
    cause("/permit", "/permit/2"),
    cause("/permit/1", "/permit/2", carrying("draft=d1")),
    // Another part of the site is not what it was set for.
    cause("/permit/1", "/home"),
    // A script's own headers say nothing of cookies.
    cause("/permit/1", "/permit/2", { headers: [] }),
  ])
    expect(silent).not.toContain("came without it");
});

test("a cookie that a page does not get which its own answer leads back to is told, with passes that sent it there too", () => {
  const home = (ts: number, request: object = RAW) => document("/home", "<h1>Home</h1>", { ts, request });
  const chosen = (headers: object, request: object = RAW) => [
    ...home(2_000),
    ...document("/lang/de", "", { ts: 3_000, status: 303, ...headers, request: RAW }),
    ...home(3_100, request),
  ];
  const narrow = chosen(setting("lang=de; Path=/lang", "/home"));
  const said =
    "storage: GET /lang/de sets the cookie “lang” with Path=/lang, so that GET /home came without it";
  const failed = run(...narrow, failing());
  // Recorders lose what some answers set.
  const usual = run(
    ...chosen({ headers: [{ name: "location", value: "/home" }] }, carrying("lang=de")),
    passing(),
  );
  expect(first(failed)).toBe(said);
  expect(ofRun(failed, usual, usual)).toBe(said);
  // The passes do without it as well.
  expect(ofRun(failed, run(...narrow, passing()))).not.toContain("came without it");
});

test("a cookie that was set without a path is told with the page that lies beyond its folder", () => {
  const cause = (cookie: string, options: { set?: string; later?: string; request?: object } = {}) => {
    const { set = "/settings/units", later = "/stock", request = RAW } = options;
    return told(
      run(
        ...json(set, { saved: true }, { method: "POST", ts: 3_000, ...setting(cookie), request: RAW }),
        ...document(later, "<p>2.0 kg</p>", { ts: 4_000, request }),
        failing(),
      ),
    ).join("\n");
  };
  expect(cause("unit=lb; Max-Age=600")).toStartWith(
    "storage: POST /settings/units sets the cookie “unit” without a Path, so that only /settings gets it and GET /stock came without it",
  );
  for (const silent of [
    cause("unit=lb; Path=/"),
    cause("unit=lb", { set: "/units" }),
    cause("unit=lb", { later: "/settings/stock" }),
    cause("unit=lb", { request: carrying("unit=lb") }),
    // A script's own headers say nothing of cookies.
    cause("unit=lb", { request: { headers: [] } }),
    cause("unit=; Max-Age=0"),
    cause("unit=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
    // For renewals alone, as products have it.
    cause("refresh=r1", { set: "/auth/login" }),
    cause("visitor=v1", { set: "http://ads.example/v1/collect" }),
    cause("probe=p1", { set: "/api/metrics/ping" }),
  ])
    expect(silent).not.toContain("without a Path");
});

test("a cookie without a path that its folder's requests carry, or that is set for more as well, is not told", () => {
  const silent = (later: Parameters<typeof run>) =>
    told(
      run(
        ...json("/cart/items", {}, { method: "POST", ts: 3_000, ...setting("step=2"), request: RAW }),
        ...document("/help", "<p>Help</p>", { ts: 4_000, request: RAW }),
        ...later,
        failing(),
      ),
    ).join("\n");
  const carried = json("/cart/next", {}, { ts: 4_200, request: carrying("step=2") });
  const widened = json("/session", {}, { ts: 3_500, ...setting("step=2; Path=/"), request: RAW });
  for (const one of [silent(carried), silent(widened)]) expect(one).not.toContain("without a Path");
});

test("a refused request that came without a cookie of another folder is told by the missing path", () => {
  const signedIn = (...more: Parameters<typeof run>) =>
    run(
      ...json("/auth/login", {}, { method: "POST", ts: 3_000, ...setting("sid=s1; HttpOnly"), request: RAW }),
      ...more,
      ...json("/api/orders", {}, { ts: 4_000, status: 401, request: RAW }),
      failing(),
    );
  expect(told(signedIn())[0]).toBe(
    "storage: GET /api/orders came without the cookie “sid” that POST /auth/login sets without a Path: only /auth gets it; it was answered with 401",
  );
  const renewed = json("/auth/me", {}, { ts: 3_500, request: carrying("sid=s1") });
  expect(told(signedIn(...renewed)).join("\n")).not.toContain("without a Path");
});

describe("a session that was set beside the request which needs it", () => {
  const refused = (cookie: string, more: { request?: object; body?: object; url?: string } = {}) =>
    told(
      run(
        ...json(more.url ?? "/api/login", more.body ?? { ok: true }, {
          method: "POST",
          ts: 3_000,
          ...setting(cookie),
          request: RAW,
        }),
        ...json("/api/me", {}, { ts: 3_500, request: carrying("sid=s1") }),
        ...json("/graphql", {}, { method: "POST", ts: 4_000, status: 401, request: more.request ?? RAW }),
        failing(),
      ),
    );

  test("is told with its path", () => {
    expect(refused("sid=s1; Path=/api; HttpOnly")[0]).toBe(
      "storage: POST /graphql came without the cookie “sid” that POST /api/login sets with Path=/api: pages outside of /api do not get it; it was answered with 401",
    );
  });

  test("is not told where the request carried another one, or the sign-in gives something else for it", () => {
    for (const one of [
      refused("sid=s1; Path=/api", { request: carrying("main_session=s2") }),
      refused("sid=s1; Path=/api", { body: { accessToken: "t" } }),
      refused("refresh=r1; Path=/api"),
      refused("sid=s1; Path=/api", { url: "/api/basket" }),
      refused("sid=s1; Path=/api", { url: "/api/auth/refresh" }),
    ])
      expect(one.join("\n")).not.toContain("with Path=/api");
  });
});

test("a sign-in that was given no way back is told where the page is another one afterwards", () => {
  const cause = (options: { signIn?: string; later?: string; asked?: string; posted?: string }) => {
    const { signIn = "/signin", later = "/events", asked = "/orders/5001", posted = "/api/signin" } = options;
    return told(
      run(
        ...document(asked, "", { ts: 1_000, status: 302, ...setting("a=b", signIn) }),
        ...document(signIn, "<h1>Sign in</h1>", { ts: 1_100 }),
        ...json(posted, { ok: true }, { ts: 3_000, method: "POST" }),
        page("<h1>Somewhere</h1>", { ts: 3_200, url: `${SITE}${later}`, step_id: "sign in" }),
        failing(),
        page("<h1>Somewhere</h1>", { url: `${SITE}${later}` }),
      ),
    ).join("\n");
  };
  expect(cause({})).toContain(
    "redirected: GET /orders/5001 was sent to /signin without an address to lead back to, and after the sign-in the page was at /events",
  );
  for (const silent of [
    cause({ signIn: "/signin?next=/orders/5001" }),
    // The server kept the way itself.
    cause({ later: "/orders/5001" }),
    cause({ asked: "/" }),
    cause({ later: "/signin" }),
    cause({ posted: "/api/events" }),
  ])
    expect(silent).not.toContain("lead back to");
});

test("a page that its own script led to the sign-in, and not back, is told", () => {
  const cause = (
    options: {
      asked?: string;
      signIn?: string;
      later?: string;
      posted?: string;
      between?: object;
      after?: object;
    } = {},
  ) => {
    const { asked = "/orders/5001", signIn = "/login", later = "/", posted = "/api/login" } = options;
    const at = (path: string, ts: number) =>
      page("<h1>Page</h1>", { ts, url: `${SITE}${path}`, step_id: "fill" });
    return told(
      run(
        ...document(asked, "<div id=app></div>", { ts: 1_000 }),
        ...(options.between ? [click("Click getByRole('link')", { ts: 1_200, ...options.between })] : []),
        click("Fill the e-mail", { name: "fill", ts: 2_000, step_id: "fill" }),
        at(signIn, 2_010),
        click("Click getByRole('button', { name: 'Sign in' })", { ts: 2_900 }),
        ...json(posted, { ok: true }, { ts: 3_000, method: "POST" }),
        ...(options.after ? [click("Click getByRole('link')", { ts: 3_200, ...options.after })] : []),
        failing(),
        page("<h1>Dashboard</h1>", { url: `${SITE}${later}` }),
      ),
    ).join("\n");
  };
  expect(cause()).toContain(
    "redirected: The page that GET /orders/5001 brought went to /login without an address to lead back to, and after the sign-in it was at /",
  );
  for (const silent of [
    cause({ signIn: "/login?next=/orders/5001" }),
    cause({ later: "/orders/5001" }),
    cause({ asked: "/" }),
    cause({ asked: "/login" }),
    cause({ posted: "/api/orders" }),
    // The test went there by itself, or on from there.
    cause({ between: {} }),
    cause({ after: {} }),
    cause({ after: { name: "goto", title: "Go to /" } }),
  ])
    expect(silent).not.toContain("without an address to lead back to");
});

test("a sign-in that was told where to lead on to, and led elsewhere, is told", () => {
  const cause = ({
    signIn = "/login?next=%2Forders%2F5001",
    later = "/",
    status = 200,
    after = false,
  } = {}) => {
    const at = (path: string, ts: number) =>
      page("<h1>Page</h1>", { ts, url: `${SITE}${path}`, step_id: "fill" });
    return told(
      run(
        ...document("/orders/5001", "<div id=app></div>", { ts: 1_000 }),
        click("Fill the e-mail", { name: "fill", ts: 2_000, step_id: "fill" }),
        at(signIn, 2_010),
        click("Click getByRole('button', { name: 'Sign in' })", { ts: 2_900 }),
        ...json("/api/login", { ok: true }, { ts: 3_000, method: "POST", status }),
        ...(after ? [click("Click getByRole('link')", { ts: 3_200 })] : []),
        failing(),
        page("<h1>Dashboard</h1>", { url: `${SITE}${later}` }),
      ),
    ).join("\n");
  };
  expect(cause()).toContain(
    "redirected: The sign-in at /login was to lead on to “next=/orders/5001”, and after POST /api/login the page went to / instead",
  );
  expect(cause({ status: 303 })).toContain("and POST /api/login was answered with 303 and led to / instead");
  for (const silent of [
    cause({ signIn: "/login" }),
    cause({ signIn: "/login?next=%2F" }),
    cause({ later: "/orders/5001/lines" }),
    cause({ later: "/login" }),
    cause({ status: 401 }),
    // The test went on by itself.
    cause({ after: true }),
  ])
    expect(silent).not.toContain("was to lead on to");
});

test("data that was asked for and led to the sign-in is told, and a slash at the end is no other place", () => {
  const sent = (location: string, url = "/api/search") =>
    exchange(url, { ts: 4_800, status: 302, headers: header("location", location) });
  expect(first(run(...sent("/sign-in?next=/api/search"), failing()))).toBe(
    "redirected: GET /api/search was redirected to /sign-in?next=/api/search (302): what came is the sign-in, not what the page asked for",
  );
  expect(first(run(...sent("/api/all"), failing()))).toBe(
    "redirected: GET /api/search was redirected to /api/all (302)",
  );
  expect(told(run(...sent("/api/search/"), failing())).join()).not.toContain("redirected");
});

describe("a sign-in that leads back without what was asked", () => {
  const cause = (asked: string, signIn: string, led: string) =>
    told(
      run(
        ...document(asked, "", { ts: 1_000, status: 302, headers: header("location", signIn) }),
        ...document(signIn, "<h1>Sign in</h1>", { ts: 1_100 }),
        ...document(led, "<h1>New transfer</h1>", { ts: 4_500 }),
        failing({ expected: '"Oma Inge"', received: '"—"' }),
      ),
    ).join("\n");

  test("is told with what was lost", () => {
    expect(cause("/transfer?to=ben-2", "/login?next=%2Ftransfer", "/transfer")).toStartWith(
      "redirected: The sign-in that GET /transfer?to=ben-2 led to was given only “next=/transfer” to lead back to: “to=ben-2” was lost, and /transfer was opened without",
    );
    expect(cause("/a?x=1&y=2", "/auth/start?returnTo=%2Fa%3Fx%3D1", "/a?x=1")).toContain("“y=2” was lost");
  });

  test("is not told where nothing was lost, it came by another way, or only counts visitors", () => {
    for (const [asked, signIn, led] of [
      ["/transfer?to=ben-2", "/login?next=%2Ftransfer%3Fto%3Dben-2", "/transfer?to=ben-2"],
      ["/transfer?to=ben-2", "/login?next=%2Ftransfer", "/transfer?to=ben-2"],
      ["/transfer?to=ben-2", "/login?next=%2Ftransfer", "/home"],
      ["/transfer?utm_source=mail", "/login?next=%2Ftransfer", "/transfer"],
      ["/transfer?to=ben-2", "/help?next=%2Ftransfer", "/transfer"],
    ] as const)
      expect(cause(asked, signIn, led)).not.toContain("was lost");
  });
});

test("a request that was refused for want of a cookie stands below the cookie", () => {
  const cause = told(
    run(
      ...exchange("/login", { method: "POST", ts: 3_000, ...setting("sid=1; Path=/book"), request: RAW }),
      ...exchange("/book/1", { ts: 3_500, request: carrying("sid=1") }),
      ...exchange("/api/quote", { method: "POST", ts: 4_000, status: 401, request: RAW }),
      failing(),
    ),
  );
  expect(cause[0]).toStartWith("storage: POST /api/quote came without the cookie “sid”");
  expect(cause[1]).toStartWith("request_failed: POST /api/quote was answered with 401");
});

test("a refusal for want of a cookie stands below the cookie too where the page says it in the server's words", () => {
  const said = "Please sign in to send your order";
  const cause = (path: string, request = RAW) =>
    first(
      run(
        ...exchange("/login", { method: "POST", ts: 3_000, ...setting(`sid=1; Path=${path}`), request: RAW }),
        ...json("/api/orders", { message: said }, { method: "POST", status: 401, request }),
        failing({ title: "Expect \"toHaveText\" locator('.orders')", expected: '"Order 7"' }),
        page(`<h1>Checkout</h1><p>${said}</p>`),
      ),
    );
  expect(cause("/account")).toBe(
    "storage: POST /api/orders came without the cookie “sid” that POST /login sets with Path=/account: pages outside of /account do not get it; it was answered with 401",
  );
  expect(cause("/", carrying("sid=1"))).toBe(
    `request_failed: POST /api/orders was answered with 401: ${said}`,
  );
});

test("a session that was ended and begun again is not what is missing", () => {
  const out = exchange("/api/session", { method: "DELETE", ts: 3_000, ...setting("sid=; Max-Age=0") });
  const back = exchange("/api/session", { method: "POST", ts: 4_000, ...setting("sid=2f; Path=/") });
  expect(first(run(...out, failing()))).toBe("storage: DELETE /api/session took the cookie “sid” away");
  expect(told(run(...out, ...back, failing())).join()).not.toContain("took the cookie");
  // Whom the test itself signs out before it begins, it means to be a guest.
  const byTest = out.map((event) => ({ ...event, resource_type: "api" }));
  const gone = exchange("/api/rows", { ts: 4_000, status: 500 });
  expect(first(run(...byTest, ...gone, failing()))).toContain("/api/rows");
  expect(causeOf(run(...byTest, failing())).suspects[0]?.confidence ?? 0).toBeLessThan(0.5);
});

test("a session's cookie for another domain is told where the page stands at the sign-in, and no request carries it", () => {
  const cause = (cookie: string, path = "/session/new", request = RAW) =>
    told(
      run(
        ...document("/session/new", "<h1>Sign in</h1>", { ...setting(cookie), request: RAW }),
        ...json("/api/notes", [], { request }),
        failing(),
        page("<h1>Sign in</h1>", { url: `${SITE}${path}` }),
      ),
    ).join("\n");
  expect(cause("app_session=s1; Domain=app.test; Path=/")).toContain(
    "storage: GET /session/new sets the cookie “app_session” with Domain=app.test: shop.example is no host of that domain, so that browsers refuse it and no request carries it",
  );
  for (const silent of [
    cause("app_session=s1; Domain=shop.example; Path=/"),
    cause("theme=dark; Domain=app.test; Path=/"),
    cause("app_session=s1; Domain=app.test; Path=/", "/notes"),
    cause("app_session=s1; Domain=app.test; Path=/", "/session/new", carrying("app_session=s1")),
  ])
    expect(silent).not.toContain("is no host of that domain");
});

test("a page that a sign-in led to, and that is at the sign-in again, is told with the cookie that it came without", () => {
  const cause = (path: string, to: string) =>
    told(
      run(
        ...exchange("/login", {
          method: "POST",
          ts: 4_000,
          status: 303,
          ...setting(`sid=s1; Path=${path}`, "/account"),
          request: RAW,
        }),
        ...json("/account/data", { type: "redirect" }, { ts: 4_100, request: RAW }),
        failing(),
        page("<h1>Sign in</h1>", { url: `${SITE}${to}` }),
      ),
    ).join("\n");
  expect(cause("/login", "/login")).toContain(
    "GET /account/data came without the cookie “sid” that POST /login sets with Path=/login: pages outside of /login do not get it",
  );
  expect(cause("/login", "/account")).not.toContain("came without the cookie");
});
