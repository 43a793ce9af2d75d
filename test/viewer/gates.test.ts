import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startShop } from "../../fixtures/app/shop.ts";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, DESKTOP, openPage, PHONE } from "../helpers/browser.ts";
import { type GateLab, gateLab, scenarioFile } from "../helpers/gates.ts";
import type { ModelPull } from "../helpers/host-api/model.ts";
import { overflow, picture } from "../helpers/viewer.ts";

setDefaultTimeout(180_000);

let lab: GateLab;
let base: string;
let mixed: ModelPull;

async function open(path: string, options: Parameters<typeof openPage>[0] = {}) {
  const watched = await openPage(options);
  await watched.page.clock.setFixedTime(lab.app.clock.now() + 90_000);
  const link = await createSigninLink(lab.app.deps, { orgId: lab.app.orgId, base });
  await watched.page.request.get(link.url);
  await watched.page.goto(base + path);
  return watched;
}

beforeAll(async () => {
  const limits = {
    anonymous: { sign_ins_per_minute: 100_000 },
    reads_per_minute: 1e6,
    writes_per_minute: 1e6,
  };
  lab = await gateLab({ rates: limits });
  base = lab.app.listen();
  const covers = (name: string) => `covers: ["src/${name}/**"]\n`;
  lab.files({
    "scenarios/catalogue.scenario.md": scenarioFile(
      "catalogue",
      ['go to "/"', 'expect text "Slow Mornings"'],
      covers("home"),
    ),
    "scenarios/cart.scenario.md": scenarioFile(
      "cart",
      ['go to "/"', 'click button "Add to cart" nth 1 within 300ms', 'expect text "Cart (1)"'],
      covers("cart"),
    ),
    "scenarios/stock.scenario.md": scenarioFile(
      "stock",
      ['go to "/"', 'expect text "Sold out" within 200ms'],
      covers("stock"),
    ),
  });
  // On the base the stock fails too.
  lab.host.deploy(lab.host.repository.head("main")!, lab.shop.url);
  const other = startShop({ mode: "renamed" });
  const good = lab.host.openPull({ "src/home/a.ts": "1" }, { title: "Say hello on the first page" });
  const docs = lab.host.openPull({ "docs/a.md": "1" }, { title: "Explain how to brew", author: "grace" });
  mixed = lab.host.openPull(
    { "src/cart/a.ts": "1", "src/stock/a.ts": "1", "src/home/b.ts": "1" },
    { title: "Put more than one kettle into the cart" },
  );
  const waiting = lab.host.openPull({ "src/home/c.ts": "1" }, { title: "Show the price of a single cup" });
  for (const pull of [good, docs, mixed, waiting]) {
    if (pull !== waiting) lab.host.deploy(pull.headSha, other.url);
    await lab.news("opened", pull);
    await lab.work();
  }
  await other.stop();
});
afterAll(async () => {
  await closeBrowser();
  await lab.close();
});

test("the list shows each pull request with what its gate found, by keyboard too", async () => {
  const { page, context, complaints } = await open("/pull-requests");
  await page.getByRole("link", { name: /Put more than one kettle/ }).waitFor();
  const rows = await page.getByRole("row").allInnerTexts();
  expect(rows.find((row) => row.includes("kettle"))).toContain("1 of 3 scenarios fails.");
  expect(await findings(page)).toEqual([]);
  await picture(page, "pull-requests-light");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/pull-requests\/[0-9a-f-]{36}$/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a pull request leads with what fails because of it, says what does not, and is approved by who is signed in", async () => {
  const gate = await lab.newest(mixed);
  const { page, context, complaints } = await open(`/pull-requests/${gate.pull_request_id}`);
  const cart = page.getByRole("article", { name: "cart works" });
  await cart.locator("img").waitFor();
  const stock = page.getByRole("article", { name: "stock works" });
  expect(await page.getByRole("article").first().getAttribute("aria-label")).toBe("cart works");
  expect(await stock.innerText()).toContain("It also fails on the base commit, in the same way.");
  expect(await stock.innerText()).toContain("not laid to this commit");
  expect(await cart.innerText()).toContain("src/cart/a.ts");
  expect(await page.getByRole("region", { name: "Other scenarios" }).innerText()).toContain(
    "catalogue works",
  );
  expect(await findings(page)).toEqual([]);
  await picture(page, "pull-request-light");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.locator(".run-facts").getByText("Approved").waitFor();
  await lab.work();
  expect(lab.check(mixed.headSha)).toMatchObject({ conclusion: "success" });
  expect(complaints).toEqual([]);
  await context.close();
});

test.each([
  ["dark", DESKTOP],
  ["dark", PHONE],
  ["light", PHONE],
] as const)("both pages fit a window in %s of %o", async (theme, size) => {
  const gate = await lab.newest(mixed);
  for (const [name, path] of [
    ["pull-requests", "/pull-requests"],
    ["pull-request", `/pull-requests/${gate.pull_request_id}`],
    ["gate", `/gates/${gate.id}`],
  ] as const) {
    const { page, context, complaints } = await open(path, { theme, size, isPhone: size === PHONE });
    await page.getByText("kettle").first().waitFor();
    if (name !== "pull-requests") await page.getByRole("article", { name: "cart works" }).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await findings(page)).toEqual([]);
    await picture(page, `${name}-${theme}-${size.width}`);
    expect(complaints).toEqual([]);
    await context.close();
  }
});
