import { expect } from "bun:test";
import {
  commitRecordings,
  keepCommitRecordings,
  pruneCommitRecordings,
} from "../../../../store/records/commit-recordings.ts";
import {
  gateRunOn,
  gateScenarioOfRun,
  gateScenarios,
  insertGateScenarios,
  noteBaseRun,
  noteFinding,
  noteGateRun,
} from "../../../../store/records/gate-scenarios.ts";
import {
  changeGate,
  decideGate,
  findGate,
  gateAlone,
  insertGate,
  listGates,
  type NewGate,
  noteTold,
  OPEN_GATE,
  openGateOf,
  openGatesOfCommit,
  pruneGates,
  untoldGates,
} from "../../../../store/records/gates.ts";
import {
  findPullRequest,
  findPullRequestByNumber,
  listPullRequests,
  pointToGate,
  prunePullRequests,
  putPullRequest,
} from "../../../../store/records/pull-requests.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const SHA = "a".repeat(40);

const pull = (on: FillableRecords, more: object = {}) =>
  putPullRequest(on.records, {
    ...{ id: on.ids.uuid(), org_id: on.orgId, repository: "acme/shop", number: 1, title: "One", url: null },
    ...{
      author: null,
      state: "open" as const,
      head_sha: SHA,
      head_ref: "b",
      base_sha: "c",
      base_ref: "main",
    },
    ...{ host_updated_at: 10, changed_at: 10, ...more },
  });

async function gate(on: FillableRecords, more: Partial<NewGate> = {}): Promise<string> {
  const id = on.ids.uuid();
  const isNew = await insertGate(on.records, {
    ...{ id, org_id: on.orgId, kind: "pull_request", repository: "acme/shop", pull_request_id: null },
    ...{ pr_number: 1, head_sha: SHA, head_ref: "b", base_sha: "c", is_fork: 0, attempt: 1 },
    ...{ trigger: "api", status: "queued", created_at: on.now(), ...more },
  });
  return isNew ? id : "";
}

const pullRequests: Contract = {
  noun: "pull-requests",
  keeps: {
    "news of a pull request is taken, and what is older than what is known is not": async (on) => {
      const first = await pull(on);
      expect(first).toMatchObject({ isNews: true, row: { title: "One", gate_id: null } });
      await pointToGate(on.records, first.row.id, { gateId: "g", now: 20 });
      const newer = await pull(on, { title: "Two", host_updated_at: 11 });
      expect(newer).toMatchObject({ isNews: true, row: { id: first.row.id, title: "Two", gate_id: "g" } });
      expect(await pull(on, { title: "Old", host_updated_at: 9 })).toMatchObject({
        isNews: false,
        row: { title: "Two" },
      });
      expect(await findPullRequest(on.records, first.row.id)).toMatchObject({ title: "Two" });
      const of = { orgId: on.orgId, repository: "acme/shop" };
      expect(await findPullRequestByNumber(on.records, { ...of, number: 1 })).toMatchObject({ title: "Two" });
      expect(await findPullRequestByNumber(on.records, { ...of, number: 2 })).toBeNull();
    },
    "they are listed by when something was heard of them, and go when they are closed and old": async (
      on,
    ) => {
      await pull(on, { number: 1, changed_at: 10, state: "closed" });
      await pull(on, { number: 2, changed_at: 30 });
      await pull(on, { number: 3, changed_at: 20, repository: "acme/other" });
      await pull(on, { number: 4, org_id: await on.org("other") });
      // Known from CI alone: nobody says when it was closed.
      await pull(on, { number: 5, changed_at: 5, host_updated_at: 0, repository: "acme/ci" });
      const list = async (more: object) =>
        (await listPullRequests(on.records, { orgId: on.orgId, limit: 9, ...more })).map(
          ({ number }) => number,
        );
      expect(await list({})).toEqual([2, 3, 1, 5]);
      expect(await list({ state: "open" })).toEqual([2, 3, 5]);
      expect(await list({ repository: "acme/other" })).toEqual([3]);
      expect(await list({ number: 1 })).toEqual([1]);
      const [last] = await listPullRequests(on.records, { orgId: on.orgId, limit: 1 });
      expect(await list({ after: { at: last!.changed_at, id: last!.id } })).toEqual([3, 1, 5]);
      expect(await prunePullRequests(on.records, 25, 9)).toBe(2);
      expect(await list({})).toEqual([2, 3]);
    },
  },
};

const gates: Contract = {
  noun: "gates",
  keeps: {
    "a pull request has one open gate, a commit each attempt once": async (on) => {
      const { row } = await pull(on);
      const of = { pull_request_id: row.id };
      const first = await gate(on, of);
      expect(await gate(on, { ...of, attempt: 2 })).toBe("");
      expect(await openGateOf(on.records, row.id)).toMatchObject({ id: first });
      expect(await changeGate(on.records, first, OPEN_GATE, { status: "passed" })).toBe(true);
      expect(await changeGate(on.records, first, OPEN_GATE, { status: "failed" })).toBe(false);
      expect(await openGateOf(on.records, row.id)).toBeNull();
      expect(await gate(on, of)).toBe("");
      const second = await gate(on, { ...of, attempt: 2 });
      const place = { orgId: on.orgId, repository: "acme/shop" };
      const open = await openGatesOfCommit(on.records, { ...place, sha: SHA });
      expect(open.map(({ id }) => id)).toEqual([second]);
      await on.records.transaction().execute((trx) => gateAlone(trx, place));
      const list = async (more: object) =>
        (await listGates(on.records, { orgId: on.orgId, limit: 9, ...more })).map(({ id }) => id);
      expect(await list({})).toEqual([second, first]);
      expect(await list({ after: second })).toEqual([first]);
      expect(await list({ status: "passed" })).toEqual([first]);
      expect(
        await list({ pullRequestId: row.id, number: 1, headSha: SHA, repository: "acme/shop" }),
      ).toHaveLength(2);
      expect(await list({ number: 2 })).toEqual([]);
    },
    "a list has all of each gate but the files that came with its request": async (on) => {
      const given = JSON.stringify({ files: [{ path: "a.scenario.md", text: "x".repeat(1000) }] });
      const id = await gate(on, { given, base_url: "https://x.example", reason: "Waits.", wait_until: 7 });
      await noteTold(on.records, id, { checkRunId: 7, tellAfter: 50 });
      const { given: kept, ...rest } = (await findGate(on.records, id))!;
      expect(kept).toBe(given);
      expect(await listGates(on.records, { orgId: on.orgId, limit: 9 })).toEqual([rest]);
    },
    "a decision is made once, and not on what is no longer judged": async (on) => {
      const id = await gate(on, { status: "failed" });
      const decision = { decision: "approved", by: "Ada", at: 5 } as const;
      expect(await decideGate(on.records, id, decision)).toBe(true);
      expect(await decideGate(on.records, id, { ...decision, decision: "rejected" })).toBe(false);
      expect(await findGate(on.records, id)).toMatchObject({ decision: "approved", decided_by: "Ada" });
      const gone = await gate(on, { status: "superseded", attempt: 2 });
      expect(await decideGate(on.records, gone, decision)).toBe(false);
    },
    "every change is to be told, until it was; a limit of the host is waited for": async (on) => {
      const id = await gate(on);
      const due = (now: number) => untoldGates(on.records, { since: 0, now, limit: 9 });
      expect(await due(1)).toEqual([id]);
      await noteTold(on.records, id, { version: 1, checkRunId: 7 });
      expect(await due(1)).toEqual([]);
      await changeGate(on.records, id, OPEN_GATE, { status: "waiting" });
      await noteTold(on.records, id, { tellAfter: 50 });
      expect(await due(49)).toEqual([]);
      expect(await due(50)).toEqual([id]);
      expect(await findGate(on.records, id)).toMatchObject({ check_run_id: 7, version: 2, told_version: 1 });
    },
    "of what was made long ago only a late decision is told": async (on) => {
      const id = await gate(on, { status: "passed" });
      const since = on.now() + 1000;
      const due = () => untoldGates(on.records, { since, now: since, limit: 9 });
      expect(await due()).toEqual([]);
      await decideGate(on.records, id, { decision: "rejected", by: "Ada", at: since });
      expect(await due()).toEqual([id]);
      await noteTold(on.records, id, { version: 2 });
      expect(await due()).toEqual([]);
    },
    "those that ended long ago go, but the newest of an open pull request": async (on) => {
      const { row } = await pull(on);
      const old = { status: "passed", ended_at: on.now(), pull_request_id: row.id } as const;
      const first = await gate(on, old);
      const newest = await gate(on, { ...old, attempt: 2 });
      await pointToGate(on.records, row.id, { gateId: newest, now: 1 });
      expect(await pruneGates(on.records, on.now() + 1000, 9)).toBe(1);
      expect(await findGate(on.records, first)).toBeNull();
      expect(await findGate(on.records, newest)).not.toBeNull();
      const { row: ofCi } = await pull(on, { number: 2, host_updated_at: 0 });
      const told = await gate(on, { ...old, pull_request_id: ofCi.id, pr_number: 2 });
      await pointToGate(on.records, ofCi.id, { gateId: told, now: 1 });
      expect(await pruneGates(on.records, on.now() + 1000, 9)).toBe(1);
      expect(await findGate(on.records, told)).toBeNull();
    },
  },
};

const scenarios: Contract = {
  noun: "gate-scenarios",
  keeps: {
    "each scenario of a gate gets one run, one on the base, and one finding": async (on) => {
      const gateId = await gate(on);
      const row = (slug: string) => ({
        ...{ gate_id: gateId, slug, scenario_id: "s", title: slug, path: `${slug}.md`, reasons: "[]" },
        ...{ plan: "{}", withheld: null },
      });
      await insertGateScenarios(on.records, [row("b"), row("a")]);
      expect((await gateScenarios(on.records, gateId)).map(({ slug }) => slug)).toEqual(["a", "b"]);
      const of = { gateId, slug: "a" };
      expect(await noteGateRun(on.records, { ...of, runId: "r1" })).toBe(true);
      expect(await noteGateRun(on.records, { ...of, runId: "r2" })).toBe(false);
      expect(await noteBaseRun(on.records, { ...of, runId: "r3" })).toBe(true);
      expect(await noteBaseRun(on.records, { ...of, runId: "r4" })).toBe(false);
      for (const run of ["r1", "r3"])
        expect(await gateScenarioOfRun(on.records, run)).toMatchObject({ slug: "a", plan: null });
      expect(await gateScenarioOfRun(on.records, "r2")).toBeNull();
      const asked = { orgId: on.orgId, slug: "a", sha: SHA };
      expect(await gateRunOn(on.records, asked)).toBeNull();
      expect(await noteFinding(on.records, { ...of, finding: "{}" })).toBe(true);
      expect(await noteFinding(on.records, { ...of, finding: "[]" })).toBe(false);
      expect(await gateRunOn(on.records, asked)).toBe("r1");
    },
  },
};

const recordings: Contract = {
  noun: "commit-recordings",
  keeps: {
    "a text is kept once, as long as it is used": async ({ records }) => {
      const one = { hash: "1".repeat(64), har: new Uint8Array([1]) };
      const other = { hash: "2".repeat(64), har: new Uint8Array([2]) };
      await keepCommitRecordings(records, [one, other], 10);
      await keepCommitRecordings(records, [one], 20);
      await pruneCommitRecordings(records, 20);
      const kept = await commitRecordings(records, [one.hash, other.hash]);
      expect(kept.map(({ hash, har }) => [hash, [...har]])).toEqual([[one.hash, [1]]]);
      expect(await commitRecordings(records, [])).toEqual([]);
    },
  },
};

export const GATES: Contract[] = [pullRequests, gates, scenarios, recordings];
