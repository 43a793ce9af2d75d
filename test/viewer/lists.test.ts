import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { noiseOf } from "../../server/trace/format/step-noise.ts";
import type { StepSummary } from "../../server/trace/format/summary.ts";
import { foldRepeats, textFilter } from "../../viewer/trace/model/console-rows.ts";
import { stepsOf } from "../../viewer/trace/model/steps.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { eventLines, events } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const step = (id: string, title: string, more: Partial<StepSummary> = {}): StepSummary => ({
  step_id: id,
  parent_step_id: null,
  index: 1,
  title,
  kind: "agent.action",
  seq: 1,
  ts: 0,
  duration_ms: 1,
  status: "passed",
  console_errors: 0,
  bad_requests: 0,
  ...more,
});

test("hooks and what lies in them are noise, never a failed step or what it lies in", () => {
  const steps = [
    step("a", "Before Hooks"),
    step("b", "Open the shop", { parent_step_id: "a" }),
    step("c", "After Hooks"),
    step("d", "Close context", { parent_step_id: "c", status: "failed" }),
    step("e", "Navigate /"),
    step("f", 'Get text content locator("#count")'),
    step("g", "Count getByRole('row')"),
    step("h", "Evaluate (ms) => new Promise((f) => setTimeout(f, ms))"),
    step("i", "Evaluate readTheCart()"),
    step("j", "Read the accessibility tree"),
    step("k", "Read the terms"),
    step("l", "Count the rows"),
  ];
  expect([...noiseOf(stepsOf(steps))]).toEqual(["a", "b", "f", "g", "h", "j"]);
});

test("a pattern that is none is told and hides nothing; words look in either case", () => {
  expect(textFilter("/(/").problem).not.toBeNull();
  expect(textFilter("/(/").test("anything")).toBe(true);
  expect(textFilter("/^get .*5\\d\\d$/i").test("GET /a 503")).toBe(true);
  expect(textFilter("/^get$/").test("GET")).toBe(false);
  expect(textFilter("LEDGER").test("the ledger is away")).toBe(true);
});

test("only lines that repeat the one right before them are folded", () => {
  const line = (seq: number, text: string, level: "log" | "error" = "log") => ({
    seq,
    ts: seq,
    level,
    text,
    isCut: false,
    stepId: null,
    stepMark: 0,
    // The same for all, as it may be by chance: what lines say decides.
    textMark: 1,
    location: null,
  });
  const folded = foldRepeats([line(1, "a"), line(2, "a"), line(3, "b"), line(4, "a"), line(5, "a", "error")]);
  expect([...folded.rows].map(({ seq }, index) => [seq, folded.counts[index]!])).toEqual([
    [1, 2],
    [3, 1],
    [4, 1],
    [5, 1],
  ]);
});

test("noise is counted and left out of the steps until it is asked for, which is remembered", async () => {
  const { id } = await viewer.ingest("v10-runner-picture");
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  const tree = page.getByRole("tree", { name: "Steps" });
  await tree.getByRole("treeitem", { selected: true }).waitFor();
  await eventually(async () => expect(await tree.getByText("Before Hooks").count()).toBe(0));
  await page.getByRole("button", { name: /^\d+ hidden$/ }).click();
  await tree.getByText("Before Hooks").waitFor();
  await page.reload();
  await tree.getByText("Before Hooks").waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await tree.getByText("Before Hooks").waitFor({ state: "detached" });
  await page.getByRole("searchbox", { name: "Filter steps" }).fill("before hooks");
  await tree.getByText("Before Hooks").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("console lines that repeat are one with a count, and a pattern narrows them", async () => {
  const lines = eventLines(6, (seq) => ({
    kind: seq === 5 ? "console.error" : "console.log",
    text: seq < 4 ? "polling the ledger" : `GET /api/orders ${seq}00`,
  }));
  const { id } = await uploadTrace(viewer.app, { entries: [events(lines)] });
  const { page, context, complaints } = await viewer.open(`/traces/${id}?tab=console`);
  const list = page.getByRole("list", { name: "Console" });
  await list.getByRole("listitem").nth(2).waitFor();
  await eventually(async () => expect(await list.getByRole("listitem").first().innerText()).toContain("4"));
  const field = page.getByRole("searchbox", { name: "Filter console" });
  await field.fill("/5\\d\\d$/");
  await list.getByRole("listitem").nth(1).waitFor({ state: "detached" });
  await eventually(async () => expect(await list.innerText()).toContain("GET /api/orders 500"));
  await field.fill("/(/");
  await page.getByText(/^This pattern cannot be used/).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("attachments are previewed by what they are, with their step and a download", async () => {
  const { id } = await viewer.ingest("v10-runner-picture");
  const { page, context, complaints } = await viewer.open(`/traces/${id}?tab=attachments`);
  const panel = page.getByRole("group", { name: "Files" });
  await panel.getByText("Counted on the shelf, not in the books.", { exact: true }).waitFor();
  const shot = panel.locator("img.shot").nth(1);
  await eventually(async () =>
    expect(
      await shot.evaluate(async (image: HTMLImageElement) => {
        image.loading = "eager";
        await image.decode();
        return image.naturalWidth;
      }),
    ).toBe(800),
  );
  await panel.getByRole("link", { name: "Download notes" }).waitFor();
  await picture(page, "panel-files");
  expect(await findings(page)).toEqual([]);
  await panel.getByRole("button", { name: "Its step" }).first().click();
  await page.getByRole("treeitem", { selected: true }).filter({ hasText: 'Attach "notes"' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
