import { expect, test } from "bun:test";
import { recordedArchives } from "../../helpers/recorded-archives.ts";

const { record, causeOf } = recordedArchives();

/** A grid with a slot for its caption and one for its toolbar, and a button that is for one of them. */
const recorded = (slot: string) =>
  record(async (tab) => {
    await tab.setContent(`<data-grid><button slot="${slot}">Send reminders</button></data-grid>
    <script>
      document.querySelector("data-grid").attachShadow({ mode: "open" }).innerHTML =
        '<slot name="caption"></slot><slot name="toolbar"></slot><table></table>';
    </script>`);
    await tab
      .getByRole("button", { name: "Send reminders", includeHidden: true })
      .click({ timeout: 500 })
      .catch(() => {});
  });

test("an element for a slot that its component has not is told with the slots that there are", async () => {
  const said =
    "The page has a button “Send reminders” for the slot “tools” of <data-grid>, which has only “caption”, “toolbar”; it is not shown";
  const [failure, pass] = [await recorded("tools"), await recorded("toolbar")];
  expect((await causeOf(failure)).cause.headline).toBe(said);
  expect((await causeOf(failure, [pass])).cause.headline).toBe(said);
});
