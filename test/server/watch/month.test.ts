import { expect, test } from "bun:test";
import { testApp } from "../../helpers/app.ts";
import { type Kept, watchFor } from "../../helpers/month.ts";

test("pruning keeps pace with scheduled runs: rows and bytes stay bounded", async () => {
  const hoursKept = 2;
  await using t = await testApp({ settings: { retention: { runs_days: hoursKept / 24 } } });
  // More in an hour than one transaction of pruning takes.
  const perHour = 7 * 3 * 60;
  const seen: Kept[] = [];
  await watchFor(t, { checks: 7, regions: 3, everyMinutes: 1, hours: 7 }, (kept) => seen.push(kept));
  for (const { runs, results, logs } of seen.slice(hoursKept + 1))
    for (const count of [runs, results, logs]) {
      expect(count).toBeGreaterThanOrEqual(hoursKept * perHour);
      expect(count).toBeLessThanOrEqual(hoursKept * perHour + 100);
    }
  expect(seen.at(-1)!.bytes).toBeLessThan(seen[hoursKept + 1]!.bytes * 1.15);
}, 60_000);
