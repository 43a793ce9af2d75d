import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { findings } from "../../helpers/axe.ts";
import { openPage } from "../../helpers/browser.ts";
import { recordedPages, snapshotLine } from "../../helpers/recorded-pages.ts";
import { eventually, until } from "../../helpers/until.ts";
import { picture } from "../../helpers/viewer.ts";

setDefaultTimeout(120_000);

const pages = recordedPages();
const FIELD = "Locator, CSS selector or XPath to try on the page";
const SHOWN = 'iframe.page-frame:not(.is-waiting)[sandbox="allow-scripts"]';

/** The shop's checkout: the card's number is asked for in a frame. */
async function checkout() {
  const { id } = await pages.viewer().ingest("v10-failing");
  const watched = await pages.viewer().open(`/traces/${id}?tab=inspect`);
  await watched.page.getByRole("treeitem", { name: /Click.*Pay now/ }).click();
  const number = watched.page
    .locator(SHOWN)
    .contentFrame()
    .locator("iframe")
    .contentFrame()
    .getByLabel("Card number");
  // The frame is another one once the step is chosen: who waits within the first is told that it was closed.
  await eventually(() => number.waitFor({ timeout: 5000 }));
  return watched;
}

/** Where on the screen the field in the frame is: the viewer shrinks the page. */
async function spotOf(page: Page): Promise<[number, number]> {
  const shown = page.locator(SHOWN);
  const inner = shown.contentFrame().locator("iframe");
  const corner = (element: Element) => {
    const { x, y, width } = element.getBoundingClientRect();
    return { x, y, scale: width / (element as HTMLElement).offsetWidth };
  };
  const [outer, frame, field] = await Promise.all([
    shown.evaluate(corner),
    inner.evaluate(corner),
    inner.contentFrame().getByLabel("Card number").evaluate(corner),
  ]);
  return [outer.x + (frame.x + field.x + 8) * outer.scale, outer.y + (frame.y + field.y + 8) * outer.scale];
}

const tryOut = (page: Page, code: string) => page.getByLabel(FIELD).fill(code);

test("a locator leads into a frame, and where it should have, that is what stands closest", async () => {
  const { page, context, complaints } = await checkout();
  await tryOut(page, "frameLocator('iframe').getByLabel('Card number')");
  await page.getByText("1 match", { exact: true }).first().waitFor();
  const steps = page.getByRole("list", { name: "What each call left" }).getByRole("listitem");
  await eventually(async () =>
    expect(await steps.allTextContents()).toEqual([
      "locator('iframe') 1",
      "contentFrame() 1",
      "getByLabel('Card number') 1",
    ]),
  );
  const field = page.locator(SHOWN).contentFrame().locator("iframe").contentFrame();
  await field.locator("[data-tracedeck-inspector]:popover-open").waitFor({ state: "attached" });
  await picture(page, "inspect-frame-tried");
  await tryOut(page, "getByLabel('Card number')");
  await page.getByText("0 matches").waitFor();
  const near = page.getByRole("region", { name: "What comes closest" }).getByRole("button");
  await eventually(async () =>
    expect(await near.first().textContent()).toContain(".contentFrame().getByLabel('Card number')"),
  );
  await near.first().click();
  await page.getByText("1 match", { exact: true }).first().waitFor();
  await tryOut(page, "locator('button').contentFrame().getByText('x')");
  await page
    .getByRole("alert")
    .getByText(/finds a <button>, which is no frame|only one frame can be/)
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("an element in a frame is picked by pointer and by keyboard, and its locators lead there", async () => {
  const { page, context, complaints } = await checkout();
  await page.getByRole("button", { name: "Pick" }).click();
  const bar = page.getByRole("group", { name: "Picking an element" });
  await bar.getByText("Point at an element").waitFor();
  const [x, y] = await spotOf(page);
  // The page hears of the pick in its own time.
  await until("the pick is at what is pointed at", async () => {
    await page.mouse.move(x - 1, y);
    await page.mouse.move(x, y);
    return bar.getByText("“Card number”").isVisible();
  });
  await picture(page, "inspect-frame-pick");
  // Out of the frame, to its element in the page around, and back in.
  for (let around = 0; !/^iframe/.test((await bar.getByRole("status").textContent()) ?? ""); around++) {
    if (around > 10) throw new Error("The pick does not come out of the frame.");
    const before = await bar.getByRole("status").textContent();
    await page.keyboard.press("ArrowUp");
    await bar.getByRole("status").filter({ hasNotText: before! }).waitFor();
  }
  await page.keyboard.press("ArrowDown");
  await bar.getByRole("status").filter({ hasText: /^body/ }).waitFor();
  await page.mouse.click(x, y);
  const lines = page.locator(".suggestions > li");
  await lines.getByText("getByLabel('Card number')").waitFor();
  const codes = await lines.locator(".line-button code").allTextContents();
  const shown = page
    .frames()
    .find((frame) => frame.parentFrame() === page.mainFrame() && frame.url().includes("/i/"))!;
  expect(codes.length).toBeGreaterThan(3);
  expect(codes.at(-1)).toMatch(/\.contentFrame\(\)\.locator\('xpath=\//);
  for (const code of codes) {
    const found: number = await new Function("page", `return page.${code}`)(shown).count();
    expect([code, found]).toEqual([code, 1]);
  }
  const path = page.getByRole("navigation", { name: "Elements around it" });
  await eventually(async () => expect(await path.textContent()).toContain("body"));
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("the accessibility tree goes on within frames, and leads to what lies there", async () => {
  const { page, context, complaints } = await checkout();
  await page.getByRole("button", { name: "Accessibility tree" }).click();
  const tree = page.getByRole("tree", { name: "Accessibility tree" });
  const field = tree.getByRole("treeitem").filter({ hasText: "Card number" }).filter({ hasText: "textbox" });
  await field.waitFor();
  const frame = tree.getByRole("treeitem").filter({ hasText: "iframe" });
  const level = async (line: typeof field) => Number(await line.getAttribute("aria-level"));
  expect(await level(field)).toBeGreaterThan(await level(frame));
  await field.dblclick();
  await page
    .locator(".suggestions")
    .getByText(".contentFrame().getByRole('textbox', { name: 'Card number' })")
    .waitFor();
  await picture(page, "inspect-frame-element");
  expect(complaints).toEqual([]);
  await context.close();
});

const RUN = "window.owned=1;top.postMessage('owned','*')";
const inFrame = (number: number, body: unknown[], more: Record<string, unknown> = {}) =>
  snapshotLine(["HTML", {}, ["BODY", { onload: RUN }, ["SCRIPT", {}, RUN], ...body]], {
    ...(number > 1 ? { frameId: `frame@${number}`, isMainFrame: false } : {}),
    ...more,
  });
const frame = (number: number, id: string) => ["IFRAME", { id, src: `/snapshot/frame@${number}` }];

test("frames in frames are searched, whatever stands in them runs nothing, and strangers get no answer", async () => {
  const id = await pages.ingestMade([
    inFrame(1, [frame(2, "outer"), frame(9, "absent"), ["DIV", {}, "Main"]]),
    inFrame(2, [frame(3, "inner"), ["BUTTON", {}, "Middle"]]),
    inFrame(3, [["BUTTON", {}, "Deep"], ["BUTTON", {}, "Deeper"], frame(3, "itself")]),
  ]);
  const shown = await pages.show(`/v1/traces/${id}/snapshots/after@call@1`);
  const url = (shown as unknown as { inspect_url: string }).inspect_url;
  const { page, context } = await openPage();
  const own = `${new URL(url).origin}/own`;
  const body = `<!DOCTYPE html><title>own</title><iframe sandbox="allow-scripts" src="${url}"></iframe>`;
  await page.route(own, (route) => route.fulfill({ contentType: "text/html", body }));
  const asHtml = { headers: { "content-type": "text/html" } };
  using stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body, asHtml) });
  await page.goto(own);
  const heard = await page.evaluate(async () => {
    const said: unknown[] = [];
    addEventListener("message", ({ data }) => said.push(data));
    const { port1, port2 } = new MessageChannel();
    frames[0]!.postMessage("tracedeck-inspect-1", "*", [port2]);
    const ask = (name: string, ...args: unknown[]) =>
      new Promise<Record<string, unknown>>((resolve) => {
        port1.onmessage = ({ data }) => resolve(data);
        port1.postMessage({ call: 1, name, args });
      });
    const deep = "frameLocator('#outer').frameLocator('#inner').getByRole('button')";
    const tried = (await ask("try", deep, "data-testid")).answer as { matches: { id: string }[] };
    return {
      tried,
      start: (await ask("start")).answer,
      detail: (await ask("detail", tried.matches[1]!.id, "data-testid")).answer,
      wide: (await ask("try", "getByText('Deeper')", "data-testid")).answer,
      many: await ask("try", "locator('iframe').contentFrame().getByText('x')", "data-testid"),
      absent: await ask("try", "frameLocator('#absent').getByText('x')", "data-testid"),
      said,
    };
  });
  expect(heard.tried).toMatchObject({ total: 2, matches: [{ name: "Deep" }, { name: "Deeper" }] });
  expect(heard.start).toMatchObject({ silentFrames: expect.any(Number) });
  expect(heard.detail).toMatchObject({
    name: "Deeper",
    suggestions: expect.arrayContaining([
      {
        code: "locator('#outer').contentFrame().locator('#inner').contentFrame().getByRole('button', { name: 'Deeper' })",
        target: 'button "Deeper"',
        count: 1,
      },
    ]),
  });
  expect(heard.wide).toMatchObject({
    total: 0,
    near: expect.arrayContaining([
      expect.objectContaining({
        code: "locator('#outer').contentFrame().locator('#inner').contentFrame().getByText('Deeper')",
      }),
    ]),
  });
  expect(heard.many.refusal).toContain("only one frame can be entered");
  expect(heard.absent.refusal).toContain("Nothing was recorded");
  expect(heard.said).toEqual([]);
  for (const one of page.frames().filter((inner) => inner.url().includes("/i/")))
    await eventually(async () =>
      expect(await one.evaluate(() => [window.origin, "owned" in window])).toEqual(["null", false]),
    );
  // A page without an origin, framed by a stranger, is no viewer: the innermost pages know who is outermost.
  await page.goto(stranger.url.href);
  const inner = page.frames().find((one) => one.parentFrame()?.url().includes("/i/"))!;
  const around = inner.parentFrame()!;
  const heardThere = around.evaluate(
    () =>
      new Promise<unknown>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        addEventListener("message", ({ data }) => resolve(data));
        frames[0]!.postMessage("tracedeck-inspect-1", "*", [port2]);
        port1.postMessage({ call: 1, name: "start", args: [] });
        document.title = "said";
      }),
  );
  await around.waitForFunction(() => document.title === "said");
  // What comes after the call, from where it would be answered.
  await inner.evaluate(() => setTimeout(() => parent.postMessage("later", "*")));
  expect(await heardThere).toBe("later");
  await context.close();
});
