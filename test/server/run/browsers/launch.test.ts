import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { implOf } from "../../../../server/run/browsers/internals.ts";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";

let owned: OwnedBrowser;
beforeAll(async () => {
  owned = await launchBrowser({ executable: null });
});
afterAll(() => owned.close());

describe("the browser of a run", () => {
  test("loads nothing but the pages of the run", async () => {
    const context = await owned.browser.newContext();
    const page = await context.newPage();
    await page.goto("data:text/html,<title>Ours</title>");
    const cdp = await owned.browser.newBrowserCDPSession();
    const filter = [{}];
    const { targetInfos } = await cdp.send("Target.getTargets", { filter });
    const pages = targetInfos.filter(({ url }) => url !== "" && url !== "about:blank");
    expect(pages.map(({ url }) => url)).toEqual(expect.arrayContaining([page.url()]));
    expect(pages.filter(({ url }) => url.startsWith("chrome://"))).toEqual([]);
    await context.close();
  });

  test.if(process.platform === "linux")("leaves out all that Playwright leaves out, and more", () => {
    const line = readFileSync(`/proc/${owned.pid}/cmdline`, "utf8").split("\0");
    const disabled = line
      .filter((argument) => argument.startsWith("--disable-features="))
      .map((argument) => argument.slice("--disable-features=".length).split(","));
    expect(disabled.length).toBeGreaterThan(1);
    // The last one counts alone.
    expect(disabled.at(-1)).toEqual(expect.arrayContaining(disabled.flat()));
    expect(disabled.at(-1)).toContain("WebUIOmniboxPopup");
  });

  test("a call whose answer names what has gone meanwhile fails, instead of being waited for for good", async () => {
    const context = await owned.browser.newContext();
    const page = await context.newPage();
    const gone = Promise.withResolvers<void>();
    context.once("close", () => gone.resolve());
    const impl = implOf<{ instrumentation: { addListener(listener: object, context: object): void } }>(
      context,
    );
    const onAfterCall = async ({ metadata }: { metadata: { method: string } }) => {
      if (metadata.method !== "goto") return;
      void context.close();
      await gone.promise;
    };
    impl.instrumentation.addListener({ onAfterCall }, impl);
    const web = Bun.serve({ port: 0, fetch: () => new Response("Hello") });
    await expect(page.goto(web.url.href)).rejects.toThrow("has been closed");
    await web.stop(true);
  });
});
