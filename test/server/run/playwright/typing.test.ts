import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { playwrightProject } from "../../../helpers/playwright-project.ts";
import { type ViewerApp, viewerApp } from "../../../helpers/viewer.ts";

setDefaultTimeout(120_000);

const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };

/** Names that say nothing of secrets, and a page that tells what was typed in all the ways that pages have. */
const FIELDS = `<!doctype html><title>Fields</title>
<label>Kennwort <input type="password" id="a"></label>
<label>Losung <input autocomplete="one-time-code" id="b"></label>
<label>Zahl <input autocomplete="section-one cc-csc" id="c"></label>
<label>Nochmal <input type="password" id="d"></label>
<label>Sperre <input type="password" id="closed" disabled></label>
<label>Name <input id="e"></label><label>Stadt <input id="f"></label>
<iframe src="/card"></iframe><button>Send</button><output></output>
<script>
const field = (id) => document.getElementById(id).value;
addEventListener("input", ({ target }) => {
  console.log("typed " + target.value);
  console.log("field " + target.id + " shows " + getComputedStyle(target).webkitTextSecurity);
  if (target.value.length > 6) fetch("/take/" + encodeURIComponent(target.value), { method: "POST", body: JSON.stringify({ is: target.value }) });
});
document.querySelector("button").addEventListener("click", () => {
  document.querySelector("output").textContent = "Sent: " + ["a", "b", "c", "d", "e"].map(field).join(", ");
});
</script>`;
const CARD = `<label>Nummer <input autocomplete="cc-number" id="n"></label>
<script>addEventListener("input", ({ target }) => console.log("card " + target.value));</script>`;

const SPEC = (site: string) => `import { expect } from "@playwright/test";
import { test } from "./base";
test("types", async ({ page }) => {
  await page.goto("${site}/");
  await page.getByLabel("Kennwort").fill("gute nacht");
  await page.getByLabel("Name").fill("Ada L.");
  await page.getByLabel("Losung").pressSequentially("9f8e7d");
  await page.getByLabel("Stadt").pressSequentially("Leiden");
  await page.fill("#c", "737");
  await page.getByLabel("Nochmal").click();
  await page.keyboard.type("abend-rot");
  for (const key of "q5x!") await page.keyboard.press(key);
  await page.frameLocator("iframe").getByLabel("Nummer").fill("4000 0012 3456 7899");
  await page.getByLabel("Sperre").fill("admin", { timeout: 200 }).catch(() => {});
  await page.getByRole("button").click();
  await expect(page.locator("output")).toContainText("Ada L.");
  await expect.soft(page.locator("#d")).toHaveValue("something else", { timeout: 100 });
});
test("types into a page that it wrote itself", async ({ page }) => {
  await page.setContent('<label>Kennwort <input type="password" oninput="console.log(value)"></label>');
  await page.getByLabel("Kennwort").fill("morgen rot");
});
`;
const BASE = `import { test as base } from "@playwright/test";
import { withTracedeck } from "./tracedeck-fixture.cjs";
export const test = withTracedeck(base);
`;

let viewer: ViewerApp;
let site: Bun.Server<undefined>;
/** By the test's title. */
const recorded = new Map<string, { events: TraceEvent[]; dom: string; redactions: number }>();

beforeAll(async () => {
  viewer = await viewerApp({ settings: { rate_limits: UNLIMITED } });
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === "POST") return new Response(`You sent ${await request.text()}`);
      return new Response(pathname === "/card" ? CARD : FIELDS, {
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    },
  });
  const made = await playwrightProject({ use: { trace: "off" } });
  try {
    made.write("base.ts", BASE);
    made.write("types.spec.ts", SPEC(site.url.origin));
    const { output } = await made.run([], { TRACEDECK_URL: viewer.base, TRACEDECK_KEY: viewer.app.apiKey });
    expect(output).toContain("1 passed");
  } finally {
    made.remove();
  }
  await viewer.app.runJobs();
  const json = async <T>(path: string) => (await (await viewer.app.api(path)).json()) as T;
  const { items } = await json<{ items: { id: string; scenario_title: string }[] }>("/v1/traces");
  for (const { id, scenario_title } of items) {
    const { events } = await json<{ events: TraceEvent[] }>(`/v1/traces/${id}/events?limit=1000`);
    const { signed_urls } = await json<{ signed_urls: { rrweb: string } }>(`/v1/traces/${id}`);
    const { redaction_count } = await json<{ redaction_count: number }>(`/v1/traces/${id}/summary`);
    const { pathname, search } = new URL(signed_urls.rrweb);
    const rrweb = await (await viewer.app.api(pathname + search)).bytes();
    const dom = new TextDecoder().decode(await Bun.zstdDecompress(rrweb));
    recorded.set(scenario_title, { events, dom, redactions: redaction_count });
  }
});
afterAll(async () => {
  await site.stop(true);
  await viewer.close();
});

const titles = (events: TraceEvent[]) =>
  events.filter(({ kind }) => kind === "agent.action").map(({ title }) => String(title));

describe("what a test types where nobody is to read it", () => {
  test("stands in nothing that is recorded, however the field is called and however it is typed", () => {
    const { events, dom, redactions } = recorded.get("types")!;
    const all = JSON.stringify(events);
    for (const value of [
      "gute nacht",
      "gute%20nacht",
      "9f8e7d",
      "abend-rot",
      "4000 0012 3456 7899",
      '"737"',
    ]) {
      expect(all).not.toContain(value);
      expect(dom).not.toContain(value);
    }
    // A word that pages are made of is masked where it was typed.
    expect(all).not.toContain('\\"admin\\"');
    expect(titles(events)).toEqual([
      "Create page",
      expect.stringContaining("Navigate"),
      "Fill \"[redacted]\" getByLabel('Kennwort')",
      "Fill \"Ada L.\" getByLabel('Name')",
      "Type \"[redacted]\" getByLabel('Losung')",
      "Type \"Leiden\" getByLabel('Stadt')",
      "Fill \"[redacted]\" locator('#c')",
      "Click getByLabel('Nochmal')",
      'Type "[redacted]"',
      ...Array(4).fill('Press "[redacted]"'),
      expect.stringMatching(/^Fill "\[redacted\]" .*getByLabel\('Nummer'\)$/),
      "Fill \"[redacted]\" getByLabel('Sperre')",
      "Click getByRole('button')",
    ]);
    expect(redactions).toBeGreaterThan(10);
  });

  test("is all that is missing: other fields and what the page does stand there", () => {
    const { events, dom } = recorded.get("types")!;
    const said = events.filter(({ kind }) => kind.startsWith("console.")).map(({ text }) => text);
    expect(said).toContain("typed [redacted]");
    expect(said).toContain("card [redacted]");
    expect(said).toContain("typed Ada L.");
    expect(said).toContain("typed Leiden");
    // In its pictures.
    for (const id of ["a", "b", "c", "d"]) expect(said).toContain(`field ${id} shows disc`);
    for (const id of ["e", "f"]) expect(said).toContain(`field ${id} shows none`);
    expect(dom).toContain("Ada L.");
    const sent = events.find(({ kind, method }) => kind === "network.request" && method === "POST");
    expect(sent).toMatchObject({ url: `${site.url.origin}/take/[redacted]`, body: '{"is":"[redacted]"}' });
    const fill = events.find(({ title }) => title === "Fill \"[redacted]\" getByLabel('Kennwort')");
    expect(fill).toMatchObject({ params: { value: "[redacted]" } });
    const plain = events.find(({ title }) => title === "Fill \"Ada L.\" getByLabel('Name')");
    expect(plain).toMatchObject({ params: { value: "Ada L." } });
  });

  test("is found in documents that the test writes over others, too", () => {
    const { events } = recorded.get("types into a page that it wrote itself")!;
    expect(JSON.stringify(events)).not.toContain("morgen rot");
    expect(titles(events)).toContain("Fill \"[redacted]\" getByLabel('Kennwort')");
    expect(events.find(({ kind }) => kind === "console.log")).toMatchObject({ text: "[redacted]" });
  });
});
