import { testApp } from "../../helpers/app.ts";
import { eventLines, zstd } from "../../helpers/bundles.ts";

// Takes chunk 1 of a running trace, writes chunk 2 to disk, and dies before it is acknowledged.
const [dataDir, id] = process.argv.slice(2) as [string, string];
const on = await testApp({ dataDir });
const all = eventLines(8).split("\n");
const response = await on.api(`/internal/v1/traces/${id}/chunks?n=1`, {
  method: "POST",
  body: zstd(Buffer.from(`${all.slice(4, 6).join("\n")}\n`)) as Uint8Array<ArrayBuffer>,
});
console.log("acknowledged", response.status);
const appender = await on.store.events.openAppender(id);
await appender.append(
  all.slice(6, 8).map((line) => {
    const { seq, ts, kind } = JSON.parse(line) as { seq: number; ts: number; kind: string };
    return { line, seq, ts, kind };
  }),
);
process.kill(process.pid, "SIGKILL");
