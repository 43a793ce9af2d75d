import { expect, test } from "bun:test";
import { exchange, failing, page, passing, run, SITE, told } from "../../run.ts";

const fetched = (path: string, body: string, media_type = "text/html") =>
  exchange(path, { ts: 4_000, resource_type: "fetch", media_type, body });
const html = (heading: string) => `<!doctype html><html><body><h1>${heading}</h1></body></html>`;
const complained = {
  kind: "console.error",
  source: "page",
  text: "SyntaxError: Unexpected token '<'",
  ts: 4_050,
};
const cause = (mine: Parameters<typeof run>, theirs: Parameters<typeof run>) => {
  const pass = run(...theirs, passing());
  return told(run(...mine, complained, failing()), pass, pass).join("\n");
};

const usual = fetched("/reports?q=audit&page=2", html("12 reports"));
const at = page(html("12 reports"), { url: `${SITE}/reports?q=audit`, ts: 4_200 });

test("a page that is fetched to be put in place is no page instead of data, whatever it was asked for", () => {
  const mine = [...fetched("/reports?page=2", html("39 reports")), at];
  expect(cause(mine, [...usual, at])).not.toContain("instead of data");
  expect(told(run(...mine, complained, failing())).join()).not.toContain("instead of data");
});

test("it is where no page was at that address", () => {
  const data = fetched("/api/reports", "{}", "application/json");
  const fallback = fetched("/api/reports", html("Acme"));
  const words = "GET /api/reports was answered with 200 and a page of HTML instead of data";
  expect(cause([...fallback, at], [...data, at])).toContain(words);
  expect(told(run(...fallback, at, complained, failing())).join()).toContain(words);
});

test("it is not where the test itself asked for the page, whatever a script complains of", () => {
  const asked = fetched("/login", html("Sign in")).map((one) => ({ ...one, resource_type: "api" }));
  expect(told(run(...asked, at, complained, failing())).join()).not.toContain("instead of data");
});
