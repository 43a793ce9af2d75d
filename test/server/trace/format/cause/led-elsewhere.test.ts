import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const signIn = (ts: number, status: number, to?: string) =>
  exchange("/login", {
    method: "POST",
    ts,
    status,
    resource_type: "document",
    ...(to && { headers: [{ name: "location", value: to }] }),
  });
const go = click("Click Sign in", { ts: 4_000 });
const at = (path: string) => page("<h1>Ward</h1>", { url: `${SITE}${path}` });
const tried = signIn(3_000, 401);

test("a page that led on to another address than in every pass is told with both", () => {
  const failed = run(...tried, go, ...signIn(4_100, 303, "/board"), at("/board"), failing());
  const usual = run(...tried, go, ...signIn(4_100, 303, "/rota"), at("/rota"), passing());
  expect(first(failed, usual, usual)).toBe(
    "redirected: POST /login was answered with 303 and led to /board, where it led to /rota in the last pass",
  );
});

test("a form that a script sends leads on as one that the browser sends", () => {
  const handIn = (to: string) =>
    exchange("/reports/7/submission", {
      method: "POST",
      ts: 4_100,
      status: 303,
      resource_type: "fetch",
      headers: [{ name: "location", value: to }],
    });
  const usual = run(go, ...handIn("/reports/7"), at("/reports/7"), passing());
  expect(told(run(go, ...handIn("/reports"), at("/reports"), failing()), usual, usual).join("\n")).toContain(
    "was answered with 303 and led to /reports, where it led to /reports/7 in the last pass",
  );
});

test("an address in other letters than the test wants is told with what it wants", () => {
  const made = (to: string) => [go, ...signIn(4_100, 303, to), at(to)];
  const looks = { name: "toHaveURL", title: 'Expect "toHaveURL"', expected: "/\\/items\\/N-DFVY$/" };
  const usual = (id: string) => run(...made(`/items/${id}`), passing(looks));
  const received = `"${SITE}/items/n-DFVY"`;
  const now = run(...made("/items/n-DFVY"), failing({ ...looks, received }));
  expect(told(now, usual("N-YFUZ"), usual("N-YFUZ")).join("\n")).toContain(
    "was answered with 303 and led to /items/n-DFVY, where it led to /items/N-YFUZ in the last pass: upper and lower case are otherwise than in “N-DFVY”, which the test wants there",
  );
});

test("a page that leads each run to a thing of its own, or back to the sign-in, is told otherwise", () => {
  const order = (id: string) => run(go, ...signIn(4_100, 303, `/orders/${id}`), at("/orders"), passing());
  const failed = run(go, ...signIn(4_100, 303, "/orders/5d24cc4d-acce-4481"), at("/orders"), failing());
  const passes = [order("37f67ae5-301c-4c33"), order("b9a4142d-47ac-4ac1")] as const;
  expect(told(failed, ...passes).join()).not.toContain("led to");
  const out = run(go, ...signIn(4_100, 303, "/sign-in?expired"), at("/sign-in"), failing());
  expect(told(out, run(go, ...signIn(4_100, 303, "/rota"), at("/rota"), passing())).join()).not.toContain(
    "led to /sign-in?expired, where",
  );
});

test("an id with 404 in it is no page of an error", () => {
  const failed = run(go, ...signIn(4_100, 303, "/patients/404996c6"), at("/patients/404996c6"), failing());
  expect(told(failed).join()).not.toContain("The page was sent to");
});

test("an answer that names another page than in the passes comes before that the page is there", () => {
  const session = (next: string) =>
    exchange("/api/session", { method: "POST", ts: 4_100, body: JSON.stringify({ next }) });
  const start = exchange("/start", { resource_type: "document", ts: 1_000 });
  const usual = run(...start, go, ...session("/clients"), at("/clients"), passing());
  const cause = (next: string, path: string) =>
    told(run(...start, go, ...session(next), at(path), failing()), usual, usual);
  expect(cause("/start", "/start")[0]).toBe(
    "answer_changed: POST /api/session answered “/start” for “next”, where the last pass had “/clients”: that is where the page is",
  );
  expect(cause("/start", "/orders").join()).not.toContain("that is where the page is");
});

const refusedAt = (origin: string) => ({
  kind: "console.error",
  ts: 4_990,
  text: `Access to fetch at 'http://rates.example/v1' from origin '${origin}' has been blocked by CORS policy: The 'Access-Control-Allow-Origin' header has a value '${SITE}' that is not equal to the supplied origin.`,
});

test("a page that was led to another host comes before what it was refused there", () => {
  const led = (to: string) => signIn(4_100, 303, to);
  const usual = run(go, ...led("/rota"), at("/rota"), passing());
  const there = page("<h1>Sign in</h1>", { url: "http://localhost:3000/sign-in" });
  const cause = (to: string, ...more: Parameters<typeof run>) =>
    told(run(go, ...led(to), ...more, failing()), usual, usual);
  const away = "http://localhost:3000/rota";
  const said =
    "redirected: POST /login was answered with 303 and led to localhost:3000/rota, where it led to /rota in the last pass: that is another host, to which no cookie of this one is sent";
  const found = cause(away, refusedAt("http://localhost:3000"), there);
  expect(found[0]).toBe(said);
  expect(found.join("\n")).toContain("browser_policy: ");
  // What is refused to a page that was led nowhere else is told first.
  expect(cause(away, refusedAt("http://other.example"), at("/rota"))[0]).toStartWith("browser_policy: ");
  expect(cause("/board", refusedAt(SITE), at("/board"))[0]).toStartWith("browser_policy: ");
});

test("another host of the same domain may know the cookies of the first", () => {
  const usual = run(go, ...signIn(4_100, 303, "/rota"), at("/rota"), passing());
  const failed = run(go, ...signIn(4_100, 303, "http://my.shop.example/rota"), at("/rota"), failing());
  expect(told(failed, usual, usual).join()).toContain("led to my.shop.example/rota");
  expect(told(failed, usual, usual).join()).not.toContain("no cookie");
});

test("an answer that sent each pass to the sign-in as well, or names no address, is not what sent the page there", () => {
  const away = exchange("/board", {
    ts: 1_000,
    status: 307,
    resource_type: "document",
    headers: [{ name: "location", value: "/login?next=%2Fboard" }],
  });
  const form = exchange("/login?next=%2Fboard", { ts: 1_100, resource_type: "document" });
  const sent = exchange("/login?next=%2Fboard", { ts: 4_100, method: "POST", status: 303 });
  const usual = run(...away, ...form, at("/login?next=%2Fboard"), go, ...sent, at("/board"), passing());
  const said = (...events: Parameters<typeof run>) => told(run(...events, failing()), usual, usual).join();
  expect(said(...away, ...form, go, at("/login?next=%2Fboard"))).not.toContain("was answered with 307");
  expect(said(...away, ...form, go, ...sent, at("/login"))).not.toContain("was answered with 303");
  // Sent there once more than the passes are.
  const again = away.map((event) => ({ ...event, ts: 4_200, request_id: "again" }));
  expect(said(...away, ...form, go, ...again, at("/login?next=%2Fboard"))).toContain(
    "redirected: The page was at /login?next=%2Fboard instead of /board: GET /board was answered with 307",
  );
});

describe("an answer with a header for the page's script that leads to the sign-in", () => {
  const cookie = (value: string) => ({ request: { headers: [{ name: "cookie", value }] } });
  const opened = exchange("/board", { ts: 1_000, resource_type: "document", ...cookie("sid=a1") });
  const polled = exchange("/board/news", { ts: 2_000, ...cookie("sid=a1") });
  const sentAway = (ts: number, sent = "sid=a1") =>
    exchange("/board/news", {
      ts,
      ...cookie(sent),
      headers: [
        { name: "hx-redirect", value: "/login" },
        { name: "set-cookie", value: "sid=b2; Path=/" },
      ],
    });
  const usual = run(...opened, ...polled, go, at("/board"), passing());
  const cause = (...events: Parameters<typeof run>) =>
    first(run(...opened, ...events, at("/login"), failing()), usual, usual);
  const ended =
    ", though it had been answered 3.0 s before with the same cookies: the session had ended by then";

  test("is told with what it was asked for, and that the session had ended since the answer before", () => {
    expect(cause(...polled, go, ...sentAway(5_005))).toBe(
      `redirected: The page was at /login instead of /board: GET /board/news was answered with 200 and the header hx-redirect${ended}, and the answer begins another one`,
    );
    expect(first(run(...opened, ...polled, go, ...sentAway(5_005), at("/login"), failing()))).toContain(
      ended,
    );
  });

  test("says nothing of a session that was another one, that had not been answered, or that was signed out", () => {
    const out = exchange("/logout", { ts: 4_500, method: "POST" });
    for (const said of [
      cause(...polled, go, ...sentAway(5_005, "sid=c3")),
      cause(go, ...sentAway(5_005)),
      cause(...polled, go, ...out, ...sentAway(5_005)),
    ])
      expect(said).toEndWith("GET /board/news was answered with 200 and the header hx-redirect");
  });
});
