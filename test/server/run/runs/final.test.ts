import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../../fixtures/app/shop.ts";
import { failOrphanedRuns } from "../../../../server/run/runs/handlers.ts";
import { settleRun } from "../../../../server/run/runs/settle.ts";
import { ENDED, findRun } from "../../../../store/records/runs.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { startHostile } from "../../../helpers/hostile.ts";
import { replayLab } from "../../../helpers/replays.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let shop: Shop;
let hostile: ReturnType<typeof startHostile>;
beforeAll(async () => {
  const unlimited = { reads_per_minute: 1e6, writes_per_minute: 1e6, ingests_per_minute: 1e6 };
  app = await testApp({ settings: { rate_limits: unlimited } });
  shop = startShop();
  hostile = startHostile();
});
afterAll(async () => {
  await app.close();
  await shop.stop();
  await hostile.stop();
});

interface Run {
  id: string;
  status: "passed" | "failed" | "error" | "aborted" | "running" | "queued";
  trace_id: string | null;
  failure_signature: string | null;
  ended_at: string | null;
  error: { reason: string | null; message: string } | null;
}
const read = async <T>(path: string): Promise<T> => (await (await app.api(path)).json()) as T;
const isFinal = ({ status }: Run) => ENDED.includes(status);

async function asked(slug: string, steps: string[], more: Record<string, unknown> = {}): Promise<string> {
  const lab = replayLab(app);
  await lab.scenario(slug, steps);
  const answer = await lab.post("/v1/runs/manual", { scenarioId: slug, baseUrl: shop.url, ...more });
  return ((await answer.json()) as Run).id;
}

/** Looks again and again while jobs are carried out, and at every news of the run; the first final answers. */
async function firstFinal(id: string): Promise<Run[]> {
  const found: Run[] = [];
  const over = new AbortController();
  const topics = [["run", id] as const, ["run-logs", id] as const, ["runs", app.orgId] as const];
  const listening = topics.map(async ([topic, key]) => {
    for await (const _ of app.deps.hub.subscribe(topic, key, over.signal)) {
      const run = await read<Run>(`/v1/runs/${id}`);
      if (isFinal(run)) found.push(run);
    }
  });
  const polling = (async () => {
    while (!over.signal.aborted) {
      const run = await read<Run>(`/v1/runs/${id}`);
      if (isFinal(run)) return found.push(run);
      await Bun.sleep(1);
    }
    return 0;
  })();
  await app.runJobs();
  await polling;
  over.abort();
  await Promise.all(listening);
  return found;
}

test("whoever sees a run's final status sees its signature, its error and its trace's last word", async () => {
  for (let turn = 0; turn < 2; turn++) {
    const id = await asked("tells", ['go to "/"', 'expect text "Sold out" within 100ms']);
    const seen = await firstFinal(id);
    expect(seen.length).toBeGreaterThan(1);
    for (const run of seen) {
      expect(run).toMatchObject({
        status: "failed",
        failure_signature: expect.stringMatching(/^sig_/),
        ended_at: expect.any(String),
        error: { message: expect.stringContaining("Sold out") },
      });
      expect(await read<{ status: string }>(`/v1/traces/${run.trace_id}`)).toMatchObject({
        status: "failed",
      });
    }
  }
});

test("a run whose server died between its verdict and its trace's is final with the trace, as it ended", async () => {
  const id = await asked("between", ['go to "/"', 'expect text "Sold out" within 100ms']);
  await app.runJobs();
  const done = await findRun(app.store.records, id);
  // As the records stand when the verdict is kept and the trace is queued.
  await app.store.records
    .updateTable("runs")
    .set({ status: "running", error_message: null, ended_at: null })
    .where("id", "=", id)
    .execute();
  await app.store.records
    .updateTable("traces")
    .set({ status: "queued" })
    .where("id", "=", done!.trace_id!)
    .execute();
  await settleRun(
    app.deps,
    { id },
    {
      status: "failed",
      error: { reason: null, message: "Sold out is not there.", stepId: "s2" },
    },
  );
  expect(await read<Run>(`/v1/runs/${id}`)).toMatchObject({ status: "running", ended_at: null });
  await failOrphanedRuns(app.deps);
  expect(await read<Run>(`/v1/runs/${id}`)).toMatchObject({ status: "running" });
  await app.deps.jobs.add(app.store.records, {
    kind: "trace.process",
    payload: { trace_id: done!.trace_id },
  });
  await app.runJobs();
  expect(await read<Run>(`/v1/runs/${id}`)).toMatchObject({
    status: "failed",
    failure_signature: expect.stringMatching(/^sig_/),
    error: { message: "Sold out is not there." },
  });
});

test("a run whose time its target used up, so that nothing could be asked of it any more, is failed", async () => {
  const lab = replayLab(app);
  await lab.scenario("flooded", ['go to "/shouting"', 'expect text "Nothing" within 1h'], "timeout: 4s\n");
  const answer = await lab.post("/v1/runs/manual", { scenarioId: "flooded", baseUrl: hostile.url });
  const { id } = (await answer.json()) as Run;
  let isOver = false;
  const work = app.runJobs().finally(() => {
    isOver = true;
  });
  const log = app.store.records.selectFrom("run_logs").select("step_id").where("run_id", "=", id);
  await until("the step that never ends has begun", async () =>
    (await log.execute()).some(({ step_id }) => step_id === "s2"),
  );
  await until("the run has ended", () => {
    app.clock.advance(1000);
    return isOver;
  });
  await work;
  expect(await read<Run>(`/v1/runs/${id}`)).toMatchObject({
    status: "failed",
    failure_signature: expect.stringMatching(/^sig_/),
    error: { message: expect.stringContaining("longer than its 4 s") },
  });
});
