import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const at = (path: string, ts: number, step_id = "check") =>
  page(`<main><h1>${path}</h1></main>`, { url: `${SITE}${path}`, ts, step_id });
const header = (name: string, value: string) => [{ name, value }];
const open = click("Click getByRole('link', { name: 'Courses' })", { ts: 4_000, step_id: "open" });
const led = exchange("/courses", {
  ts: 1_000,
  status: 307,
  resource_type: "document",
  headers: header("location", "/login"),
});
/** Signed in at first, and at the courses by and by. */
const signedIn = [
  ...led,
  at("/login", 1_200, "begin"),
  ...exchange("/login", { ts: 2_000, method: "POST", status: 303 }),
  at("/courses", 2_500, "read"),
];
const usual = run(...signedIn, open, at("/courses", 6_990), passing());
const refused = exchange("/api/notices", {
  ts: 4_500,
  status: 401,
  body: '{"error":"Session expired"}',
  media_type: "application/json",
});

describe("an answer that led somewhere", () => {
  test("did not send a page there that was elsewhere since: who is refused says why", () => {
    const failed = run(...signedIn, open, ...refused, at("/login", 6_990), failing());
    const said = "request_failed: GET /api/notices was answered with 401: Session expired";
    expect(first(failed, usual, usual)).toBe(
      `${said}; the page was at /login instead of /courses: GET /api/notices was answered with 401`,
    );
    expect(first(failed)).toBe(said);
  });

  test("sent the page there that has not been elsewhere since, and leads nowhere without an address", () => {
    const again = exchange("/courses", {
      ts: 4_100,
      status: 307,
      resource_type: "document",
      headers: header("location", "/login"),
    });
    expect(told(run(...signedIn, open, ...again, at("/login", 6_990), failing()), usual).join()).toContain(
      "The page was at /login instead of /courses: GET /courses was answered with 307",
    );
    const nowhere = told(run(...signedIn, open, at("/login", 6_990), failing()), usual).join();
    expect(nowhere).not.toContain("was answered with 303");
    expect(nowhere).not.toContain("was answered with 307");
  });
});
