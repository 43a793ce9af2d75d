import { followRun, type Surroundings } from "../../server/watch/incidents/follow-run.ts";
import type { IncidentItem } from "../../server/watch/incidents/model.ts";
import { dueNotices } from "../../server/watch/incidents/notices.ts";
import type { GivenPolicy } from "../../server/watch/policy.ts";
import type { CheckRow } from "../../store/records/checks.ts";
import { insertCheck } from "../../store/records/checks.ts";
import { handOn, waitingNotices } from "../../store/records/notices.ts";
import { insertRun, type NewRun } from "../../store/records/runs.ts";
import { type TestApp, type TestAppOptions, testApp } from "./app.ts";

type Status = "passed" | "failed" | "error" | "aborted";
const LETTERS: Record<string, Status> = { P: "passed", F: "failed", E: "error", A: "aborted" };

/** A check whose runs end as a test says; nothing runs. */
export interface AlertLab {
  app: TestApp;
  check: CheckRow;
  /** Until when nothing is told; null for now. */
  quiet: { until: number | null };
  /** Runs that were to be made once more. */
  retried: string[];
  /** Loads the scenario's file again, with lines of frontmatter (`clones`) or `""`. */
  sync(lines: string): Promise<void>;
  /** Writes down a run that has ended now; its id. */
  ended(letter: string, region?: string, changes?: Partial<NewRun>): Promise<string>;
  /** Has a run decided on, as the job of its end does. */
  follow(runId: string): Promise<void>;
  /** One run a minute from now on: F fails, P passes, E is an error. Each is decided on. */
  run(letters: string, region?: string): Promise<void>;
  /** Hands on what is due now; `event region` each. */
  deliver(): Promise<string[]>;
  api<T>(path: string, body?: unknown): Promise<{ status: number; body: T }>;
  incidents(): Promise<IncidentItem[]>;
}

export async function alertLab({
  policy = { retries: 0 },
  regions = ["a", "b"],
  slug = "shop",
  clones = "",
  on,
  ...options
}: {
  policy?: GivenPolicy;
  regions?: string[];
  slug?: string;
  clones?: string;
  on?: TestApp;
} & TestAppOptions = {}): Promise<AlertLab> {
  const app = on ?? (await testApp(options));
  const { records } = app.store;
  const scenarioText = (lines: string) =>
    `---\nslug: ${slug}\ntitle: ${slug[0]!.toUpperCase()}${slug.slice(1)}\nbase_url: http://localhost:1\n${lines}---\n1. go to "/"\n`;
  async function sync(lines: string): Promise<void> {
    const files = [{ path: `${slug}.scenario.md`, text: scenarioText(lines) }];
    await app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
  }
  await sync(clones);
  const scenario = (await (await app.api(`/v1/scenarios/${slug}`)).json()) as { id: string };
  const now = app.clock.now();
  const check: CheckRow = {
    ...{ id: app.deps.ids.uuid(), org_id: app.orgId, scenario_id: scenario.id, origin: "api" },
    ...{ cron: "* * * * *", timezone: "UTC", regions: JSON.stringify(regions), shadow_prod: 0 },
    ...{ alert_policy: JSON.stringify(policy), enabled: 1, counts_from: 0, created_at: now, updated_at: now },
    ...{ paused_at: null, paused_until: null, paused_by: null },
    ...{ next_run_at: null, last_run_at: null, last_tick_at: null },
  };
  await insertCheck(records, check, 10);
  const quiet: AlertLab["quiet"] = { until: null };
  const retried: string[] = [];
  const surroundings: Surroundings = {
    quietUntil: async (_db, _of, at) => (quiet.until !== null && quiet.until > at ? quiet.until : null),
    retry: async (_trx, _after, { id }) => void retried.push(id),
  };
  const follow = (runId: string) => followRun(app.deps, surroundings, runId);

  async function ended(letter: string, region = regions[0]!, changes = {}): Promise<string> {
    const id = app.deps.ids.uuid();
    const at = app.clock.now();
    await insertRun(records, {
      ...{ id, org_id: app.orgId, type: "schedule", status: LETTERS[letter]!, scenario_id: scenario.id },
      ...{
        scenario_slug: slug,
        region,
        base_url: "http://localhost:1",
        trigger: "schedule",
        plan: "{}",
        check_id: check.id,
      },
      ...{ scheduled_at: at, started_at: at, ended_at: at, duration_ms: 1000, ...changes },
    });
    return id;
  }

  async function api<T>(path: string, body?: unknown) {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await app.api(path, { ...init, headers: { "content-type": "application/json" } });
    return { status: response.status, body: (await response.json()) as T };
  }

  return {
    ...{ app, check, quiet, retried, sync, ended, follow, api },
    async run(letters, region) {
      for (const letter of letters) {
        app.clock.advance(60_000);
        await follow(await ended(letter, region));
      }
    },
    async deliver() {
      const at = app.clock.now();
      const told: string[] = [];
      for (const { id, event, region } of await dueNotices(app.deps, surroundings, at, 100))
        if (await handOn(records, id, at)) told.push(`${event} ${region}`);
      if ((await waitingNotices(records, at, 1)).length > 0)
        throw new Error("Something that is due was left.");
      return told;
    },
    incidents: async () => (await api<{ items: IncidentItem[] }>("/v1/incidents")).body.items.reverse(),
  };
}
