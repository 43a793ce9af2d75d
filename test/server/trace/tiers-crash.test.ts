import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveDown } from "../../../server/trace/tiers/down.ts";
import { restoreTrace } from "../../../server/trace/tiers/restore.ts";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { childCommand } from "../../helpers/child.ts";
import { plainNames } from "../../helpers/trace-files.ts";
import { getJson, pathOf, post, uploadTrace } from "../../helpers/traces.ts";

const DAY = 86_400_000;
let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-tiers-"));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const clock = createTestClock();
const settings = { auto_pin_failed: false, retention: { hot_days: 2, warm_days: 5 } };
const open = () => testApp({ dataDir, clock, settings });

async function blobText(app: TestApp, id: string, text: string): Promise<string> {
  const response = await app.api(`/v1/traces/${id}/blob/${sha256(text)}`);
  return (await app.api(pathOf(response.headers.get("location")!))).text();
}

/** The files below the data folder that belong to traces and blobs, without what a next start clears away. */
const filesOf = (id: string) => plainNames(join(dataDir, "traces", id));

const CASES = [
  ["warm", "packed"],
  ["warm", "moved"],
  ["warm", "committed"],
  ["cold", "packed"],
  ["cold", "moved"],
  ["cold", "committed"],
  ["restore", "unpacked"],
  ["restore", "moved"],
  ["restore", "committed"],
] as const;

test.each(CASES)(
  "killed while it moves (%s) when it is %s, a trace is whole after the next start and gets there",
  async (move, step) => {
    const text = `blob of ${move} ${step}`;
    let app = await open();
    const lines = eventLines(30, (seq) => (seq === 0 ? { body: `sha256:${sha256(text)}` } : {}));
    const { id } = await uploadTrace(app, { entries: [events(lines), blob(text)] });
    const stored = await (await app.api(`/v1/traces/${id}/events`)).text();
    clock.advance(6 * DAY);
    if (move !== "warm") await moveDown(app.deps, id, "warm");
    if (move === "restore") await moveDown(app.deps, id, "cold");
    await app.runJobs();
    await app.close();

    const child = Bun.spawn(
      [
        ...childCommand(join(import.meta.dir, "tiers-child.ts")),
        dataDir,
        String(clock.now()),
        id,
        move,
        step,
      ],
      { stdout: "ignore", stderr: "inherit" },
    );
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");

    app = await open();
    const tier = String((await getJson(app, `/v1/traces/${id}`)).tier);
    const [from, to] = { warm: ["hot", "warm"], cold: ["warm", "cold"], restore: ["cold", "hot"] }[move];
    expect(tier).toBe(step === "committed" ? to! : from!);
    if (tier !== "cold") {
      expect(await (await app.api(`/v1/traces/${id}/events`)).text()).toBe(stored);
      expect(await blobText(app, id, text)).toBe(text);
    }
    if (move === "restore") await restoreTrace(app.deps, id, new AbortController().signal);
    else await moveDown(app.deps, id, move);
    await app.runJobs();
    expect((await getJson(app, `/v1/traces/${id}`)).tier).toBe(to!);
    const files = {
      warm: ["pack.zip", "record.json", "summary.json"],
      cold: ["record.json", "summary.json"],
      restore: ["events.index", "events.ndjson.zst", "manifest.json", "record.json", "summary.json"],
    }[move];
    expect(filesOf(id)).toEqual(files);
    const packs = plainNames(join(dataDir, "cold")).filter((name) => name.startsWith(id));
    expect(packs).toEqual(move === "cold" ? [`${id}.zip`] : []);
    if (move !== "cold") {
      expect(await (await app.api(`/v1/traces/${id}/events`)).text()).toBe(stored);
      expect(await blobText(app, id, text)).toBe(text);
    }
    expect(existsSync(join(dataDir, "cold", `${id}.zip.part`))).toBe(false);
    await post(app, `/v1/traces/${id}/pin`);
    await app.close();
  },
  120_000,
);
