import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type RunLab, runLab } from "../../../helpers/runs.ts";
import { startSite } from "../../../helpers/site.ts";
import { getJson } from "../../../helpers/traces.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
let site: Bun.Server<undefined>;
beforeAll(async () => {
  lab = await runLab();
  site = startSite({
    "/": [
      "text/html",
      "<link rel=stylesheet href=/app.css media=screen><link rel=stylesheet href=/print.css media=print><footer class=bar><button>Accept</button></footer>",
    ],
    "/app.css": ["text/css", "@media (min-width: 500px) { .bar { visibility: hidden } }"],
    "/print.css": ["text/css", "button { display: none }"],
  });
});
afterAll(async () => {
  await site.stop(true);
  await lab.close();
});

test("a recorded run tells which rule of which style sheet hides the element that a step waited for", async () => {
  const outcome = await lab.run(['go to "/"', 'click button "Accept"'], { baseUrl: site.url.origin });
  expect(outcome.status).toBe("failed");
  await lab.app.runJobs();
  const { headline } = await getJson<{ headline: string }>(lab.app, `/v1/traces/${outcome.traceId}/cause`);
  expect(headline).toContain(
    "“.bar { visibility: hidden }” of /app.css hides .bar around it, within “@media (min-width: 500px)” at a window of ",
  );
});
