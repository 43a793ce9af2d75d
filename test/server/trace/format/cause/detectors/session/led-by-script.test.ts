import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE } from "../../run.ts";

const open = (status = 200) =>
  exchange("/articles", { ts: 1_000, resource_type: "document", media_type: "text/html", status });
const app = (bytes: number) =>
  exchange("/app.js", {
    ...{ ts: 1_050, resource_type: "script", media_type: "text/javascript" },
    headers: [{ name: "content-length", value: String(bytes) }],
  });
const list = (status: number) => exchange("/api/articles", { ts: 1_100, status });
const reload = click("Reload", { ts: 900, name: "page.reload" });
const usual = run(
  reload,
  ...open(),
  ...app(900),
  ...list(200),
  passing(),
  page("<h1>Articles</h1>", { url: `${SITE}/articles` }),
);
const signIn = page("<h1>Sign in</h1>", { url: `${SITE}/login?next=%2Farticles` });
const cause = (...events: Parameters<typeof run>) => first(run(reload, ...events, failing(), signIn), usual);
const said = "redirected: The page was at /login?next=%2Farticles instead of /articles";
const byScript = `${said}: GET /articles was answered with 200 and nothing was refused, so that the page's own script led there`;

describe("a page that is at the sign-in, though the server had given the other one", () => {
  test("is told to be led there by its own script, with the one that changed", () => {
    expect(cause(...open(), ...app(900))).toBe(byScript);
    expect(cause(...open(), ...app(880))).toBe(
      `${byScript}; the script GET /app.js changed since the last pass: it has 880 bytes instead of 900`,
    );
  });

  test("is not told so where something was refused, another page was asked for, or none was given", () => {
    const login = exchange("/login?next=%2Farticles", { ts: 1_200, resource_type: "document" });
    for (const events of [
      [...open(), ...app(900), ...list(401)],
      [...open(), ...app(900), ...list(500)],
      [...open(), ...app(900), ...login],
      [...app(900)],
    ])
      expect(cause(...events)).not.toContain("own script");
  });

  test("is told so whatever picture was not there", () => {
    const picture = exchange("/logo.png", { ts: 1_060, resource_type: "image", status: 404 });
    expect(cause(...open(), ...app(900), ...picture)).toBe(byScript);
  });
});
