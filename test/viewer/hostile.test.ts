import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeBrowser } from "../helpers/browser.ts";
import { blob, events, sha256 } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const RUN = "window.__ran=1";
const SCRIPT = `<script>${RUN}</script><img src=x onerror="${RUN}"><svg onload="${RUN}"></svg><iframe srcdoc="<script>parent.__ran=1</script>"></iframe>`;
const BIDI = "\u202egnp.exe\u2066\u0000\u0007\u001b[31m";
const URL_ = `javascript:${RUN}`;
const LONG = `${SCRIPT}${"A".repeat(1_000_000)}`;
const HTML = `<!doctype html><title>x</title>${SCRIPT}`;
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><rect width="9" height="9"/></svg>`;
const START = 1_767_323_045_000;

let viewer: ViewerApp;
let trace: { id: string; shortId: string };

/** Every field that a viewer shows holds something that wants to be more than text. */
function hostileLines(): string {
  const evil = `${BIDI}${SCRIPT}`;
  const headers = [
    { name: evil, value: evil },
    { name: "__proto__", value: LONG.slice(0, 20_000) },
  ];
  const all: Record<string, unknown>[] = [
    {
      kind: "agent.action",
      step_id: evil,
      name: evil,
      title: evil,
      params: { [evil]: evil, selector: LONG, __proto__: evil },
      duration_ms: 5,
      log: [evil, LONG],
      stack: [{ file: URL_, line: 1, column: 1, function: evil }],
      point: { x: "NaN", y: Number.MAX_VALUE },
      page: evil,
    },
    { kind: "agent.thought", step_id: "thought", text: LONG },
    {
      kind: "network.request",
      step_id: evil,
      request_id: evil,
      method: evil,
      url: URL_,
      headers,
      body: HTML,
    },
    {
      kind: "network.response",
      step_id: evil,
      request_id: evil,
      method: evil,
      url: URL_,
      status: 500,
      status_text: evil,
      headers,
      media_type: "text/html",
      body: `sha256:${sha256(HTML)}`,
      duration_ms: -1e300,
      resource_type: evil,
      timing: { [evil]: 1, wait: "soon" },
    },
    {
      kind: "network.response",
      request_id: "picture",
      url: `https://example.invalid/${"%E2%80%AE".repeat(50)}`,
      status: 200,
      headers,
      media_type: "image/svg+xml",
      body: `sha256:${sha256(PICTURE)}`,
      duration_ms: 1,
    },
    { kind: "console.error", text: LONG, location: { url: URL_, line: 1, column: 1 }, stack: evil },
    { kind: "console.log", text: evil, location: evil, stack: { not: "text" } },
    { kind: "screenshot", blob: `sha256:${sha256(PICTURE)}`, width: -5, height: "wide" },
    { kind: "screenshot", blob: URL_, width: 10, height: 10 },
    { kind: "dom.snapshot", url: URL_, html: HTML },
    { kind: evil, [evil]: evil, nested: { [SCRIPT]: [SCRIPT] } },
    { kind: "clone.state", service: evil, key: LONG, before: { [evil]: LONG }, after: SCRIPT },
    { kind: "clone.state", service: { evil }, key: 7, before: LONG, after: null },
    { kind: "clock.advance", by_ms: "soon", to: evil },
    { kind: "error_injection", url: "*".repeat(5000), status: evil },
    { kind: "latency_injection", url: URL_, ms: { evil } },
    {
      kind: "network.websocket_frame",
      request_id: evil,
      direction: evil,
      opcode: evil,
      size: -1,
      text: LONG,
      base64: evil,
    },
    {
      kind: "storage.state",
      cookies: [null, 7, { name: evil, value: LONG, domain: URL_, path: SCRIPT, expires: 1e300 }],
      origins: [{ origin: URL_, local_storage: [{ name: evil, value: LONG }, "no"] }, null],
    },
    {
      kind: "assertion",
      step_id: "last",
      parent_step_id: evil,
      ok: false,
      message: `${evil}\nExpected: ${SCRIPT}\nReceived: ${LONG}`,
      expected: SCRIPT,
      received: LONG,
      error: { message: LONG, stack: evil },
      log: "not a list",
      stack: { not: "a list" },
      attachments: [
        null,
        { name: `${SCRIPT}-expected`, media_type: "image/svg+xml", blob: `sha256:${sha256(PICTURE)}` },
        { name: `${SCRIPT}-actual`, media_type: "image/svg+xml", blob: `sha256:${sha256(PICTURE)}` },
        { name: evil, media_type: evil, blob: URL_, path: LONG },
        { name: "page.html", media_type: "text/html", blob: `sha256:${sha256(HTML)}` },
      ],
      duration_ms: "long",
    },
  ];
  return all.map((event, seq) => `${JSON.stringify({ seq, ts: START + seq * 10, ...event })}\n`).join("");
}

beforeAll(async () => {
  viewer = await viewerApp();
  trace = await uploadTrace(viewer.app, {
    entries: [events(hostileLines()), blob(HTML), blob(PICTURE)],
    manifest: {
      status: "failed",
      scenario: { slug: "checkout", title: `${BIDI.replace("\u0000", "")}${SCRIPT}` },
      code_sha: SCRIPT,
      region: SCRIPT,
      env: { [SCRIPT]: SCRIPT, viewport: SCRIPT, test: SCRIPT },
    },
    fields: { commit_sha: "<b>bold</b>" },
  });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("whatever a trace holds is shown as text: no script of it runs, nothing is refused by the page's policy", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByRole("row").nth(1).waitFor();
  await picture(page, "hostile-list");
  await page.goto(`${viewer.base}/traces/${trace.id}`);
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await picture(page, "hostile-trace");
  for (const key of ["r", "l", "x", "t", "w", "s", "i", "f"]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.getByRole("tabpanel").waitFor();
    for (let step = 0; step < 3; step++) await page.keyboard.press("k");
    for (let step = 0; step < 3; step++) await page.keyboard.press("j");
  }
  const closing = page.getByRole("button", { name: "Close", exact: true });
  // It leads back in the history, which the browser does in its own time: what is opened before then would be closed too.
  const close = async (): Promise<void> => {
    await page.keyboard.press("Escape");
    await closing.waitFor({ state: "detached" });
  };
  await page.keyboard.press("2");
  const requests = page.locator(".net-row .row-link");
  await requests.first().waitFor();
  for (let row = 0; row < (await requests.count()); row++) {
    await requests.nth(row).click();
    for (const part of ["Payload", "Response", "Headers"]) {
      await page.getByRole("button", { name: part, exact: true }).click();
      await page.waitForLoadState("networkidle");
    }
    await close();
  }
  for (const [key, rows] of [
    ["c", ".console-row .row-link"],
    ["x", ".expect-row .row-link"],
    ["w", ".world-row .row-link"],
    ["e", ".event-row .row-link"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.locator(rows).first().waitFor();
    for (let row = 0; row < (await page.locator(rows).count()); row++) {
      await page.locator(rows).nth(row).click();
      await closing.waitFor();
      await close();
    }
  }
  await picture(page, "hostile-events");
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await page.evaluate(() => Reflect.get(window, "__ran"))).toBeUndefined();
  expect(await page.locator("#app iframe, #app script, #app svg[onload], #app img[onerror]").count()).toBe(0);
  const links = await page
    .locator("a[href]")
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol));
  expect(links.every((protocol) => protocol === "http:" || protocol === "https:")).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

test("the shared page of such a trace is as safe", async () => {
  const body = JSON.stringify({ visibility: "public-read", expires_days: 1 });
  const headers = { "content-type": "application/json" };
  await viewer.app.api(`/v1/traces/${trace.id}/share`, { method: "POST", body, headers });
  const { page, context, complaints } = await viewer.open(`/r/${trace.shortId}?tab=console`, {
    isSignedIn: false,
  });
  await page.locator(".console-row").first().waitFor();
  expect(await page.evaluate(() => Reflect.get(window, "__ran"))).toBeUndefined();
  expect(complaints).toEqual([]);
  await context.close();
});
