import { parseArgs } from "node:util";
import { testApp } from "../helpers/app.ts";
import { watchFor } from "../helpers/month.ts";

/**
 * `bun test/soak/month.ts [days] [days kept] [--checks 50] [--regions 3]`: what checks that run every minute leave in the records, 30 days
 * with `retention.runs_days` of 7 unless said otherwise. A month of 50 checks takes a night. Prints what is kept after every sixth of a day, and ends
 * with 1 when the database is still growing once the days that are kept are over.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { checks: { type: "string", default: "50" }, regions: { type: "string", default: "3" } },
});
const [days, kept] = [Number(positionals[0] ?? 30), Number(positionals[1] ?? 7)];
const [checks, regions] = [Number(values.checks), Number(values.regions)];
if (!(days > kept && kept > 0 && checks >= 1 && regions >= 1 && regions <= 3)) {
  console.error("Usage: bun test/soak/month.ts [days] [days kept, fewer] [--checks n] [--regions 1 to 3]");
  process.exit(2);
}

/** Once what is kept is full, the size goes up and down with the words of removed traces; its peaks may differ by so much. */
const SLACK = 1.1;
const HOURS = 24;
const printEvery = Math.max(1, Math.min(4, Math.round((kept * HOURS) / 2)));
await using t = await testApp({
  settings: { retention: { runs_days: kept, hot_days: 9999, warm_days: 9999 } },
});
const sizes: number[] = [];
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
await watchFor(t, { checks, regions, everyMinutes: 1, hours: days * HOURS }, (now, hour) => {
  sizes.push(now.bytes);
  if (hour % printEvery !== 0) return;
  const { runs, traces, incidents, bytes, free, took } = now;
  const spent = Object.entries(took).map(([what, ms]) => `${what} ${(ms / 1000).toFixed(1)} s`);
  console.log(
    `day ${(hour / HOURS).toFixed(2)}: ${runs} runs, ${traces} traces, ${incidents} incidents, ${mb(bytes)} of which ${mb(free)} free, ` +
      `${(bytes / Math.max(1, runs) / 1000).toFixed(1)} kB a run; processor of the last hour: ${spent.join(", ")}`,
  );
});
const span = Math.ceil(1.5 * kept * HOURS);
const [early, late] = [sizes.slice(0, span + kept * HOURS), sizes.slice(-span)].map((some) =>
  Math.max(...some),
);
const isFlat = late! <= early! * SLACK;
console.log(
  `${isFlat ? "flat" : "STILL GROWING"}: ${mb(early!)} at most after two and a half times the days that are kept, ${mb(late!)} at most at the end`,
);
process.exitCode = isFlat ? 0 : 1;
