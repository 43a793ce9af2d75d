import { testApp } from "../helpers/app.ts";
import { watchFor } from "../helpers/month.ts";

/**
 * What 50 checks in 3 regions leave in the records, one run a minute each: `bun test/soak/month.ts [days] [days kept]`, 30 and 7 unless
 * said otherwise. Prints rows and bytes every 6 hours.
 */
const [days = 30, kept = 7] = process.argv.slice(2).map(Number);
await using t = await testApp({ settings: { retention: { runs_days: kept } } });
await watchFor(t, { checks: 50, regions: 3, everyMinutes: 1, hours: days * 24 }, (now, hour) => {
  if (hour % 6 === 0) console.log(JSON.stringify({ hour, ...now }));
});
