import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { register, requestOf, tradeCode } from "../helpers/oauth.ts";
import { askAt } from "../helpers/oauth-drivers.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
/** The program that is let in: it listens for its answer on this machine. */
let program: Bun.Server<undefined>;
const answers: URLSearchParams[] = [];

beforeAll(async () => {
  viewer = await viewerApp({ settings: { plan: "enterprise" } });
  program = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      if (url.includes("/callback")) answers.push(new URL(url).searchParams);
      return new Response("<!doctype html><title>Back</title>Back.", {
        headers: { "content-type": "text/html" },
      });
    },
  });
});

afterAll(async () => {
  await closeBrowser();
  await program.stop(true);
  await viewer.close();
});

/** Where a new program of that name sends the browser, and how it trades the code that comes back. */
async function newProgram(name: string) {
  const redirect_uri = `http://127.0.0.1:${program.port}/callback`;
  const ask = askAt(viewer.base);
  const clientId = await register(ask, { client_name: name, redirect_uris: [redirect_uri] });
  return {
    path: `/api/oauth/authorize?${requestOf(clientId, { redirect_uri, resource: viewer.base })}`,
    trade: (code: string) => tradeCode(ask, clientId, code, { redirect_uri }),
  };
}

test("a person allows an agent, sees it among the connected ones, approves it and ends its access", async () => {
  const { path, trade } = await newProgram("Codex");
  const asking = await viewer.open(path);
  await asking.page.getByRole("heading", { name: "Let Codex use Tracedeck in your name?" }).waitFor();
  await picture(asking.page, "consent-light");
  await asking.page.getByRole("button", { name: "Allow" }).click();
  await asking.page.waitForURL(/\/callback/);
  expect(answers.at(-1)!.get("iss")).toBe(viewer.base);
  expect((await trade(answers.at(-1)!.get("code")!)).status).toBe(200);
  expect(asking.complaints).toEqual([]);
  await asking.context.close();

  const { page, context, complaints } = await viewer.open("/settings/agents");
  await page.getByRole("heading", { name: "Codex", exact: true }).waitFor();
  const main = page.getByRole("main");
  for (const word of [`${viewer.base}/mcp`, "claude mcp add", "Let in by you", "mcp:run", "Not used yet"])
    expect(await main.innerText()).toContain(word);
  expect(await findings(page)).toEqual([]);
  await picture(page, "agents-light");
  await page.getByRole("button", { name: "Approve for everybody" }).click();
  await page.getByText("approved", { exact: true }).waitFor();
  await page.getByRole("button", { name: "End access of Codex" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End access" }).click();
  await page.getByText("Nobody has let an agent in yet.", { exact: false }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("on a phone, in the dark, both pages fit, and Deny tells the program", async () => {
  const { path } = await newProgram("An agent with a name that is longer than anybody would have thought");
  const { page, context, complaints } = await viewer.open(path, {
    theme: "dark",
    size: PHONE,
    isPhone: true,
  });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await findings(page)).toEqual([]);
  await picture(page, "consent-phone-dark");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL(/\/callback/);
  await eventually(() => expect(answers.at(-1)!.get("error")).toBe("access_denied"));
  await page.goto(`${viewer.base}/settings/agents`);
  await page.getByRole("heading", { name: "Connected agents" }).waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await picture(page, "agents-phone-dark");
  expect(complaints).toEqual([]);
  await context.close();
});
