import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { fuzzyMatch } from "../../viewer/ui/palette-match.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  failing = await viewer.ingest("v10-runner-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const paletteOf = (page: Page) => page.getByRole("dialog", { name: "Commands" });
const chosenOf = (page: Page) => paletteOf(page).getByRole("option", { selected: true });

async function runCommand(page: Page, typed: string, label: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await paletteOf(page).waitFor();
  await page.keyboard.type(typed);
  await chosenOf(page).filter({ hasText: label }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".palette").waitFor({ state: "detached" });
}

test("its script is not loaded before it is opened", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.waitForLoadState("networkidle");
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(request.resourceType()));
  await page.keyboard.press("Control+k");
  await paletteOf(page).waitFor();
  await eventually(() => expect(scripts).toContain("script"));
  await context.close();
});

test("what is typed before it is there is typed into it, and Escape takes the wish back", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  const selected = page.getByRole("treeitem", { selected: true });
  await selected.waitFor();
  await page.waitForLoadState("networkidle");
  const before = await selected.innerText();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("jkx");
  await page.keyboard.press("Backspace");
  await eventually(async () => expect(await selected.innerText()).toBe(before));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("net");
  release();
  await paletteOf(page).waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>(".palette input")?.value === "net",
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("a few letters find a command of the page, and Enter does it", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await runCommand(page, "console", "Console");
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Console"),
  );
  await page.keyboard.press("k");
  await runCommand(page, "go fail", "Go to the failure");
  await eventually(async () =>
    expect(await page.getByRole("treeitem", { selected: true }).innerText()).toContain('Expect "toHaveText"'),
  );
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Error"),
  );
  await runCommand(page, "theme dark", "Theme: dark");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await runCommand(page, "share", "Share…");
  await page.getByRole("dialog", { name: "Share this trace" }).getByRole("button", { name: "Close" }).click();
  await runCommand(page, "filter steps", "Filter the steps");
  // The palette closes first, and its closing gives the focus back.
  await page.waitForFunction(() => document.activeElement?.id === "step-filter");
  const download = page.waitForEvent("download");
  await runCommand(page, "report", "Report (Markdown)");
  expect((await download).suggestedFilename()).toEndWith(".md");
  await runCommand(page, "all traces", "All traces");
  await page.waitForURL(/\/traces$/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("it keeps the focus, goes round with the arrows, and gives the focus back", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  const share = page.getByRole("button", { name: "Share" });
  // The screen that comes with the page takes no focus until the viewer is there.
  await eventually(async () => {
    await share.focus();
    expect(await share.evaluate((button) => button === document.activeElement)).toBe(true);
  });
  await page.keyboard.press("Control+k");
  const field = paletteOf(page).getByRole("combobox");
  await field.waitFor();
  const first = await chosenOf(page).innerText();
  await page.keyboard.press("ArrowUp");
  await eventually(async () => expect(await chosenOf(page).innerText()).not.toBe(first));
  await eventually(async () =>
    expect(await field.getAttribute("aria-activedescendant")).toBe(await chosenOf(page).getAttribute("id")),
  );
  await page.keyboard.press("ArrowDown");
  await eventually(async () => expect(await chosenOf(page).innerText()).toBe(first));
  for (let press = 0; press < 3; press++) await page.keyboard.press("Tab");
  await eventually(async () =>
    expect(
      await page.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
      ),
    ).toBe(true),
  );
  await field.focus();
  await page.keyboard.type("qqqq");
  await paletteOf(page).getByText("Nothing fits.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".palette").waitFor({ state: "detached" });
  await eventually(async () =>
    expect(await share.evaluate((button) => button === document.activeElement)).toBe(true),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("on the list it finds traces too", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByRole("row").nth(1).waitFor();
  await page.keyboard.press("Control+k");
  await paletteOf(page).waitFor();
  await page.keyboard.type("ledger");
  await chosenOf(page).filter({ hasText: "runner-failing" }).waitFor();
  await picture(page, "palette-list");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(failing.id));
  expect(complaints).toEqual([]);
  await context.close();
});

test("a public page offers only what its reader may do", async () => {
  await viewer.app.api(`/v1/traces/${failing.id}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ visibility: "public-read", expires_days: 7 }),
  });
  const { page, context, complaints } = await viewer.open(`/r/${failing.shortId}`, { isSignedIn: false });
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.keyboard.press("Control+k");
  await paletteOf(page).waitFor();
  await eventually(async () => {
    const offered = await paletteOf(page).getByRole("listbox").innerText();
    expect(offered).toContain("Go to the failure");
    expect(offered).toContain("Report (Markdown)");
    expect(offered).not.toMatch(/Share…|Remove…|All traces|Export/);
  });
  expect(complaints).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing in it, ${theme}; the help sheet has the keys`, async () => {
    const { page, context } = await viewer.open(`/traces/${failing.id}`, { theme });
    await page.getByRole("treeitem", { selected: true }).waitFor();
    await page.keyboard.press("Control+k");
    await paletteOf(page).waitFor();
    await picture(page, `palette-${theme}`);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.type("fail");
    await picture(page, `palette-typed-${theme}`);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator(".palette").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    await help.waitFor();
    const keys = await help.innerText();
    for (const label of [
      "Commands",
      "Ctrl K",
      "Find in this trace",
      "Ctrl F",
      "Next hit",
      "Go to the failure",
    ])
      expect(keys).toContain(label);
    expect(keys).not.toContain("Report (Markdown)");
    // What the page does goes before what works everywhere.
    expect(await help.getByRole("heading", { level: 3 }).last().innerText()).toBe("Everywhere");
    await picture(page, `help-${theme}`);
    await context.close();
  });
}

test("on a phone the menu opens it", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`, {
    size: PHONE,
    isPhone: true,
  });
  await page.getByRole("button", { name: "More actions" }).tap();
  await page.getByRole("menuitem", { name: "All commands…" }).tap();
  await paletteOf(page).waitFor();
  await picture(page, "palette-phone");
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await paletteOf(page)
    .getByRole("option", { name: /^Network/ })
    .tap();
  await page.locator(".palette").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await context.close();
});

describe("letters fit a command", () => {
  const labels = [
    "Go to the failure",
    "Next failure",
    "Filter the steps",
    "Find in this trace",
    "Previous hit",
  ];
  const best = (typed: string) =>
    labels
      .map((label) => ({ label, match: fuzzyMatch(typed, label) }))
      .filter(({ match }) => match !== null)
      .sort((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0))[0]?.label;

  test("best where words begin and where they stand together", () => {
    expect(["nf", "gtf", "find", "FILT", "fail next", "hit"].map(best)).toEqual([
      "Next failure",
      "Go to the failure",
      "Find in this trace",
      "Filter the steps",
      undefined,
      "Previous hit",
    ]);
  });

  test("whenever they occur in their order, and at those positions", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abc -") }), fc.array(fc.nat()), (label, picks) => {
        const positions = [...new Set(picks.map((pick) => pick % Math.max(1, label.length)))].sort(
          (a, b) => a - b,
        );
        const typed = positions.map((at) => label[at] ?? "").join("");
        const found = fuzzyMatch(typed, label);
        const letters = typed.replace(/\s+/g, "");
        if (letters === "") return;
        expect(found).not.toBeNull();
        expect(found?.positions.map((at) => label[at]).join("")).toBe(letters);
      }),
    );
  });
});
