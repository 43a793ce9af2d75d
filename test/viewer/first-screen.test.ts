import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { closeBrowser, DESKTOP, openPage, type PageOptions, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let trace: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  trace = await viewer.ingest("v10-runner-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

/** Opens the trace while no script of the viewer arrives, until `release`. */
async function openHeld(options: PageOptions & { before?: (page: Page) => Promise<void> } = {}) {
  const watched = await openPage(options);
  const { page } = watched;
  const link = await createSigninLink(viewer.app.deps, { orgId: viewer.app.orgId, base: viewer.base });
  await page.request.get(link.url);
  await options.before?.(page);
  const held = Promise.withResolvers<void>();
  await page.route("**/assets/*.js", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${viewer.base}/traces/${trace.id}`, { waitUntil: "commit" });
  // The page may still be on its way in; what is pressed is kept from here on.
  await page.waitForFunction(() => "tracedeckEarly" in globalThis);
  const taken = async () => {
    held.resolve();
    await page.locator("#app:not([inert])").waitFor();
  };
  return { ...watched, taken };
}

const FAILURE = ".failure";
const SELECTED = '[role="treeitem"][aria-selected="true"]';

test("the failed step, its cause and the page are there before any script, and nothing moves when the viewer takes over", async () => {
  const { page, context, complaints, taken } = await openHeld();
  await page.locator(FAILURE).waitFor();
  const text = await page.locator(FAILURE).innerText();
  for (const part of ["Order confirmed", "Checkout", "POST /api/checkout"]) expect(text).toContain(part);
  expect(await page.locator(SELECTED).innerText()).toContain('Expect "toHaveText"');
  expect(await page.title()).toContain("runner-failing");
  await page.locator(".screen-frame img").evaluate((image: HTMLImageElement) => image.decode());
  await picture(page, "first-screen-wide");

  const places = () =>
    page.evaluate(
      (selectors) =>
        selectors.map((selector) => {
          const { x, y, width, height } = document.querySelector(selector)!.getBoundingClientRect();
          return [selector, x, y, width, height].join(" ");
        }),
      [FAILURE, SELECTED, ".trace-bar", ".timeline", ".stage", ".screen-frame img", "[role=tab]"],
    );
  await page.locator(FAILURE).evaluate((element) => Object.assign(element, { isSame: true }));
  const before = await places();
  await taken();
  expect(await places()).toEqual(before);
  expect(await page.locator(FAILURE).evaluate((element) => "isSame" in element)).toBe(true);
  expect(await page.locator("[data-s]").count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

/** In the page: holds back what timers and the browser's word that it has painted lead to, until `goOn`. */
function holdAfterPaint(): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { setTimeout: timer, PerformanceObserver: Observer } = window;
  Object.assign(window, {
    setTimeout: (...given: Parameters<typeof timer>) => void promise.then(() => timer(...given)),
    PerformanceObserver: class extends Observer {
      constructor(heard: PerformanceObserverCallback) {
        super((...told) => void promise.then(() => heard(...told)));
      }
    },
    goOn: () => {
      Object.assign(window, { setTimeout: timer, PerformanceObserver: Observer });
      resolve();
    },
  });
}

for (const { name, layout, first, rest, ...options } of [
  {
    name: "beside it",
    layout: "right",
    size: DESKTOP,
    first: [SELECTED, ".panels"],
    rest: [".step-row:not(.is-active)", ".panels > *"],
  },
  { name: "on a phone", layout: "narrow", size: PHONE, isPhone: true, first: [], rest: [".narrow-tabs > *"] },
])
  test(`what failed and why is painted first, and does not move when the rest follows: panels ${name}`, async () => {
    const { page, context, complaints, taken } = await openHeld({
      ...options,
      before: async (opened) => {
        await opened.addInitScript(holdAfterPaint);
        await opened.context().addCookies([{ name: "tracedeck_layout", value: layout, url: viewer.base }]);
      },
    });
    const steady = [
      FAILURE,
      ".cause-headline",
      ".trace-title",
      ".stage-title",
      ".timeline",
      ".screen",
      ...first,
    ];
    const later = [".gutter > *", ".film > *", ".screen > *", ".transport > *", ...rest];
    const places = () =>
      page.evaluate(
        (selectors) =>
          selectors.map((selector) => {
            const { x, y, height } = document.querySelector(selector)!.getBoundingClientRect();
            return [selector, x, y, selector === ".screen" || height].join(" ");
          }),
        steady,
      );
    const shown = () =>
      page.evaluate(
        (selectors) =>
          selectors.filter((one) => (document.querySelector<HTMLElement>(one)?.offsetHeight ?? 0) > 0),
        later,
      );
    await page.locator(FAILURE).waitFor();
    expect(await page.locator(FAILURE).innerText()).toContain("POST /api/checkout");
    expect(await shown()).toEqual([]);
    const before = await places();
    await page.evaluate(() => (window as unknown as { goOn: () => void }).goOn());
    await page.locator("#app:not([data-paint])").waitFor();
    expect(await shown()).toEqual(later);
    expect(await places()).toEqual(before);
    await taken();
    expect(complaints).toEqual([]);
    await context.close();
  });

test("keys and a click that come too early are done as soon as they can be", async () => {
  const { page, context, complaints, taken } = await openHeld();
  const selected = page.locator(SELECTED);
  const title = (await selected.locator(".step-title").innerText()).trim();
  const steps = await page.locator('[role="treeitem"]').allInnerTexts();
  const at = steps.findIndex((step) => step.includes(title));
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  expect(await selected.innerText()).toContain(title);
  await taken();
  await page.locator(`#${await idOf(page, at - 2)}[aria-selected="true"]`).waitFor();
  await context.close();

  const again = await openHeld();
  await again.page.locator(FAILURE).waitFor();
  const box = (await again.page.getByRole("tab", { name: /^Call/, includeHidden: true }).boundingBox())!;
  await again.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await again.taken();
  await again.page.getByRole("tabpanel", { name: "Call" }).waitFor();

  const finding = await openHeld();
  await finding.page.locator(FAILURE).waitFor();
  await finding.page.keyboard.press("Control+f");
  await finding.taken();
  await finding.page.getByRole("combobox", { name: "Find in this trace" }).waitFor();
  await finding.context.close();
  expect([...complaints, ...again.complaints]).toEqual([]);
  await again.context.close();
});

const idOf = (page: Page, index: number): Promise<string> =>
  page
    .locator('[role="treeitem"]')
    .nth(index)
    .evaluate((element) => element.id);

test("a click is done once however soon it comes after the viewer has taken over", async () => {
  const { page, context, taken } = await openHeld();
  const button = page.getByRole("button", { name: "Hand over", includeHidden: true });
  const box = (await button.boundingBox())!;
  // A machine that has much else to do draws the first frame later.
  await page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { requestAnimationFrame: frame, setTimeout: timer } = window;
    const waits = (...given: Parameters<typeof timer>) => void promise.then(() => timer(...given));
    Object.assign(window, {
      setTimeout: waits,
      requestAnimationFrame: (run: FrameRequestCallback) => void promise.then(() => frame(run)),
      drawAgain: () => {
        Object.assign(window, { setTimeout: timer, requestAnimationFrame: frame });
        resolve();
      },
    });
  });
  await taken();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const item = page.getByRole("menuitem", { name: "One HTML page" });
  await item.waitFor();
  await page.evaluate(async () => {
    (window as unknown as { drawAgain: () => void }).drawAgain();
    for (let turn = 0; turn < 3; turn++)
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  });
  expect(await item.isVisible()).toBe(true);
  await context.close();
});

test("colours and sizes are those that were chosen, from the first moment on", async () => {
  const { page, context, taken } = await openHeld({
    theme: "light",
    before: async (opened) => {
      await opened.goto(`${viewer.base}/signin`);
      await opened.evaluate(() => {
        localStorage.setItem("tracedeck.theme", "dark");
        localStorage.setItem("tracedeck.split.steps", "420");
      });
    },
  });
  await page.locator(FAILURE).waitFor();
  const look = () =>
    page.evaluate(() => [
      document.documentElement.dataset.theme,
      document.querySelector(".step-pane")!.getBoundingClientRect().width,
    ]);
  expect(await look()).toEqual(["dark", 420]);
  await taken();
  expect(await look()).toEqual(["dark", 420]);
  await context.close();
});

test("the age of a trace is that of the moment it is opened at, however long ago its screen was made", async () => {
  await (await openHeld()).context.close();
  const before = (page: Page) => page.clock.setFixedTime(new Date("2046-07-01"));
  const { page, context } = await openHeld({ before });
  expect(await page.locator(".facts [data-since]").textContent()).toMatch(/^(19|20) y$/);
  await context.close();
});

test("a window of another shape shows nothing wrong, and the next page comes in its shape", async () => {
  const { page, context, complaints, taken } = await openHeld({ size: PHONE, theme: "dark" });
  await page.locator("#app:empty").waitFor({ state: "attached" });
  await taken();
  await page.getByRole("group", { name: "Failure" }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.unrouteAll();
  await page.route("**/assets/*.js", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  await page.locator(`#app[data-layout="narrow"] ${FAILURE}`).waitFor();
  await picture(page, "first-screen-phone");
  held.resolve();
  await page.getByRole("group", { name: "Failure" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("what came with the page is shown once; the trace is asked for when a reader comes back, the history once", async () => {
  const { page, context, complaints, taken } = await openHeld({ size: DESKTOP });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const histories = () => asked.filter((path) => path.startsWith("/v1/histories/")).length;
  await taken();
  await eventually(() => expect(histories()).toBe(1));
  await page.waitForLoadState("networkidle");
  const detail = `/v1/traces/${trace.id}`;
  expect(asked.filter((path) => path === detail || path === `${detail}/summary`)).toEqual([]);
  expect(histories()).toBe(1);
  await page.getByRole("link", { name: "All traces" }).click();
  await page.goBack();
  await page.getByRole("group", { name: "Failure" }).waitFor();
  expect(asked).toContain(detail);
  expect(complaints).toEqual([]);
  await context.close();
});

test("frames and videos are left to the viewer, which has to hear that they have loaded", async () => {
  for (const view of ["page", "screenshot", "replay", "video"]) {
    const answer = await viewer.app.api(`/traces/${trace.id}?view=${view}`);
    const html = await answer.text();
    expect(html).toContain('aria-label="Failure"');
    expect(html).not.toMatch(/<(iframe|video)\b/);
  }
});

test("a session that has ended leads to the sign-in page", async () => {
  const { page, context } = await viewer.open(`/traces/${trace.id}`, { isSignedIn: false });
  await page.waitForURL(/\/signin\?next=/);
  await context.close();
});

test("nothing that runs is asked for before the screen is painted", async () => {
  const html = await (await viewer.app.api(`/traces/${trace.id}`)).text();
  expect(html).toContain('aria-label="Failure"');
  expect(html).not.toMatch(/<link rel="(modulepreload|stylesheet)"|<script[^>]* src=/);
  expect(html).toMatch(/<script data-scripts="(\/assets\/[\w.-]+\.js ?){2,}"/);
});

test("the few styles that a screen comes with are all that it uses, and the viewer starts with the others", async () => {
  for (const size of [DESKTOP, PHONE]) {
    const held = Promise.withResolvers<void>();
    const first = await openHeld({ size });
    // A first visit tells the shape of its window.
    await first.taken();
    const { page, context, complaints } = first;
    await page.unrouteAll();
    await page.route(/\/assets\/.*\.(css|js)$/, async (route) => {
      if (route.request().url().endsWith(".css")) await held.promise;
      await (route.request().url().endsWith(".js") ? new Promise(() => {}) : route.continue());
    });
    await page.reload({ waitUntil: "commit" });
    await page.locator(FAILURE).waitFor();
    // What is painted first hides the rest of the screen for a moment.
    await page.locator("#app:not([data-paint])").waitFor();
    const looks = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("body, #app *")].flatMap((element) =>
          [null, "::before", "::after"].map((part) => {
            const style = getComputedStyle(element, part);
            const isThere = part === null || style.content !== "none";
            return isThere ? Array.from(style, (name) => style.getPropertyValue(name)).join(";") : "";
          }),
        ),
      );
    const before = await looks();
    expect(before.length).toBeGreaterThan(100);
    const [used, ...others] = await page.locator("style").allInnerTexts();
    expect(used).not.toContain(".list-");
    held.resolve();
    await page.waitForFunction(() => document.querySelector<HTMLLinkElement>("link[rel=stylesheet]")?.sheet);
    // As the viewer does when it draws.
    await page.waitForFunction((count) => {
      Reflect.get(globalThis, "tracedeckEarly").dress();
      return document.querySelectorAll("style").length === count;
    }, others.length);
    expect(await looks()).toEqual(before);
    expect(complaints).toEqual([]);
    await context.close();
  }
});

test("a page that arrives slowly is taken over when it is whole", async () => {
  const whole = Promise.withResolvers<void>();
  const slow = Bun.serve({
    port: 0,
    hostname: "localhost",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { cookie = "" } = Object.fromEntries(request.headers);
      const answer = await fetch(viewer.base + pathname, {
        headers: { cookie, "accept-encoding": "identity" },
      });
      if (!pathname.startsWith("/traces/")) return answer;
      const bytes = new TextEncoder().encode(await answer.text());
      const cut = Buffer.from(bytes).indexOf('id="opened">') + 100;
      const body = (async function* () {
        yield bytes.slice(0, cut);
        await whole.promise;
        yield bytes.slice(cut);
      })();
      return new Response(body as unknown as ReadableStream, { headers: answer.headers });
    },
  });
  const { page, context, complaints } = await openPage();
  try {
    const link = await createSigninLink(viewer.app.deps, { orgId: viewer.app.orgId, base: viewer.base });
    await page.request.get(link.url);
    await page.goto(`${slow.url.origin}/traces/${trace.id}`, { waitUntil: "commit" });
    await page.locator(FAILURE).waitFor();
    await page.waitForFunction(() => {
      const [, ...others] = document
        .querySelector<HTMLElement>("[data-scripts]")!
        .dataset.scripts!.split(" ");
      const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
      return others.every((address) => loaded.includes(address));
    });
    whole.resolve();
    await page.locator("#app:not([inert])").waitFor();
    expect(complaints).toEqual([]);
  } finally {
    whole.resolve();
    await context.close();
    await slow.stop(true);
  }
});
