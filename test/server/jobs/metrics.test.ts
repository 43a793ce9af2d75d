import { expect, test } from "bun:test";
import { testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";

test("/metrics tells how many jobs are in which state, and how long post-processing took", async () => {
  const on = await testApp();
  const file = bundle([manifest(), events(eventLines(2))]);
  await on.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file) });
  const metrics = async () => (await on.api("/metrics")).text();
  expect(await metrics()).toContain('tracedeck_jobs{state="queued",kind="trace.process"} 1');
  await on.runJobs();
  const after = await metrics();
  expect(after).toContain('tracedeck_jobs{state="done",kind="trace.process"} 1');
  expect(after).toContain('tracedeck_post_processing_seconds_count{status="failed"} 1');
  await on.close();
});
