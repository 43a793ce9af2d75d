import { expect, test } from "bun:test";
import { testApp } from "../../helpers/app.ts";
import { type Kept, watchFor } from "../../helpers/month.ts";

test("removing keeps pace with scheduled runs: runs, traces, results and bytes stay bounded", async () => {
  const hoursKept = 1;
  await using t = await testApp({ settings: { retention: { runs_days: hoursKept / 24 } } });
  const [checks, regions, perHour] = [4, 3, 4 * 3 * 12];
  const seen: Kept[] = [];
  await watchFor(t, { checks, regions, everyMinutes: 5, hours: 6 }, (kept) => seen.push(kept));
  for (const { runs, traces, results } of seen.slice(hoursKept + 1))
    for (const count of [runs, traces, results]) {
      expect(count).toBeGreaterThanOrEqual(hoursKept * perHour);
      // Three passes of each scenario stay, and what incidents name.
      expect(count).toBeLessThanOrEqual(hoursKept * perHour + checks * 20);
    }
  expect(Math.max(...seen.map(({ incidents }) => incidents))).toBeGreaterThan(0);
  // Jobs that are done stay for two hours.
  expect(seen.at(-1)!.bytes).toBeLessThan(seen[3]!.bytes * 1.15);
}, 120_000);
