import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { systemClock } from "../../server/platform/clock.ts";
import { createLog } from "../../server/platform/log.ts";
import { decideOn, followRun } from "../../server/watch/incidents/follow-run.ts";
import { surroundingsOf } from "../../server/watch/incidents/surroundings.ts";
import { policyOf } from "../../server/watch/policy.ts";
import { type AlertResultRow, insertAlertResult } from "../../store/records/alert-results.ts";
import { type CheckRow, insertCheck } from "../../store/records/checks.ts";
import { insertRun } from "../../store/records/runs.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

/** Results that are kept, and decisions that are measured. */
const FULL = { small: 10_000, large: 1_000_000, decisions: 300 };
const SMALL: typeof FULL = { small: 300, large: 3_000, decisions: 30 };
const SCENARIOS = 50;
const REGIONS = ["us-east-1", "eu-west-1", "ap-south-1"];
const LIMIT_MS = 1;
const TRIES = 5;
const MINUTE_MS = 60_000;

interface Measured {
  /** Median of a decision: what is read for it, and what is made of it. */
  decision: number;
  p99: number;
  /** Median of the whole: the result, the decision, what it changes, and the disk. */
  whole: number;
}

/** How long an alert is decided on at 1,000,000 stored results, against the same at 10,000 and against a millisecond. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const { small, large, decisions } = isSmall ? SMALL : FULL;
  const few = await measure(small, decisions);
  const many = await measure(large, decisions);
  const ratio = many.decision / few.decision;
  const millis = (ms: number) => `${ms.toFixed(3)} ms`;
  return [
    {
      name: `alert decision at ${large.toLocaleString("en")} results against ${small.toLocaleString("en")}`,
      ratio,
      target: "≤ 2",
      ok: ratio <= 2,
      detail: `${millis(many.decision)} against ${millis(few.decision)}`,
    },
    {
      name: `alert decision in milliseconds at ${large.toLocaleString("en")} results`,
      ratio: many.p99 / LIMIT_MS,
      target: "≤ 1",
      ok: many.p99 <= LIMIT_MS,
      detail: `median ${millis(many.decision)}, 99th percentile ${millis(many.p99)}; ${millis(many.whole)} with its transaction on the disk`,
    },
  ];
}

async function measure(results: number, decisions: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const log = createLog({
      clock: systemClock,
      level: "error",
      write: (line) => process.stderr.write(line),
    });
    const runtime = await createRuntime(loadConfig({ data: folder, port: 0 }, {}), { log });
    const { deps } = runtime;
    const { records } = deps.store;
    const orgId = runtime.credentials.org_id;
    const now = deps.clock.now();
    const checks: CheckRow[] = [];
    for (let number = 0; number < SCENARIOS; number++) {
      const id = deps.ids.uuid();
      const at = { created_at: now, updated_at: now };
      const named = { slug: `flow-${number}`, title: `Flow ${number}` };
      await records
        .insertInto("scenarios")
        .values({ id, org_id: orgId, ...named, ...at })
        .execute();
      const check: CheckRow = {
        ...{ id: deps.ids.uuid(), org_id: orgId, scenario_id: id, origin: "api", cron: "* * * * *" },
        ...{ timezone: "UTC", regions: JSON.stringify(REGIONS), shadow_prod: 0, enabled: 1, counts_from: 0 },
        ...{ alert_policy: '{"retries":0,"latency_p99":{"ms":60000}}', ...at, paused_at: null },
        ...{ paused_until: null, paused_by: null, next_run_at: null, last_run_at: null, last_tick_at: null },
      };
      await insertCheck(records, check, SCENARIOS);
      checks.push(check);
    }
    fill(deps.store.layout.database, { orgId, checks, results, now });
    const surroundings = surroundingsOf(deps);
    const took: number[] = [];
    const whole: number[] = [];
    for (let turn = 0; turn < decisions; turn++) {
      const check = checks[turn % SCENARIOS]!;
      const id = deps.ids.uuid();
      // Some fail in a row, so that incidents are open meanwhile.
      const status = turn % 7 === 0 || turn % 11 < 4 ? "failed" : "passed";
      const region = REGIONS[turn % REGIONS.length]!;
      const at = now + turn * 1000;
      const row: AlertResultRow = {
        ...{ run_id: id, org_id: orgId, scenario_id: check.scenario_id, region, kind: "run", status, at },
        ...{ duration_ms: 900, failure_signature: null, trace_id: null, healed: 0, ignored: null },
      };
      const asked = { check, policy: policyOf(check), row, now: at };
      await records.transaction().execute(async (trx) => {
        await insertAlertResult(trx, row);
        // It changes nothing: the best of some is without what else the machine does.
        let best = Number.POSITIVE_INFINITY;
        for (let again = 0; again < TRIES; again++) {
          const begun = performance.now();
          await decideOn(deps, trx, surroundings, asked);
          best = Math.min(best, performance.now() - begun);
        }
        took.push(best);
      });
      const run = deps.ids.uuid();
      await insertRun(records, {
        ...{ id: run, org_id: orgId, type: "schedule", status, scenario_id: check.scenario_id },
        ...{ scenario_slug: "flow", region, base_url: null, trigger: "schedule", plan: "{}" },
        ...{ check_id: check.id, scheduled_at: at, started_at: at, ended_at: at + 1, duration_ms: 900 },
      });
      const begun = performance.now();
      await followRun(deps, surroundings, run);
      whole.push(performance.now() - begun);
    }
    await runtime.close();
    const at = (values: number[], share: number) =>
      values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
    // The first ones prepare their statements.
    const warm = took.slice(Math.floor(decisions / 10));
    return { decision: at(warm, 0.5), p99: at(warm, 0.99), whole: at(whole, 0.5) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One result a minute of each scenario and region, one of fifty failed, until now. */
function fill(
  database: string,
  { orgId, checks, results, now }: { orgId: string; checks: CheckRow[]; results: number; now: number },
): void {
  const sqlite = new Database(database);
  sqlite.exec("PRAGMA synchronous = OFF");
  const insert = sqlite.query(`INSERT INTO alert_results
    (run_id, org_id, scenario_id, region, kind, status, at, duration_ms, healed) VALUES (?, ?, ?, ?, 'run', ?, ?, ?, 0)`);
  const series = SCENARIOS * REGIONS.length;
  sqlite.transaction(() => {
    for (let number = 0; number < results; number++) {
      const { scenario_id } = checks[number % SCENARIOS]!;
      const region = REGIONS[Math.floor(number / SCENARIOS) % REGIONS.length]!;
      const at = now - (Math.floor((results - number - 1) / series) + 1) * MINUTE_MS;
      const status = (number * 7919) % 50 === 0 ? "failed" : "passed";
      insert.run(`r${number}`, orgId, scenario_id, region, status, at, 500 + (number % 700));
    }
  })();
  sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite.close();
}
