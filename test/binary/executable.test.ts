import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { findBrowser } from "../../server/platform/browser.ts";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

const ARCHIVE = join(import.meta.dir, "..", "..", "fixtures", "playwright", "v10-failing", "trace.zip");

describe("the executable", () => {
  const scratch = scratchFolder();
  const data = scratch.at("data");
  let command: string[];
  let server: RunningServer;
  let browser: Browser;

  beforeAll(async () => {
    command = [await executable()];
    server = await startProgram(data, { command, cwd: scratch.path });
    browser = await chromium.launch({ executablePath: findBrowser()!, args: ["--no-sandbox"] });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    scratch.remove();
  });

  test("is alone: it needs no file but itself and its data folder", async () => {
    expect(readdirSync(scratch.path)).toEqual(["data"]);
    expect((await fetch(`${server.url}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  test("shows a trace that was dropped on its page, and keeps it over kill -9", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(server.signinUrl);
    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload" }).click();
    await (await chosen).setFiles(ARCHIVE);
    await page.getByRole("combobox", { name: "Scenario of trace.zip" }).press("Enter");
    await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
    expect(errors).toEqual([]);
    await page.close();

    await server.stop("SIGKILL");
    server = await startProgram(data, { command, cwd: scratch.path });
    await settled(server);
    expect((await list(server)).items.map((item) => item.status)).toEqual(["failed"]);
  }, 120_000);

  test("draws the first screen of a trace into its page, and the viewer takes over", async () => {
    const { items } = await list(server);
    const page = await browser.newPage({ extraHTTPHeaders: { authorization: `Bearer ${server.apiKey}` } });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    const answer = await page.goto(`${server.url}/traces/${items[0]!.id}`);
    expect(await answer!.text()).toMatch(/<div id="app" inert[^>]*><div class="page trace-page">/);
    await page.locator("#app:not([inert])").waitFor();
    await page.getByRole("group", { name: "Failure" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  }, 60_000);

  test("opens the archive in Playwright's own viewer, on an origin without the session", async () => {
    const { items } = await list(server);
    const detail = (await (await server.api(`/v1/traces/${items[0]!.id}`)).json()) as {
      playwright_viewer_url: string;
    };
    const context = await browser.newContext();
    const page = await context.newPage();
    const violations: string[] = [];
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) violations.push(message.text());
    });
    await page.goto(server.url.includes("localhost") ? detail.playwright_viewer_url : "about:blank");
    await page.locator(".action-title").first().waitFor();
    expect(await page.locator(".action-title").count()).toBeGreaterThan(3);
    expect(violations).toEqual([]);
    expect(new URL(page.url()).hostname).not.toBe(new URL(server.url).hostname);
    await context.close();
  }, 120_000);

  test("is not affected by a hostile .env and bunfig.toml where it is started", async () => {
    const folder = scratch.at("hostile");
    mkdirSync(folder);
    const preload = `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "ran"))}, "1");`;
    writeFileSync(join(folder, "evil.ts"), preload);
    writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n');
    writeFileSync(join(folder, ".env"), `TRACEDECK_DATA=${join(folder, "stolen")}\nTRACEDECK_HOST=0.0.0.0\n`);
    writeFileSync(join(folder, "package.json"), '{"preload":["./evil.ts"]}');
    writeFileSync(join(folder, "tsconfig.json"), '{"compilerOptions":{"paths":{"elysia":["./evil.ts"]}}}');
    const home = scratch.at("home");
    const { code, stdout } = await runProgram(["keys", "list"], {
      command,
      cwd: folder,
      env: { HOME: home },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("credentials.json");
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect(existsSync(join(folder, "stolen"))).toBe(false);
    expect(existsSync(join(home, ".local", "share", "tracedeck", "tracedeck.db"))).toBe(true);
  });

  test("stops within 10 s of SIGTERM while a client follows a stream, with exit code 0", async () => {
    const stream = await server.api("/v1/traces/live");
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    const started = performance.now();
    expect(await server.stop("SIGTERM")).toBe(0);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(existsSync(join(data, "server.lock"))).toBe(false);
    server = await startProgram(data, { command, cwd: scratch.path });
  }, 120_000);
});

test("stops within 10 s of SIGTERM while an upload stalls, with exit code 0", async () => {
  const scratch = scratchFolder();
  const server = await startProgram(scratch.at("data"), { command: [await executable()] });
  const begun = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from('--b\r\ncontent-disposition: form-data; name="bundle"; filename="x"\r\n\r\nPK');
    begun.resolve();
    await new Promise(() => {});
  }
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const sending = server
    .api("/v1/traces/ingest", { method: "POST", headers, body: body() as unknown as ReadableStream })
    .catch((error) => error);
  await begun.promise;
  const started = performance.now();
  expect(await server.stop("SIGTERM")).toBe(0);
  expect(performance.now() - started).toBeLessThan(10_000);
  await sending;
  scratch.remove();
}, 120_000);

interface Listed {
  items: { id: string; status: string; scenario_title: string }[];
}

const list = async (server: RunningServer) => (await (await server.api("/v1/traces")).json()) as Listed;
/** Follows the list until no trace waits for post-processing. */
async function settled(server: RunningServer) {
  while ((await list(server)).items.some((item) => item.status === "queued")) await Bun.sleep(50);
}
