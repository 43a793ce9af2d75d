import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { causeOfArchive } from "../../helpers/archive-cause.ts";
import { closeBrowser, openBrowser } from "../../helpers/browser.ts";

setDefaultTimeout(60_000);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
});
afterAll(async () => {
  await closeBrowser();
  rmSync(root, { recursive: true, force: true });
});

/** A grid with a slot for its caption and one for its toolbar, and a button that is for one of them. */
async function recorded(slot: string): Promise<string> {
  const context = await (await openBrowser()).newContext();
  const path = join(root, `${slot}.zip`);
  await context.tracing.start({ snapshots: true });
  const tab = await context.newPage();
  await tab.setContent(`<data-grid><button slot="${slot}">Send reminders</button></data-grid>
    <script>
      document.querySelector("data-grid").attachShadow({ mode: "open" }).innerHTML =
        '<slot name="caption"></slot><slot name="toolbar"></slot><table></table>';
    </script>`);
  await tab
    .getByRole("button", { name: "Send reminders", includeHidden: true })
    .click({ timeout: 500 })
    .catch(() => {});
  await context.tracing.stop({ path });
  await context.close();
  return path;
}

test("an element for a slot that its component has not is told with the slots that there are", async () => {
  const said =
    "The page has a button “Send reminders” for the slot “tools” of <data-grid>, which has only “caption”, “toolbar”; it is not shown";
  const [failure, pass] = [await recorded("tools"), await recorded("toolbar")];
  expect((await causeOfArchive(root, failure)).cause.headline).toBe(said);
  expect((await causeOfArchive(root, failure, [pass])).cause.headline).toBe(said);
});
