import type { Page } from "playwright-core";
import type { PicturedWorld } from "./world.ts";

/** What is shown of the viewer, and how one gets there. */
export interface Screen {
  theme: "light" | "dark";
  /** Where it begins. */
  path: (world: PicturedWorld) => string;
  /** What is done there until it is as it is to be shown. */
  act: (page: Page, world: PicturedWorld) => Promise<void>;
}

const ready = (page: Page) => page.getByRole("img", { name: /^The page/ }).waitFor();
const trace = ({ broken }: PicturedWorld) => `/traces/${broken.id}`;
const rows = (page: Page) => page.getByRole("row").nth(2).waitFor();

const suite = (page: Page) => page.getByText("Why it failed").waitFor();

/** Makes a link for everyone, in its dialog. */
async function share(page: Page): Promise<void> {
  await ready(page);
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this trace" });
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel(/Anyone with the link/).check();
  await dialog.getByRole("button", { name: /^(Create link|Renew)/ }).click();
  await dialog.getByText(/^Nobody has opened it|^Opened/).waitFor();
}

/** The pictures of PAGES.md that are one screen, in its order. */
export const PICTURES: readonly (Screen & { name: string })[] = [
  {
    name: "list-dark",
    theme: "dark",
    path: () => "/traces",
    async act(page) {
      await rows(page);
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await page.getByRole("button", { name: "Compare", exact: true }).waitFor();
    },
  },
  { name: "trace", theme: "light", path: trace, act: ready },
  {
    name: "trace-dark",
    theme: "dark",
    path: (world) => `${trace(world)}?tab=network`,
    async act(page) {
      await ready(page);
      await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
      await page.getByRole("button", { name: "Response" }).click();
      await page.getByText("ledger unavailable").last().waitFor();
    },
  },
  {
    name: "inspect",
    theme: "light",
    path: (world) => `${trace(world)}?tab=inspect&view=page`,
    async act(page) {
      await page.locator(".try-count").getByText("1 match").waitFor();
      await page.getByRole("button", { name: "Accessibility tree" }).click();
      await page.getByText("Pay now").last().waitFor();
    },
  },
  {
    name: "world",
    theme: "dark",
    path: ({ traces }) => `/traces/${traces.get("subscription-renews")?.id}?tab=world`,
    async act(page) {
      await ready(page);
      await page.getByRole("heading", { name: "Changes" }).waitFor();
    },
  },
  {
    name: "find",
    theme: "light",
    path: (world) => `${trace(world)}?find=checkout`,
    async act(page) {
      await ready(page);
      await page
        .getByRole("option", { name: /POST .*checkout/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Payload" }).waitFor();
    },
  },
  {
    name: "palette",
    theme: "dark",
    path: trace,
    async act(page) {
      await ready(page);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command" }).fill("go");
      await page.getByRole("dialog").getByRole("option").first().waitFor();
    },
  },
  {
    name: "keys",
    theme: "dark",
    path: trace,
    async act(page) {
      await ready(page);
      // The keys of what comes after the first screen are in the sheet as well.
      await page.waitForLoadState("networkidle");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    },
  },
  {
    name: "compare",
    theme: "light",
    path: ({ passed, broken }) => `/compare?a=${passed.id}&b=${broken.id}`,
    async act(page) {
      await page.getByText("First divergence").waitFor();
      await page.getByText("heading level 1").first().click();
      await page.getByText("Order confirmed").first().waitFor();
    },
  },
  { name: "failures", theme: "light", path: () => "/failures", act: rows },
  { name: "test-run", theme: "light", path: ({ nightly }) => `/test-runs/${nightly}`, act: suite },
  { name: "test-runs", theme: "dark", path: () => "/test-runs", act: rows },
  { name: "runs", theme: "dark", path: () => "/runs", act: rows },
  { name: "scenarios", theme: "light", path: () => "/scenarios", act: rows },
  { name: "scenario", theme: "light", path: () => "/scenarios/guest-buys-a-kettle", act: rows },
  {
    name: "storage",
    theme: "dark",
    path: () => "/storage",
    async act(page) {
      await page.getByRole("table", { name: "Largest traces" }).waitFor();
    },
  },
  { name: "share", theme: "light", path: trace, act: share },
  {
    name: "embed",
    theme: "light",
    path: trace,
    async act(page, { viewer, broken }) {
      await share(page);
      await page.goto(`${viewer.base}/r/${broken.shortId}/embed`);
      await ready(page);
    },
  },
];

/** The screens of its picture of a phone. */
export const PHONE_SCREENS: readonly Screen[] = [
  { theme: "dark", path: () => "/traces", act: rows },
  { theme: "dark", path: trace, act: ready },
  {
    theme: "dark",
    path: (world) => `${trace(world)}?tab=network`,
    act: (page) => page.getByRole("button", { name: /^\/api\/checkout/ }).waitFor(),
  },
];
