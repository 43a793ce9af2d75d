import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, sha256 } from "../../helpers/bundles.ts";
import { fire } from "../../helpers/by-clock.ts";
import { childCommand } from "../../helpers/child.ts";
import { plainNames } from "../../helpers/trace-files.ts";
import { getJson, pathOf, runPeriodic } from "../../helpers/traces.ts";
import { send, watched } from "../../helpers/watch.ts";

const DAY = 86_400_000;
const SHARED = "in the archive of the first, named by the last";

/** Eight fires; all name a blob, which lies in the pack of the first ones. */
async function record(t: TestApp): Promise<string[]> {
  const regions = ["us-east-1"];
  const check = await watched(t, "flow", { cron: "* * * * *", regions, enabled: true });
  const blobs = [{ hash: sha256(SHARED), bytes: Buffer.from(SHARED), mediaType: "text/plain" }];
  const lines = eventLines(5, (seq) => (seq === 2 ? { body: `sha256:${sha256(SHARED)}` } : {}));
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) {
    t.clock.advance(60_000);
    ids.push(...(await fire(t, () => ({ status: "passed", lines, blobs }))));
  }
  await send(t, "PUT", `/v1/scheduled_checks/${check}`, { enabled: false });
  return ids;
}

test.each(["within", "committed", "files"])(
  "killed while old traces are removed (%s), the next start loses and leaves nothing",
  async (step) => {
    const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-expiry-"));
    const settings = { retention: { hot_days: 1, warm_days: 100, runs_days: 10 } };
    try {
      let t = await testApp({ dataDir, settings });
      const { clock } = t;
      const ids = await record(t);
      clock.advance(2 * DAY);
      await runPeriodic(t, "tiers");
      clock.advance(9 * DAY);
      await t.close();

      const child = Bun.spawn(
        [...childCommand(join(import.meta.dir, "expiry-child.ts")), dataDir, String(clock.now()), step],
        { stdout: "ignore", stderr: "inherit" },
      );
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");

      t = await testApp({ dataDir, clock });
      const kept = ids.slice(-3);
      const there = (await getJson<{ items: { id: string }[] }>(t, "/v1/traces")).items.map(({ id }) => id);
      expect(there.sort()).toEqual(step === "within" ? ids.toSorted() : kept.toSorted());
      await runPeriodic(t, "traces.expire");
      // A job whose worker died comes back when its lease is over.
      clock.advance(120_000);
      await t.runJobs();
      expect(plainNames(join(dataDir, "traces")).map((name) => name.split("/")[0])).toEqual(
        expect.arrayContaining(kept),
      );
      expect(readdirSync(join(dataDir, "traces")).sort()).toEqual(kept.toSorted());
      for (const id of kept) {
        const answer = await t.api(`/v1/traces/${id}/blob/${sha256(SHARED)}`);
        expect(await (await t.api(pathOf(answer.headers.get("location")!))).text()).toBe(SHARED);
      }
      await t.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  60_000,
);
