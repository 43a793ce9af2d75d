import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { createReceiver } from "../helpers/receiver.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";
import { send, watched } from "../helpers/watch.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
const receiver = createReceiver();

beforeAll(async () => {
  viewer = await viewerApp({
    settings: { notifications: { allow_private_addresses: true, retry_seconds: [] } },
  });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  await receiver.close();
});

test("a channel is made, tried out and removed by hand, and what did not arrive is sent again", async () => {
  const { page, context, complaints } = await viewer.open("/settings/notifications");
  receiver.answer("/hook", () => new Response("", { status: 500 }));
  await page.getByRole("button", { name: "Add a channel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("On call");
  await dialog.getByLabel("Address").fill(receiver.url("/hook"));
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByText("whsec_").waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Test: On call" }).click();
  const told = page.getByRole("table", { name: "What was told" });
  await told.getByText("waits").waitFor();
  await viewer.app.runJobs();
  await told.getByText("given up").waitFor();
  expect(await told.innerText()).toContain("answered with 500");
  receiver.answer("/hook", () => new Response("ok"));
  await told.getByRole("button", { name: /^Send again/ }).click();
  await told.getByText("waits").waitFor();
  await viewer.app.runJobs();
  await told.getByText("arrived").waitFor();
  expect(receiver.at("/hook")).toHaveLength(2);
  await picture(page, "notifications-light");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove: On call" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("There is none").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("whoever removes a channel is told of the checks that name it, and of which nobody hears then", async () => {
  const made = async (name: string) => {
    const answer = await send(viewer.app, "POST", "/v1/notification-channels", {
      type: "webhook",
      name,
      url: receiver.url("/named"),
    });
    return ((await answer.json()) as { id: string }).id;
  };
  const [pager, chat] = [await made("Pager"), await made("Chat")];
  await watched(viewer.app, "shop", { alert_policy: { channels: [pager] } });
  await watched(viewer.app, "search", { alert_policy: { channels: [pager, chat] } });
  await watched(viewer.app, "account");
  const { page, context, complaints } = await viewer.open("/settings/notifications");
  await page.getByRole("button", { name: "Remove: Pager" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("link", { name: /search/i }).waitFor();
  const said = await dialog.innerText();
  expect(said).toMatch(/name no other channel:\s*shop/i);
  expect(said).toMatch(/tell other channels still:\s*search/i);
  expect(said).not.toMatch(/account/i);
  await picture(page, "remove-channel-light");
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove: Pager" }).waitFor({ state: "detached" });
  // More than are named at once: all of one check, but for their ids.
  const { records } = viewer.app.store;
  const one = await records
    .selectFrom("scheduled_checks")
    .selectAll()
    .where("alert_policy", "like", `%${chat}%`)
    .executeTakeFirstOrThrow();
  const more = Array.from({ length: 50 }, () => ({ ...one, id: Bun.randomUUIDv7() }));
  await records.insertInto("scheduled_checks").values(more).execute();
  await page.getByRole("button", { name: "Remove: Chat" }).click();
  await dialog.getByText("name no other channel").waitFor();
  expect(await dialog.getByRole("link").count()).toBe(50);
  expect(await dialog.innerText()).toContain("More than 50 checks name it.");
  await picture(page, "remove-channel-many");
  expect(complaints).toEqual([]);
  await context.close();
});

test("the page fits a phone", async () => {
  const made = await viewer.app.api("/v1/notification-channels", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "webhook", name: "On call", url: receiver.url(`/${"long".repeat(40)}`) }),
  });
  expect(made.status).toBe(201);
  const { page, context, complaints } = await viewer.open("/settings/notifications", {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await page.getByRole("button", { name: "Test: On call" }).waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await picture(page, "notifications-phone");
  expect(complaints).toEqual([]);
  await context.close();
});
