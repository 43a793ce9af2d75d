import { expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "../../run.ts";

const list = (query: string, body: string, media_type = "text/html") =>
  exchange(`/reports?${query}`, { ts: 4_000, resource_type: "fetch", media_type, body });
const html = "<!doctype html><html><body><h1>39 reports</h1></body></html>";
const complained = {
  kind: "console.error",
  source: "page",
  text: "SyntaxError: Unexpected token '<'",
  ts: 4_050,
};
const cause = (mine: ReturnType<typeof list>, theirs: ReturnType<typeof list>) => {
  const pass = run(...theirs, passing());
  return told(run(...mine, complained, failing()), pass, pass).join("\n");
};

test("a page that is fetched to be put into another is no page instead of data, whatever it was asked for", () => {
  expect(cause(list("page=2", html), list("q=audit&page=2", html))).not.toContain("instead of data");
});

test("it is where passes got data there", () => {
  expect(cause(list("page=2", html), list("q=audit&page=2", '{"items":[]}', "application/json"))).toContain(
    "GET /reports?page=2 was answered with 200 and a page of HTML instead of data",
  );
});
