import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, save, told } from "../../run.ts";

const json = (url: string, body: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, { media_type: "application/json", body: JSON.stringify(body), ...more });
const failed = (url: string, ts: number, more: Record<string, unknown> = {}) =>
  json(url, { error: "upstream reset" }, { ts, status: 502, ...more });
const courses = (price: number) => json("/api/courses", { price }, { ts: 3_100 });
const check = { expected: '"€59.00"', received: '"€62.00"' };
const load = { load: 0.2, unread: 4 };
const usual = run(
  ...json("/api/pulse", load, { ts: 2_000 }),
  save(),
  ...courses(5_900),
  ...json("/api/pulse", load, { ts: 6_000 }),
  passing(check),
);

describe("a question that a page repeats by itself and that failed once", () => {
  const now = (more: object[] = [], start: object = load) =>
    run(
      ...json("/api/pulse", start, { ts: 2_000 }),
      save(),
      ...courses(6_200),
      ...failed("/api/pulse", 6_000),
      ...(more as Parameters<typeof run>),
      failing(check),
    );
  const COURSES = "answer_changed: GET /api/courses";
  const PULSE = "request_failed: GET /api/pulse was answered with 502: upstream reset";

  test("comes after the answer that the step looks at, with passes and without", () => {
    expect(first(now(), usual, usual)).toStartWith(COURSES);
    expect(first(now())).toStartWith(COURSES);
  });

  test("comes first where the page says so, or threw over it", () => {
    expect(first(now([page("<p>upstream reset</p>")]), usual, usual)).toStartWith(PULSE);
    expect(first(now([page("<p>The connection was lost, try again</p>")]), usual, usual)).toStartWith(PULSE);
    const threw = { kind: "console.error", source: "page", text: "TypeError: no load", ts: 6_010 };
    expect(told(now([threw]), usual, usual).slice(0, 2)).toContain(PULSE);
  });

  test("comes first where a job was under way, or it failed from then on", () => {
    expect(first(now([], { state: "running" }), usual, usual)).toStartWith(PULSE);
    expect(first(now(failed("/api/pulse", 6_500)), usual, usual)).toStartWith(PULSE);
  });

  test("comes first where the step waits for what passes are answered with", () => {
    const badge = { expected: '"5 unread"', received: '"4 unread"' };
    const begin = [...json("/api/pulse", load, { ts: 2_000 }), save()];
    const pass = run(...begin, ...json("/api/pulse", { ...load, unread: 5 }, { ts: 6_000 }), passing(badge));
    const lost = run(...begin, ...failed("/api/pulse", 6_000), failing(badge));
    expect(first(lost, pass, pass)).toStartWith(PULSE);
    expect(first(lost)).toStartWith(PULSE);
  });

  test("comes after it where only the site that they are of is named by the page's address, and not what is asked for", () => {
    const of = (place: string, url: string) =>
      first(
        run(
          ...json(place, load, { ts: 2_000 }),
          save(),
          ...courses(6_200),
          ...failed(place, 6_000),
          failing(check),
          page("<p>€62.00</p>", { url: `http://shop.example${url}` }),
        ),
      );
    expect(of("/api/o/acme/pulse", "/o/acme/courses")).toStartWith(COURSES);
    expect(of("/api/orders/41/events", "/orders/41")).toStartWith("request_failed: GET /api/orders/");
  });

  test("comes after it where the page only is a part of what the question is a part of", () => {
    const at = "https://app.test/teams/crimson/courses/7";
    const ofTeam = (end: object[], ts = 2_000) =>
      run(...json("/api/teams/crimson/pulse", load, { ts }), save(), ...(end as Parameters<typeof run>));
    const pass = ofTeam([...courses(5_900), passing(check)]);
    const now = (url: string) =>
      ofTeam([
        ...courses(6_200),
        ...failed("/api/teams/crimson/pulse", 6_000),
        page("<p>€62.00</p>", { url }),
        failing(check),
      ]);
    expect(first(now(at), pass, pass)).toStartWith(COURSES);
    expect(first(now("https://app.test/teams/crimson/pulse"), pass, pass)).toStartWith("request_failed: ");
  });

  test("comes after it where several things are below the only part that it shares with the page's address", () => {
    const of = (other: string) =>
      first(
        run(
          ...json("/api/acme/pulse", load, { ts: 2_000 }),
          ...json(other, {}, { ts: 2_100 }),
          ...json("/api/acme/people", {}, { ts: 2_200 }),
          save(),
          ...courses(6_200),
          ...failed("/api/acme/pulse", 6_000),
          failing(check),
          page("<p>€62.00</p>", { url: "http://shop.example/acme/courses" }),
        ),
      );
    expect(of("/api/acme/session")).toStartWith(COURSES);
    expect(of("/api/acme/people")).toStartWith("request_failed: GET /api/acme/pulse");
  });

  test("comes after a write that was never answered, which leads to nothing", () => {
    const sent = exchange("/api/bookings", { method: "POST", ts: 3_050 }).slice(0, 1);
    const pass = run(
      ...json("/api/pulse", load, { ts: 2_000 }),
      save(),
      ...exchange("/api/bookings", { method: "POST", ts: 3_050 }),
      ...json("/api/pulse", load, { ts: 6_000 }),
      passing(),
    );
    const hung = run(
      ...json("/api/pulse", load, { ts: 2_000 }),
      save(),
      ...sent,
      ...failed("/api/pulse", 6_000),
      failing(),
    );
    expect(first(hung, pass, pass)).toStartWith("request_pending: POST /api/bookings");
  });

  test("comes first where an action led to it", () => {
    const asked = run(
      ...json("/api/pulse", load, { ts: 2_000 }),
      save(),
      ...courses(6_200),
      ...failed("/api/pulse", 3_200),
      failing(check),
    );
    expect(first(asked, usual, usual)).toStartWith(PULSE);
  });
});

describe("a question that failed and that the page asked again", () => {
  const now = (again: number, more: object[] = []) =>
    run(
      save(),
      ...courses(6_200),
      ...failed("/api/pulse", 3_200),
      ...json("/api/pulse", load, { ts: again }),
      ...(more as Parameters<typeof run>),
      failing(check),
    );

  test("comes after the answer that the step looks at, where it was answered well before the step gave up", () => {
    expect(first(now(5_000), usual, usual)).toStartWith("answer_changed: GET /api/courses");
  });

  test("comes first where it was answered too late, or where the page says so", () => {
    expect(first(now(8_950), usual, usual)).toStartWith("request_failed: GET /api/pulse");
    expect(first(now(5_000, [page("<p>upstream reset</p>")]), usual, usual)).toStartWith(
      "request_failed: GET /api/pulse",
    );
  });
});

describe("a question that failed each time that the page asked it by itself", () => {
  const bodyOfPass = (body: unknown) =>
    run(...json("/api/pulse", body, { ts: 1_500 }), save(), ...courses(5_900), passing(check));
  const now = run(
    ...failed("/api/pulse", 1_500),
    save(),
    ...courses(6_200),
    ...failed("/api/pulse", 6_000),
    failing(check),
  );

  test("comes after the answer that the step looks at, where passes are answered with figures and times alone", () => {
    const pass = bodyOfPass({ ...load, at: "2026-12-01T09:00:00Z" });
    expect(first(now, pass, pass)).toStartWith("answer_changed: GET /api/courses");
  });

  test("comes first where passes are answered with more, or it was asked once", () => {
    const FIRST = "request_failed: GET /api/pulse was answered with 502";
    const more = bodyOfPass({ ...load, features: { checkout: true } });
    expect(first(now, more, more)).toStartWith(FIRST);
    const once = run(save(), ...courses(6_200), ...failed("/api/pulse", 6_000), failing(check));
    const pass = bodyOfPass(load);
    expect(first(once, pass, pass)).toStartWith(FIRST);
  });
});

describe("a question that no pass asks", () => {
  const asking = (url: string, ...more: Parameters<typeof run>) =>
    run(...failed(url, 1_000), ...json("/api/pulse", load, { ts: 2_000 }), save(), ...more, failing(check));

  test("comes after the answer that the step looks at, where all else was asked", () => {
    expect(first(asking("/hints.json", ...courses(6_200)), usual, usual)).toStartWith("answer_changed: ");
  });

  test("comes first where it was asked in the place of what passes ask", () => {
    const once = run(
      ...json("/api/prices", {}, { ts: 1_000 }),
      ...json("/api/pulse", load),
      save(),
      passing(check),
    );
    expect(first(asking("/v2/tariffs"), once, once)).toStartWith("request_failed: GET /v2/tariffs");
  });
});
