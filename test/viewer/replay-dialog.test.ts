import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { updateTrace } from "../../store/records/traces.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { replayLab } from "../helpers/replays.ts";
import { eventually } from "../helpers/until.ts";
import { type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let shop: Shop;
beforeAll(async () => {
  viewer = await viewerApp();
  shop = startShop();
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  await shop.stop();
});

test("a trace is replayed from the step at hand, edited, and its result stands beside it", async () => {
  const lab = replayLab(viewer.app);
  const scenario = await lab.scenario("beans", ['go to "/"', 'expect text "Cart (0)"', 'expect text "Add"']);
  const trace = await lab.record(scenario, shop.url);
  const { page } = await viewer.open(`/traces/${trace}?step=s2`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByText("Replay from a step…").click();
  const dialog = page.getByRole("dialog", { name: "Replay this trace" });
  const button = dialog.getByRole("button", { name: "Replay from step 2" });
  await button.waitFor();
  await dialog.getByText("Edit the scenario for this replay").click();
  const text = dialog.getByRole("textbox");
  const written = await text.inputValue();
  await text.fill(written.replace('expect text "Add"', "expect nothing"));
  await button.click();
  await dialog.getByRole("alert").getByText("does not compile").waitFor();
  await text.fill(written.replace('"Add"', '"Add to cart"'));
  await dialog.getByText('+ 3. expect text "Add to cart"').waitFor();
  await button.click();
  await dialog.getByText("Waiting").waitFor();
  await viewer.app.runJobs();
  await dialog.getByRole("list").getByText("Passed").waitFor();
  expect(await findings(page)).toEqual([]);
  // Its trace may have its verdict later than the replay its end.
  const { items } = (await lab.json(`/v1/traces/${trace}/replays`)) as {
    items: { replay_trace_id: string }[];
  };
  const setStatus = (status: "queued" | "passed") =>
    updateTrace(viewer.app.store.records, items[0]!.replay_trace_id, { status });
  await setStatus("queued");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByText("Replay from a step…").click();
  await dialog.getByRole("list").getByText("Queued").waitFor();
  await setStatus("passed");
  await dialog.getByRole("list").getByText("Passed").waitFor();
  await dialog.getByRole("link", { name: "Compare" }).click();
  await page.waitForURL(/\/compare\?a=/);
  await eventually(() => expect(new URL(page.url()).searchParams.get("a")).toBe(trace));
});

test("a replay that is begun while the others are looked at stays in the list, and is followed", async () => {
  const lab = replayLab(viewer.app);
  const scenario = await lab.scenario("kettles", ['go to "/"', 'expect text "Cart (0)"']);
  const trace = await lab.record(scenario, shop.url);
  const { page, context } = await viewer.open(`/traces/${trace}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByText("Replay from a step…").click();
  const dialog = page.getByRole("dialog", { name: "Replay this trace" });
  const replays = dialog.getByRole("list").getByRole("listitem");
  const begin = dialog.getByRole("button", { name: /^Replay from step/ });
  await begin.click();
  await replays.getByText("Waiting").waitFor();
  // The next look is answered with the first replay's end, and its answer is long on its way.
  const [answered, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    `**/v1/traces/${trace}/replays`,
    async (route) => {
      await viewer.app.runJobs();
      const response = await route.fetch();
      answered.resolve();
      await held.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await answered.promise;
  await begin.click();
  await replays.nth(1).waitFor();
  held.resolve();
  await replays.filter({ hasText: "Passed" }).first().waitFor();
  await viewer.app.runJobs();
  await replays.filter({ hasText: "Passed" }).nth(1).waitFor();
  await context.close();
});
