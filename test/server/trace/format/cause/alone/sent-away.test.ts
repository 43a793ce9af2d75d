import { expect, test } from "bun:test";
import { exchange, failing, page, run, SITE, told } from "../run.ts";

const fetched = (path: string, body: string, ts: number) =>
  exchange(path, {
    ts,
    resource_type: "fetch",
    media_type: "text/html",
    body: `<!doctype html><h1>${body}</h1>`,
  });
const sent = (to: string) =>
  exchange("/session", {
    ts: 4_000,
    method: "POST",
    status: 303,
    resource_type: "fetch",
    headers: [{ name: "location", value: to }],
  });
const cause = (...events: Parameters<typeof run>) => told(run(...events, failing())).join("\n");

test("what a form sent leads on to a page, where pages are fetched", () => {
  const reports = fetched("/reports", "Reports", 4_100);
  const at = page("<h1>Reports</h1>", { url: `${SITE}/reports`, ts: 4_200 });
  expect(cause(...sent("/reports"), ...reports, at)).not.toContain("was redirected");
  // Where the page stands there afterwards it was led on by its own script, unless the step says that it should be elsewhere.
  expect(cause(...sent("/reports"), at)).not.toContain("was redirected");
  const elsewhere = failing({
    title: 'Expect "toHaveURL"',
    name: "toHaveURL",
    message: "expect(page) failed",
  });
  expect(told(run(...sent("/reports"), at, elsewhere)).join("\n")).toContain("was redirected to /reports");
  // Data that was asked for is no page.
  expect(cause(...sent("/reports"))).toContain("POST /session was redirected to /reports (303)");
});
