import { expect, test } from "bun:test";
import type { BrowserContextOptions } from "playwright-core";
import { recordedArchives } from "../../helpers/recorded-archives.ts";

const { record, causeOf } = recordedArchives();

const WIDE = { width: 1280, height: 720 };
const NARROW = { width: 500, height: 800 };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true };

/** What Playwright records of a press on a menu, in a window that is another one by then where `resized` is given. */
const recorded = (
  style: string,
  { resized, ...options }: BrowserContextOptions & { resized?: typeof WIDE } = {},
) =>
  record(
    async (tab) => {
      await tab.setContent(
        `<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style><button id="menu">Menu</button><main>Shop</main>`,
      );
      if (resized) await tab.setViewportSize(resized);
      await tab
        .locator("#menu")
        .click({ timeout: 500 })
        .catch(() => {});
    },
    { context: { viewport: WIDE, ...options } },
  );

const FOLDED = "@media (max-width: 600px) { #menu { display: none } }";
const HIDDEN = "#menu { display: none }";

async function titlesOf(failing: string, ...passes: string[]): Promise<string> {
  const { cause } = await causeOf(failing, passes);
  return cause.suspects.map(({ title }) => title).join("\n");
}

test("a window that the test made narrow is told with the size that the page had, and that of the pass", async () => {
  const pass = await recorded(FOLDED);
  const told = await titlesOf(await recorded(FOLDED, { resized: NARROW }), pass, pass);
  expect(told).toContain("In a window of 500 × 800 pixels (in the last pass 1280 × 720 pixels), ");
});

test("windows that were made the same are no difference, whatever size they began with", async () => {
  const pass = await recorded("", { resized: NARROW });
  const told = await titlesOf(await recorded(HIDDEN, { viewport: NARROW }), pass);
  expect(told).toContain("not visible");
  expect(told).not.toContain("In a window of");
});

test("half of the window is another one", async () => {
  const half = { width: 640, height: 360 };
  const told = await titlesOf(await recorded(HIDDEN, { resized: half }), await recorded(""));
  expect(told).toContain("In a window of 640 × 360 pixels (in the last pass 1280 × 720 pixels), ");
});

test("a phone that shows a page zoomed out, as it is too wide, has the window that it had", async () => {
  const wide = `${HIDDEN} main { width: 600px }`;
  const told = await titlesOf(await recorded(wide, PHONE), await recorded("", PHONE));
  expect(told).toContain("not visible");
  expect(told).not.toContain("In a window of");
});

test("a run alone whose window the test made narrow is told with it, and one that it made wide without", async () => {
  expect(await titlesOf(await recorded(FOLDED, { resized: NARROW }))).toContain(
    "In a window of 500 × 800 pixels, ",
  );
  const told = await titlesOf(await recorded(HIDDEN, { viewport: NARROW, resized: WIDE }));
  expect(told).toContain("not visible");
  expect(told).not.toContain("In a window of");
});
