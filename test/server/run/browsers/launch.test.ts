import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { runProgram, scratchFolder } from "../../../helpers/program.ts";

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
});

describe("a browser that was named and is not there", () => {
  test("is told by its path, and no other is taken for it", async () => {
    const named = launchBrowser({ executable: "/nonexistent/chrome" });
    await expect(named).rejects.toThrow("The setting browser.executable names /nonexistent/chrome");
  });

  test("is told by a run and by doctor, whichever way it was named", async () => {
    const folder = scratchFolder();
    await Bun.write(
      folder.at("a.scenario.md"),
      '---\nslug: a\ntitle: A\n---\n1. go to "http://localhost:1/"\n',
    );
    const data = folder.at("data");
    const env = { TRACEDECK_BROWSER: "/nonexistent" };
    const { stdout, stderr } = await runProgram(
      ["run", folder.at("a.scenario.md"), "--data", data, "--json"],
      { env },
    );
    expect(stdout + stderr).toContain("TRACEDECK_BROWSER names /nonexistent, and there is no such file.");
    const settings = { browser: { executable: folder.at("missing") } };
    await Bun.write(folder.at("data", "settings.json"), JSON.stringify(settings));
    const doctor = await runProgram(["doctor", "--data", data]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`The setting browser.executable names ${folder.at("missing")}`);
    folder.remove();
  });
});
