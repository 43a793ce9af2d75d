import { afterAll, describe, expect, test } from "bun:test";
import { testApp } from "../helpers/app.ts";
import { eventLines } from "../helpers/bundles.ts";
import { fire } from "../helpers/by-clock.ts";
import { scratchFolder } from "../helpers/program.ts";
import { smallDisk } from "../helpers/small-disk.ts";
import { getJson, runPeriodic } from "../helpers/traces.ts";
import { send, watched } from "../helpers/watch.ts";

const DAY = 86_400_000;
const scratch = scratchFolder();
const small = smallDisk(scratch.at("disk"), 24 << 20);
afterAll(() => {
  small.unmount();
  scratch.remove();
});

describe.if(small.isMounted)("on a full disk", () => {
  test("traces that are old enough go all the same, and make room", async () => {
    await using t = await testApp({
      dataDir: `${small.path}/data`,
      settings: { retention: { runs_days: 10 }, auto_pin_failed: false },
    });
    const regions = ["us-east-1", "eu-west-1", "ap-south-1"];
    const check = await watched(t, "flow", { cron: "* * * * *", regions, enabled: true });
    const lines = eventLines(200);
    for (let n = 0; n < 20; n++) {
      t.clock.advance(60_000);
      await fire(t, () => ({ status: "passed", lines }));
    }
    await send(t, "PUT", `/v1/scheduled_checks/${check}`, { enabled: false });
    await runPeriodic(t, "room for removals");
    t.clock.advance(11 * DAY);
    small.fill();
    expect(small.free()).toBe(0);
    await runPeriodic(t, "traces.expire");
    await t.runJobs();
    const { items } = await getJson<{ items: unknown[] }>(t, "/v1/traces?limit=200");
    expect(items).toHaveLength(3);
    expect(small.free()).toBeGreaterThan(100_000);
    small.empty();
  }, 60_000);
});
