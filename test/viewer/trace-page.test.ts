import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Summary } from "../../server/trace/format/summary.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { events } from "../helpers/bundles.ts";
import { getJson, uploadTrace } from "../helpers/traces.ts";
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

test("a failed trace opens on its failure: the step, what was expected and received, the page, the bad request", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  const failure = page.getByRole("group", { name: "Failure" });
  await failure.waitFor();
  await eventually(async () => expect(await failure.innerText()).toContain("Order confirmed"));
  await eventually(async () => expect(await failure.innerText()).toContain("Checkout"));
  await eventually(async () => expect(await failure.innerText()).toContain("POST /api/checkout"));
  const selected = page.getByRole("treeitem", { selected: true });
  await eventually(async () => expect(await selected.innerText()).toContain('Expect "toHaveText"'));
  await eventually(async () => expect(await selected.getByRole("img", { name: "Failed" }).count()).toBe(1));
  const shot = page.getByRole("img", { name: /^The page, Screenshot at/ });
  await shot.waitFor();
  await eventually(async () =>
    expect(await shot.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100),
  );
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Error"),
  );
  const heightOf = async (what: typeof failure): Promise<number> => (await what.boundingBox())?.height ?? 0;
  // The cause is told in full, and the page keeps the larger part.
  await eventually(async () => expect(await heightOf(shot)).toBeGreaterThan(await heightOf(failure)));
  await picture(page, "trace-light");
  expect(complaints).toEqual([]);
  await context.close();
});

test("the Error panel adds to the failure above the page what is not said there, and says it all on a phone", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  const panel = page.getByRole("tabpanel", { name: /^Error/ });
  await panel.getByRole("heading", { name: "Log" }).waitFor();
  await panel.getByRole("heading", { name: "Source" }).waitFor();
  await panel.getByRole("heading", { name: /^Expect "toHaveText" (?!getBy|locator)/ }).waitFor();
  await panel.getByText(/^Assertion “Expect .*It expected “Order confirmed”/).waitFor();
  await page
    .getByRole("group", { name: "Failure" })
    .getByText("expect(locator).toHaveText(expected) failed")
    .waitFor();
  const message = panel.locator(".error-message");
  await eventually(async () => {
    expect(await message.count()).toBe(0);
    expect(await panel.getByRole("heading", { name: "Around it" }).count()).toBe(0);
  });
  await context.close();
  const phone = await viewer.open(`/traces/${failing.id}?tab=error`, { size: PHONE, isPhone: true });
  await phone.page
    .locator(".error-message")
    .getByText(/Expected: "Order confirmed"/)
    .waitFor();
  await phone.page.getByRole("heading", { name: "Around it" }).waitFor();
  await phone.page.locator(".panel .expected").waitFor();
  expect([...complaints, ...phone.complaints]).toEqual([]);
  await phone.context.close();
});

test("in a window with little height the failure stands beside the page, and the player below both", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`, {
    size: { width: 1100, height: 800 },
  });
  const stage = page.getByRole("region", { name: "Step", exact: true });
  const edges = async (part: typeof stage) => {
    const box = await part.boundingBox();
    if (!box) throw new Error("It is not shown.");
    return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
  };
  await stage.getByRole("img", { name: /^The page/ }).waitFor();
  await eventually(async () => {
    const [whole, failure, shot] = await Promise.all(
      [
        stage,
        stage.getByRole("group", { name: "Failure" }),
        stage.getByRole("img", { name: /^The page/ }),
      ].map(edges),
    );
    expect(shot!.left).toBeGreaterThanOrEqual(failure!.right);
    for (const control of [
      stage.getByRole("slider", { name: "Playing position" }),
      stage.getByRole("button", { name: "Skip idle" }),
    ]) {
      const place = await edges(control);
      expect(place.right).toBeLessThanOrEqual(whole!.right);
      expect(place.bottom).toBeLessThanOrEqual(whole!.bottom);
      expect(place.top).toBeGreaterThanOrEqual(shot!.bottom);
    }
  });
  await context.close();
});

test("a message that is longer than the failure above the page shows stands in the Error panel whole", async () => {
  const lines = Array.from({ length: 6 }, (_, line) => `line ${line}`);
  const message = `The order is not what it was.\n${lines.join("\n")}`;
  const failed = { seq: 0, ts: 1_767_323_045_000, kind: "assertion", step_id: "s1", ok: false, message };
  for (const status of ["failed", "passed"]) {
    const { id } = await uploadTrace(viewer.app, {
      manifest: { status },
      entries: [events(`${JSON.stringify(failed)}\n`)],
    });
    const { page, context, complaints } = await viewer.open(`/traces/${id}?step=s1&tab=error`);
    await page.locator(".error-message").getByText("line 5").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }
});

test("j and k move along the steps, brackets along the failures, and the address follows", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  const selected = page.getByRole("treeitem", { selected: true });
  await selected.waitFor();
  const failed = await selected.innerText();
  await page.keyboard.press("k");
  await page.waitForURL(/[?&]step=/);
  await eventually(async () => expect(await selected.innerText()).not.toBe(failed));
  const [before, address] = [await selected.innerText(), page.url()];
  await page.keyboard.press("k");
  await page.waitForURL((url) => url.href !== address);
  await page.keyboard.press("ArrowDown");
  await eventually(async () => {
    expect(await selected.innerText()).toBe(before);
    expect(page.url()).toBe(address);
  });
  await page.keyboard.press("]");
  await eventually(async () => expect(await selected.innerText()).toBe(failed));
  // A jump is an entry of the history, a move along the list is not.
  await page.goBack();
  await eventually(() => expect(page.url()).toBe(address));
  await selected.filter({ hasText: before.split("\n")[0] ?? "" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Console"),
  );
  await page.waitForURL(/tab=console/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("keys one after the other belong together however late a busy page takes the first", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`);
  await page.locator("#app:not([inert])").waitFor();
  await page.evaluate(() => {
    const press = (key: string) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    const first = press("g");
    const end = performance.now() + 1500;
    while (performance.now() < end);
    document.body.dispatchEvent(first);
    document.body.dispatchEvent(press("c"));
  });
  await page.getByRole("tab", { name: /^Console/, selected: true }).waitFor();
  await context.close();
});

test("an address brings back the step, the panel and the open request with its body", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("tab", { name: /^Network/ }).click();
  await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
  await page.waitForURL(/event=\d+/);
  const step = await page.getByRole("treeitem", { selected: true }).innerText();
  const address = page.url().replace(viewer.base, "");
  await context.close();

  const again = await viewer.open(address);
  const selected = again.page.getByRole("treeitem", { selected: true });
  await selected.waitFor();
  await eventually(async () => expect(await selected.innerText()).toBe(step));
  await again.page.getByRole("button", { name: "Response", exact: true }).click();
  const body = again.page.getByRole("list", { name: "Response" });
  await body.waitFor();
  await eventually(async () => expect(await body.innerText()).toContain('"error": "ledger unavailable"'));
  await picture(again.page, "trace-network");
  await again.page.keyboard.press("Escape");
  await body.waitFor({ state: "detached" });
  expect(again.complaints).toEqual([]);
  await again.context.close();
});

test("a span drawn on the timeline narrows the steps and every list, Escape widens them again", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?tab=network`);
  const requests = page.locator(".net-row:not(.table-head)");
  await requests.first().waitFor();
  await page.getByRole("treeitem", { selected: true }).waitFor();
  const [allRequests, allSteps] = [await requests.count(), await page.getByRole("treeitem").count()];
  // On an even scale the place of a moment is known.
  await page.keyboard.press("t");
  await page.keyboard.press("i");
  await page.locator(".break.is-idle").first().waitFor({ state: "detached" });
  const slider = page.getByRole("slider", { name: /^Position in the trace/ });
  const track = await slider.boundingBox();
  const {
    first_bad_request: bad,
    first_ts,
    event_count,
  } = await getJson<Summary>(viewer.app, `/v1/traces/${failing.id}/summary`);
  if (!track || !bad || first_ts === null)
    throw new Error("The trace has no failed request, or no timeline.");
  const middle = (bad.ts - first_ts) / Number(await slider.getAttribute("aria-valuemax"));
  await page.mouse.move(track.x + track.width * (middle - 0.04), track.y + 90);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width * (middle + 0.04), track.y + 90, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/w=\d+~\d+|w=\d+%7E\d+/);
  await eventually(async () => expect(await requests.count()).toBeLessThan(allRequests));
  await eventually(async () => expect(await requests.count()).toBeGreaterThan(0));
  await eventually(async () => expect(await page.getByRole("treeitem").count()).toBeLessThan(allSteps));
  await page.keyboard.press("3");
  await page.locator(".console-row").first().waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  const events = page.locator(".event-row");
  await events.first().waitFor();
  await eventually(async () => expect(await page.getByRole("tabpanel").innerText()).toContain("POST"));
  await page.keyboard.press("Escape");
  await page.getByRole("tabpanel").getByText(String(event_count), { exact: true }).first().waitFor();
  await eventually(async () => expect(await page.getByRole("treeitem").count()).toBe(allSteps));
  expect(complaints).toEqual([]);
  await context.close();
});

test("a public link opens without a session and reads nothing else; a withdrawn one opens no more", async () => {
  const owner = await viewer.open(`/traces/${failing.id}`);
  await owner.page.getByRole("button", { name: "Share" }).click();
  await owner.page
    .getByRole("dialog")
    .getByLabel(/Anyone with the link/)
    .check();
  await owner.page.getByRole("button", { name: "Create link" }).click();
  const link = owner.page.getByRole("dialog").locator("code").first();
  await link.waitFor();
  const path = new URL(await link.innerText()).pathname;
  expect(path).toBe(`/r/${failing.shortId}`);

  const guest = await viewer.open(path, { isSignedIn: false });
  const asked: string[] = [];
  guest.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await guest.page.getByRole("group", { name: "Failure" }).waitFor();
  await guest.page.getByRole("tab", { name: /^Network/ }).click();
  await guest.page.getByRole("button", { name: /^\/api\/checkout/ }).waitFor();
  expect(asked.filter((one) => one.startsWith("/v1/") || one.startsWith("/api/"))).toEqual([]);
  await eventually(async () =>
    expect(await guest.page.getByRole("button", { name: "Share" }).count()).toBe(0),
  );
  expect(guest.complaints).toEqual([]);
  await picture(guest.page, "shared");

  await owner.page.getByRole("button", { name: "Withdraw" }).click();
  await owner.page.getByRole("button", { name: "Create link" }).waitFor();
  await guest.page.goto(viewer.base + path);
  await eventually(async () => expect(await guest.page.innerText("body")).toContain("no longer works"));
  expect(owner.complaints).toEqual([]);
  await owner.context.close();
  await guest.context.close();
});

test("on a phone every pane is one press away and nothing sticks out", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`, {
    size: PHONE,
    isPhone: true,
  });
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await page.getByRole("img", { name: /^The page/ }).waitFor();
  await picture(page, "trace-phone");
  for (const pane of ["Steps", /^Error/, /^Network/, /^Console/, "Call", /^Events/, "Info", /^Files/]) {
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: pane }).tap();
    await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  }
  // The bar moves with the pane that is shown, whatever showed it.
  const info = page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Info" });
  await page.goto(`${page.url().split("?")[0]}?tab=error`);
  await page.goto(`${page.url().split("?")[0]}?tab=metadata&event=1`);
  await info.and(page.locator("[aria-pressed=true]")).waitFor();
  await page.waitForFunction(() => {
    const tab = document.querySelector("#tab-metadata")?.getBoundingClientRect();
    return tab !== undefined && tab.left >= 0 && tab.right <= innerWidth;
  });
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Steps" }).tap();
  await page.getByRole("treeitem").first().tap();
  await page.getByRole("img", { name: /^The page/ }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
