import { followRun, type Surroundings } from "../../server/watch/incidents/follow-run.ts";
import { surroundingsOf } from "../../server/watch/incidents/surroundings.ts";
import { putArtifact } from "../../store/records/artifacts.ts";
import { putCause } from "../../store/records/causes.ts";
import type { Trx } from "../../store/records/db.ts";
import { addRunLogs } from "../../store/records/runs.ts";
import { setSearchText } from "../../store/records/search.ts";
import { insertTrace } from "../../store/records/traces.ts";
import type { TestApp } from "./app.ts";
import { statement } from "./statement.ts";
import { runPeriodic } from "./traces.ts";
import { watched } from "./watch.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a run takes. */
const TAKES_MS = 4000;
const REGIONS = ["us-east-1", "eu-west-1", "ap-south-1"];
/** Each scenario fails in one region for so many fires in a row, once in so many hours. */
const FAILS = { fires: 4, everyHours: 6 };
/** What a server does by itself every hour, in the order of its list. */
const HOURLY = [
  ...["traces.expire", "runs.prune", "skipped ticks", "incidents.prune", "notices", "deliveries.prune"],
  ...["jobs.prune", "records.give_back"],
];
/** Kinds of jobs that a run leaves behind as done, besides those that happen here. */
const JOBS = [
  "run.execute",
  "trace.process",
  "trace.recompress",
  "run.ended",
  "trace.move_down",
  "trace.tidy",
];

export interface Watched {
  checks: number;
  /** Up to 3. */
  regions: number;
  /** Minutes between two runs of a check in a region. */
  everyMinutes: number;
  hours: number;
}

export interface Kept {
  runs: number;
  traces: number;
  results: number;
  incidents: number;
  /** Of the database, and what of it is free. */
  bytes: number;
  free: number;
  /** Milliseconds of the processor that hour took, by what was done. */
  took: Record<"fires" | "runs" | "decisions" | "removals", number>;
}

/**
 * Lets checks run, minute after minute of a clock that is moved: the scheduler makes their runs, alert rules decide on each, incidents open and
 * end, notices are handed on, and every hour all that a server removes is removed. Only the browser and the files are left out: a
 * run's rows are written as a run of ten steps leaves them (its trace with the words it is found by, four artifacts, six lines of log, its
 * jobs), those of a fire in one transaction.
 * @param look is told what is there after every hour
 */
export async function watchFor(
  t: TestApp,
  { checks, regions, everyMinutes, hours }: Watched,
  look: (kept: Kept, hour: number) => void,
): Promise<void> {
  for (let n = 0; n < checks; n++)
    await watched(t, `watched-${n}`, {
      ...{ cron: `*/${everyMinutes} * * * *`, regions: REGIONS.slice(0, regions), enabled: true },
      alert_policy: { retries: 0, consecutive_failures: 2 },
    });
  // What is measured is not how fast a disk is.
  await statement(t.store, "PRAGMA synchronous = OFF");
  const surroundings = surroundingsOf(t.deps);
  const firstHour = Math.floor(t.clock.now() / HOUR_MS);
  for (let hour = 1; hour <= hours; hour++) {
    const took = { fires: 0, runs: 0, decisions: 0, removals: 0 };
    const timed = async <T>(what: keyof typeof took, work: () => Promise<T>): Promise<T> => {
      const before = process.cpuUsage();
      const result = await work();
      const { user, system } = process.cpuUsage(before);
      took[what] += (user + system) / 1000;
      return result;
    };
    for (const end = t.clock.now() + HOUR_MS; t.clock.now() < end; ) {
      t.clock.advance(everyMinutes * MINUTE_MS);
      await timed("fires", () => t.tick());
      const ids = await timed("runs", () => endRuns(t, { firstHour, everyMinutes }));
      await timed("decisions", () => decide(t, surroundings, ids));
    }
    await timed("removals", async () => {
      for (const task of HOURLY) await runPeriodic(t, task);
    });
    look(await countAll(t, took), hour);
  }
}

async function decide(t: TestApp, surroundings: Surroundings, ids: string[]): Promise<void> {
  for (const id of ids) await followRun(t.deps, surroundings, id);
}

interface Series {
  firstHour: number;
  everyMinutes: number;
}

/** Gives every run that waits its end, and what it leaves. @returns their ids */
async function endRuns(t: TestApp, series: Series): Promise<string[]> {
  const { records } = t.store;
  const waiting = await records
    .selectFrom("runs")
    .select(["id", "scenario_id", "scenario_slug", "region"])
    .where("status", "=", "queued")
    .orderBy("id")
    .execute();
  const at = t.clock.now();
  await records.transaction().execute(async (trx) => {
    for (const run of waiting) await endRun(t, trx, { ...run, at, isFailed: fails(run, at, series) });
    // They got their places, and are not carried out.
    await trx
      .updateTable("jobs")
      .set({ state: "done", finished_at: at })
      .where("kind", "=", "run.execute")
      .where("state", "=", "queued")
      .execute();
    // Written to the folders of traces, which are not made.
    await trx.deleteFrom("trace_records_due").execute();
  });
  return waiting.map(({ id }) => id);
}

/** One region after the other, so that regions are no outage together; another moment for each scenario. */
function fails(
  run: { scenario_slug: string; region: string },
  at: number,
  { firstHour, everyMinutes }: Series,
): boolean {
  const number = Number(run.scenario_slug.split("-")[1]);
  const turn = Math.floor(at / HOUR_MS) - firstHour + number + 2 * REGIONS.indexOf(run.region);
  const minute = Math.floor(at / MINUTE_MS) % 60;
  return turn % FAILS.everyHours === 0 && minute >= 10 && minute < 10 + FAILS.fires * everyMinutes;
}

interface Ending {
  id: string;
  scenario_id: string;
  scenario_slug: string;
  region: string;
  at: number;
  isFailed: boolean;
}

async function endRun(t: TestApp, trx: Trx, run: Ending): Promise<void> {
  const { ids } = t.deps;
  const { at, isFailed } = run;
  const status = isFailed ? "failed" : "passed";
  const ended_at = at + TAKES_MS;
  const trace_id = ids.uuid();
  const failure = {
    failure_signature: `sig_${run.scenario_slug}`,
    failure_message: 'The text "Order confirmed" did not come within 5 s.',
    ...{ failed_step_id: "10", failed_step_title: 'expect text "Order confirmed" within 5s' },
    ...{ error_count: 1, pinned: 1, auto_pinned: 1 },
  };
  const ord = await insertTrace(trx, {
    ...{ id: trace_id, org_id: t.orgId, short_id: ids.shortId(), scenario_id: run.scenario_id },
    ...{ scenario_slug: run.scenario_slug, scenario_title: run.scenario_slug, status, tier: "hot" },
    ...{ source: "schedule", run_id: run.id, region: run.region, by_clock: 1, env: ENVIRONMENT },
    ...{ started_at: at, ended_at, duration_ms: TAKES_MS, event_count: 180, total_size_bytes: 150_000 },
    ...(isFailed && failure),
  });
  await setSearchText(trx, ord, wordsOf(run, isFailed));
  for (const kind of ["ndjson", "event_index", "summary", "playwright"])
    await putArtifact(trx, {
      ...{ trace_id, kind, path: `traces/${trace_id}/${kind}.0123456789ab.zst`, size: 40_000 },
      ...{ media_type: "application/octet-stream", sha256: "0".repeat(64) },
    });
  if (isFailed)
    await putCause(trx, {
      ...{ trace_id, engine: 1, baseline_id: null, headline: failure.failure_message, made_at: ended_at },
      cause: JSON.stringify({ suspects: REQUESTS.slice(0, 10) }),
    });
  await addRunLogs(
    trx,
    run.id,
    STEPS.slice(0, 6).map((message) => ({ ts: at, level: "info" as const, message, step_id: "1" })),
  );
  await trx
    .updateTable("runs")
    .set({ status, trace_id, started_at: at, ended_at, duration_ms: TAKES_MS })
    .where("id", "=", run.id)
    .execute();
  await trx
    .insertInto("jobs")
    .values(
      JOBS.map((kind) => ({
        ...{ id: ids.uuid(), kind, dedupe_key: trace_id, payload: JSON.stringify({ trace_id }) },
        ...{ state: "done" as const, attempts: 1, max_attempts: 3, visible_at: at, lease_token: null },
        ...{ last_error: null, created_at: at, finished_at: ended_at },
      })),
    )
    .execute();
}

const ENVIRONMENT = JSON.stringify({
  ...{ browser: "chromium", browser_version: "142.0.7444.0", viewport: "1280x720", locale: "en-GB" },
  ...{ user_agent: "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0" },
});
const STEPS = [
  ...['go to "/"', 'click button "Add to cart"', 'click link "Checkout"', 'fill field "Email" with "…"'],
  ...['fill field "Card" with "…"', 'select "DE" in "Country"', 'check "I agree"', 'click button "Pay"'],
  ...["wait for request", 'expect text "Order confirmed" within 5s'],
];
const REQUESTS = Array.from(
  { length: 30 },
  (_, at) =>
    `https://shop.example/${["api", "assets", "images"][at % 3]}/part-${at}.${["json", "js", "webp"][at % 3]}`,
);

function wordsOf({ id, region }: Ending, isFailed: boolean) {
  return {
    title: "Guest checkout",
    failure: isFailed ? 'The text "Order confirmed" did not come within 5 s.' : "",
    console: `checkout of ${id} began in ${region}`,
    requests: [...REQUESTS, `https://shop.example/orders/${id}`].join("\n"),
    assertions: STEPS[9]!,
    thoughts: STEPS.map((step) => `found by role and name: ${step}`).join("\n"),
    steps: STEPS.join("\n"),
    kinds: [
      "agent.action",
      "agent.thought",
      "assertion",
      "console.log",
      "network.request",
      "network.response",
    ],
  };
}

async function countAll(t: TestApp, took: Kept["took"]): Promise<Kept> {
  const one = async (sql: string) => Number(Object.values((await statement(t.store, sql))[0]!)[0]);
  const [page, pages, free] = [
    await one("PRAGMA page_size"),
    await one("PRAGMA page_count"),
    await one("PRAGMA freelist_count"),
  ];
  return {
    runs: await one("SELECT count(*) FROM runs"),
    traces: await one("SELECT count(*) FROM traces"),
    results: await one("SELECT count(*) FROM alert_results"),
    incidents: await one("SELECT count(*) FROM incidents"),
    bytes: page * pages,
    free: page * free,
    took,
  };
}
