import { createBudget } from "../../server/trace/ingest/budget.ts";
import { checkPlaywright } from "../../server/trace/ingest/playwright.ts";

// Checks the archive named first under the budget named second, alone in a process, so that its memory can be told.
const [path = "", budget = "0"] = process.argv.slice(2);
Bun.gc(true);
const before = process.memoryUsage.rss();
let peak = before;
const look = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const watching = setInterval(look, 5);
await checkPlaywright(path, createBudget(Number(budget)), []);
look();
clearInterval(watching);
console.log(JSON.stringify({ grown: peak - before }));
