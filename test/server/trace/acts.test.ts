import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actShots, outlineOf } from "../../../server/trace/format/cause/acts.ts";
import type { Failed } from "../../../server/trace/format/cause/types.ts";
import { causeOfArchive } from "../../helpers/archive-cause.ts";
import { closeBrowser, openBrowser } from "../../helpers/browser.ts";
import { click, factsOf, failing, page, run } from "./format/cause/run.ts";

setDefaultTimeout(60_000);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
});
afterAll(async () => {
  await closeBrowser();
  rmSync(root, { recursive: true, force: true });
});

const FORM = `<main><form><label for="amount">Amount</label><input id="amount" name="amount">
  <label for="to">To</label><input id="to" name="to"></form></main>`;

/** What Playwright records of a form that is filled in, and of a heading that comes after it or does not. */
async function recorded(name: string, html: string): Promise<string> {
  const context = await (await openBrowser()).newContext();
  const path = join(root, `${name}.zip`);
  await context.tracing.start({ snapshots: true });
  const tab = await context.newPage();
  await tab.setContent(html);
  await tab.getByLabel("Amount").fill("750");
  await tab.getByLabel("To").fill("Ben");
  await tab
    .getByRole("heading", { name: "Sent" })
    .click({ timeout: 500 })
    .catch(() => {});
  await context.tracing.stop({ path });
  await context.close();
  return path;
}

test("of a recorded archive the actions that found another field are read, and told with a pass and without", async () => {
  const failure = await recorded(
    "failure",
    `<nav><form><input id="amount" placeholder="0.00"></form></nav>${FORM}`,
  );
  const pass = await recorded("pass", `${FORM}<h2>Sent</h2>`);
  const said =
    /Amount.* went into another field than the one beside the label “Amount”: the id “amount” stands twice/;
  expect((await causeOfArchive(root, failure, [pass])).cause.headline).toMatch(said);
  expect((await causeOfArchive(root, failure)).cause.headline).toMatch(said);
});

test("an outline has what an action found and stands in, and none of what only looks or holds another way", () => {
  const events = run(
    click("Fill To", { step_id: "to", name: "locator.fill" }),
    page("", { ts: 20, step_id: "to", phase: "action", snapshot: "action@call@7" }),
    failing(),
  );
  const [shots] = actShots(factsOf(events), { to: 1_000_000 + 9_000 } as Failed);
  const tree = (mark: string, more = {}) => [
    "BODY",
    {},
    ["FORM", { id: "pay" }, [[1, 4]], ["INPUT", { id: "to", __playwright_target__: mark, ...more }]],
  ];
  const found = { chain: "body \nform id=pay\ninput id=to", fieldId: "to" };
  expect(outlineOf(tree(""), shots!)).toEqual(found);
  expect(outlineOf(tree("call@7", { class: "is-focused", __playwright_value_: "Ben" }), shots!)).toEqual(
    found,
  );
  // What an older call has found stays marked.
  expect(outlineOf(tree("call@6"), shots!)).toBeNull();
});
