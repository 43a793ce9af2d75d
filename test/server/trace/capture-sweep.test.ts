import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runnerOf } from "../../../server/run/pool/local-sink.ts";
import { createCaptureService, SILENCE_MS } from "../../../server/trace/capture/service.ts";
import { testApp } from "../../helpers/app.ts";
import { getJson, runPeriodic } from "../../helpers/traces.ts";

test("a silent capture that cannot be ended keeps none behind it from being ended", async () => {
  await using app = await testApp();
  const service = createCaptureService(app.deps);
  const begin = async () =>
    (await service.begin(runnerOf(app.orgId), { version: 1, scenario: { slug: "checkout" } }, "")).trace_id;
  const broken = await begin();
  // What stands for an event file that the disk can neither read nor write any more.
  mkdirSync(join(app.dataDir, "traces", broken, "events.ndjson.zst"), { recursive: true });
  const whole = await begin();
  app.clock.advance(SILENCE_MS + 1);
  await runPeriodic(app, "capture.sweep");
  expect((await getJson(app, `/v1/traces/${whole}`)).status).toBe("aborted");
  expect((await getJson(app, `/v1/traces/${broken}`)).status).toBe("running");
  expect(app.logged.join("")).toContain("A silent capture could not be ended");
});
