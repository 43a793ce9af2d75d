import { expect } from "bun:test";
import { coverageOf, putCoverage } from "../../../../store/records/coverage.ts";
import { fingerprintsOf, keepFingerprints } from "../../../../store/records/fingerprints.ts";
import { recordingsOf, setRecordings } from "../../../../store/records/recordings.ts";
import {
  changeReplay,
  findReplayOf,
  findShownReplay,
  insertReplay,
  listReplays,
  replaysUnderWay,
} from "../../../../store/records/replays.ts";
import {
  addRunLogs,
  changeRun,
  findRun,
  insertRun,
  lastRunError,
  listRuns,
  type NewRun,
  pruneRuns,
  readRunLogs,
} from "../../../../store/records/runs.ts";
import {
  findScenario,
  listScenarioFiles,
  markMissing,
  pageOfScenarios,
  setScenarioFile,
  upsertScenario,
} from "../../../../store/records/scenarios.ts";
import {
  findShadowDiff,
  insertShadowDiff,
  setShadowDiffResult,
} from "../../../../store/records/shadow-diffs.ts";
import { endRun, keepRunVerdict } from "../../../../store/records/verdicts.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

async function run(on: FillableRecords, more: Partial<NewRun> = {}): Promise<string> {
  const id = on.ids.uuid();
  const { org_id = on.orgId } = more;
  await insertRun(on.records, {
    ...{ id, org_id, type: "manual", status: "queued", region: "local", base_url: null },
    ...{ scenario_id: await on.scenario(org_id, "checkout"), scenario_slug: "checkout" },
    ...{ trigger: "api", plan: "{}", scheduled_at: on.now() },
    ...more,
  });
  return id;
}

const scenarios: Contract = {
  noun: "scenarios",
  keeps: {
    "the scenario of a slug is made once, and a title that is given becomes its own": async ({
      records,
      orgId,
    }) => {
      const given = { orgId, slug: "pay", now: 1 };
      expect(await upsertScenario(records, { ...given, id: "a", title: null })).toEqual({
        id: "a",
        title: "pay",
      });
      expect(await upsertScenario(records, { ...given, id: "b", title: "Pay" })).toEqual({
        id: "a",
        title: "Pay",
      });
      expect(await upsertScenario(records, { ...given, id: "b", title: null })).toEqual({
        id: "a",
        title: "Pay",
      });
      expect(await findScenario(records, orgId, "A")).toMatchObject({ slug: "pay" });
      expect(await findScenario(records, orgId, "pay")).toMatchObject({ id: "a" });
    },
    "a page is chosen by part of slug or title, whatever the case of A to Z, and by whether there was a run":
      async (on) => {
        const titles = { pay: "Checkout 100%", search: "Find_it", users: "People" };
        for (const [slug, title] of Object.entries(titles))
          await upsertScenario(on.records, { id: slug, orgId: on.orgId, slug, title, now: 1 });
        const page = async (more: object) =>
          (await pageOfScenarios(on.records, { orgId: on.orgId, limit: 9, ...more })).map(({ slug }) => slug);
        expect(await page({ q: "CHECK" })).toEqual(["pay"]);
        expect(await page({ q: "0%" })).toEqual(["pay"]);
        expect(await page({ q: "_" })).toEqual(["search"]);
        expect(await page({ q: "SE" })).toEqual(["search", "users"]);
        await run(on, { scenario_id: "users", scenario_slug: "users" });
        expect(await page({ hasRun: true })).toEqual(["users"]);
        expect(await page({ hasRun: false, after: "pay" })).toEqual(["search"]);
      },
    "a file that is gone is missing until it comes again": async (on) => {
      const id = await on.scenario(on.orgId, "pay");
      const file = { title: "Pay", path: "pay.md", source: "#", compiled: "{}", now: 2 };
      await setScenarioFile(on.records, id, file);
      await markMissing(on.records, id, 3);
      expect(await listScenarioFiles(on.records, on.orgId)).toEqual([{ id, slug: "pay", missing: 1 }]);
      await setScenarioFile(on.records, id, file);
      expect(await listScenarioFiles(on.records, on.orgId)).toEqual([{ id, slug: "pay", missing: 0 }]);
    },
  },
};

const coverage: Contract = {
  noun: "coverage",
  keeps: {
    "a run that was cut short adds to what a scenario uses, a whole one replaces it": async (on) => {
      const id = await on.scenario(on.orgId, "pay");
      const put = (paths: string[], isWhole: boolean) =>
        putCoverage(on.records, id, { paths, isWhole, now: 1 });
      await put(["/b.js", "/a.js", "/a.js"], true);
      await put(["/c.js", "/a.js"], false);
      expect((await coverageOf(on.records, id)).map(({ path }) => path)).toEqual(["/a.js", "/b.js", "/c.js"]);
      await put(["/c.js"], true);
      expect(await coverageOf(on.records, id)).toEqual([{ path: "/c.js", updated_at: 1 }]);
    },
  },
};

const fingerprints: Contract = {
  noun: "fingerprints",
  keeps: {
    "what a run saw of an element takes the place of what was seen before": async (on) => {
      const id = await on.scenario(on.orgId, "pay");
      await keepFingerprints(on.records, id, { "button Pay": { n: 1 }, "link Home": { n: 1 } }, 1);
      await keepFingerprints(on.records, id, { "button Pay": { n: 2 } }, 2);
      expect(await fingerprintsOf(on.records, id)).toEqual({
        "button Pay": '{"n":2}',
        "link Home": '{"n":1}',
      });
    },
  },
};

const recordings: Contract = {
  noun: "recordings",
  keeps: {
    "bytes come back; the same ones again are no change": async (on) => {
      const id = await on.scenario(on.orgId, "pay");
      const one = { name: "cart", hash: "h", har: new Uint8Array([40, 181, 0]) };
      expect(await setRecordings(on.records, id, [one])).toBe(true);
      expect(await setRecordings(on.records, id, [one])).toBe(false);
      const [kept] = await recordingsOf(on.records, id);
      expect([...kept!.har]).toEqual([...one.har]);
      expect(await setRecordings(on.records, id, [])).toBe(true);
      expect(await recordingsOf(on.records, id)).toEqual([]);
    },
  },
};

const runs: Contract = {
  noun: "runs",
  keeps: {
    "runs are listed newest first, by what they are and by the repository of their pull request": async (
      on,
    ) => {
      const first = await run(on, { type: "pr", pr: JSON.stringify({ repo: "a/b", number: 7 }) });
      const second = await run(on, { status: "running", scheduled_at: on.now() + 10 });
      const list = async (more: object) =>
        (await listRuns(on.records, { orgId: on.orgId, limit: 9, ...more })).map(({ id }) => id);
      expect(await list({})).toEqual([second, first]);
      expect(await list({ after: second })).toEqual([first]);
      expect(await list({ repo: "a/b" })).toEqual([first]);
      expect(await list({ repo: "a/c" })).toEqual([]);
      expect(await list({ status: "running" })).toEqual([second]);
      expect(await list({ from: on.now() + 1, to: on.now() + 11 })).toEqual([second]);
    },
    "whoever changes a run second changes nothing": async (on) => {
      const id = await run(on);
      expect(await changeRun(on.records, id, ["queued"], { status: "running" })).toBe(true);
      expect(await changeRun(on.records, id, ["queued"], { status: "aborted" })).toBe(false);
      expect(await findRun(on.records, id)).toMatchObject({ status: "running", attempt: 1, duration_ms: 0 });
    },
    "lines of a log go on from the last one, and go with their run": async (on) => {
      const ended_at = on.now() + 5;
      const id = await run(on, { status: "passed", ended_at });
      const line = { ts: 1, level: "info" as const, message: "m", step_id: null };
      await addRunLogs(on.records, id, [line, { ...line, level: "error", message: "first" }]);
      await addRunLogs(on.records, id, [{ ...line, level: "error", message: "last" }]);
      const read = await readRunLogs(on.records, id, { after: 0, limit: 9 });
      expect(read.map(({ seq, message }) => [seq, message])).toEqual([
        [1, "first"],
        [2, "last"],
      ]);
      expect(await lastRunError(on.records, id)).toMatchObject({ message: "last" });
      expect(await pruneRuns(on.records, ended_at, 9)).toBe(0);
      expect(await pruneRuns(on.records, ended_at + 1, 9)).toBe(1);
      expect(await readRunLogs(on.records, id, { after: -1, limit: 9 })).toEqual([]);
    },
  },
};

const verdicts: Contract = {
  noun: "verdicts",
  keeps: {
    "a run's verdict is final with its trace's last word": async (on) => {
      const trace_id = await on.trace(on.orgId, { status: "queued" });
      const id = await run(on, { trace_id });
      const verdict = { status: "failed" as const, ended_at: 9, duration_ms: 3, error_reason: null };
      await on.records.transaction().execute(async (trx) => {
        await keepRunVerdict(trx, id, { ...verdict, error_message: null, heals: null });
        expect(await endRun(trx, (await findRun(trx, id))!)).toBe(false);
      });
      await on.records.updateTable("traces").set({ status: "failed" }).where("id", "=", trace_id).execute();
      await on.records.transaction().execute(async (trx) => {
        expect(await endRun(trx, (await findRun(trx, id))!)).toBe(true);
      });
      expect(await findRun(on.records, id)).toMatchObject({ ...verdict, verdict: null });
    },
  },
};

const shadowDiffs: Contract = {
  noun: "shadow-diffs",
  keeps: {
    "one is found by any of its three runs": async (on) => {
      const run_id = await run(on);
      await insertShadowDiff(on.records, {
        run_id,
        production_run_id: "p",
        repeated_run_id: "r",
        result: null,
      });
      await setShadowDiffResult(on.records, run_id, "{}");
      for (const id of [run_id, "p", "r"])
        expect(await findShadowDiff(on.records, id)).toMatchObject({ run_id, result: "{}" });
      expect(await findShadowDiff(on.records, "none")).toBeNull();
    },
  },
};

const replays: Contract = {
  noun: "replays",
  keeps: {
    "one tells how its trace stands, is listed with its source, newest first, and goes with it": async (
      on,
    ) => {
      const trace_id = await on.trace(on.orgId);
      const replay_trace_id = await on.trace(on.orgId, { status: "failed" });
      const made = {
        org_id: on.orgId,
        trace_id,
        from_step: 2,
        triggered_via: "api",
        plan: "{}",
        has_edits: 0,
      };
      const [first, second] = [on.ids.uuid(), on.ids.uuid()];
      for (const id of [first, second])
        await insertReplay(on.records, { ...made, id, status: "queued", created_at: 1 });
      expect(await changeReplay(on.records, first, ["queued"], { status: "running", replay_trace_id })).toBe(
        true,
      );
      expect(await changeReplay(on.records, first, ["queued"], { status: "failed" })).toBe(false);
      expect(await findShownReplay(on.records, first)).toMatchObject({ result_status: "failed" });
      expect(await findReplayOf(on.records, replay_trace_id)).toMatchObject({ id: first });
      expect(await replaysUnderWay(on.records, "s")).toHaveLength(1);
      const list = async () => (await listReplays(on.records, trace_id, 9)).map(({ id }) => id);
      expect(await list()).toEqual([second, first]);
      await on.records.deleteFrom("traces").where("id", "=", trace_id).execute();
      expect(await list()).toEqual([]);
    },
  },
};

export const RUNS = [scenarios, coverage, fingerprints, recordings, runs, verdicts, shadowDiffs, replays];
