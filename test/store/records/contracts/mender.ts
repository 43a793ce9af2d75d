import { expect } from "bun:test";
import {
  attemptOfPromoted,
  attemptWaitingFor,
  changeAttempt,
  findAttempt,
  hasLaterAttempt,
  insertAttempt,
  listAttempts,
  type MenderRow,
  pruneAttempts,
  rejectedPatches,
  staleAttempts,
  verifiedFix,
} from "../../../../store/records/mender.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

async function attempt(on: FillableRecords, id: string, more: Partial<MenderRow> = {}): Promise<boolean> {
  return insertAttempt(on.records, {
    ...{ id, org_id: on.orgId, scenario_id: await on.scenario(on.orgId, "shop"), run_id: "r", trace_id: "t" },
    ...{ failure_signature: `sig ${id}`, basis: "b", promoted_replay_id: null, status: "proposed" },
    ...{ stage: "diagnosing", origin: "rules", classification: "unknown", confidence: 0, summary: "s" },
    ...{ evidence: "[]", path: "shop.scenario.md", base_text: "", created_at: 1, updated_at: 1, ...more },
  });
}

const ids = (rows: { id: string }[]): string => rows.map(({ id }) => id).join("");

export const MENDER: Contract[] = [
  {
    noun: "mender",
    keeps: {
      "of a failure of one file there is one attempt, and of a promoted replay one": async (on) => {
        const same = { failure_signature: "sig", basis: "file" };
        expect(await attempt(on, "a", same)).toBe(true);
        expect(await attempt(on, "b", same)).toBe(false);
        expect(await attempt(on, "c", { ...same, basis: "another" })).toBe(true);
        expect(await attempt(on, "d", { ...same, promoted_replay_id: "p" })).toBe(true);
        expect(await attempt(on, "e", { ...same, promoted_replay_id: "p" })).toBe(false);
        expect((await attemptOfPromoted(on.records, "p"))?.id).toBe("d");
        expect(await attemptOfPromoted(on.records, "q")).toBeNull();
      },
      "the verified fix of a failure of one file is the newest that nobody rejected": async (on) => {
        const same = { failure_signature: "sig", basis: "file" };
        const scenarioId = await on.scenario(on.orgId, "shop");
        const of = { scenarioId, failureSignature: "sig", basis: "file" };
        await attempt(on, "a", { ...same, status: "verified" });
        await attempt(on, "b", { ...same, promoted_replay_id: "p", status: "applied" });
        await attempt(on, "c", { ...same, promoted_replay_id: "q", status: "failed" });
        expect(await verifiedFix(on.records, of)).toEqual({ id: "b", status: "applied" });
        await changeAttempt(on.records, "b", {}, { status: "rejected", updated_at: 2 });
        expect(await verifiedFix(on.records, of)).toEqual({ id: "a", status: "verified" });
        for (const other of [{ basis: "another" }, { failureSignature: "s" }, { scenarioId: "none" }])
          expect(await verifiedFix(on.records, { ...of, ...other })).toBeNull();
      },
      "the list is newest first, narrowed, and read page by page": async (on) => {
        for (const id of ["a", "b", "c"]) await attempt(on, id, { trace_id: id });
        await changeAttempt(on.records, "b", {}, { status: "verified", updated_at: 2 });
        const of = { orgId: on.orgId, limit: 9 };
        expect(ids(await listAttempts(on.records, of))).toBe("cba");
        expect(ids(await listAttempts(on.records, { ...of, after: "c", limit: 1 }))).toBe("b");
        expect(ids(await listAttempts(on.records, { ...of, status: "verified" }))).toBe("b");
        expect(ids(await listAttempts(on.records, { ...of, traceId: "a" }))).toBe("a");
        const scenarioId = await on.scenario(on.orgId, "shop");
        expect(ids(await listAttempts(on.records, { ...of, scenarioId }))).toBe("cba");
        expect(await listAttempts(on.records, { ...of, orgId: "another" })).toEqual([]);
      },
      "of two that change an attempt the second finds it changed": async (on) => {
        await attempt(on, "a");
        const next = { stage: "verifying", replay_id: "x", updated_at: 2 } as const;
        expect(await changeAttempt(on.records, "a", { stage: "diagnosing", replayId: null }, next)).toBe(
          true,
        );
        expect(await changeAttempt(on.records, "a", { stage: "diagnosing", replayId: null }, next)).toBe(
          false,
        );
        expect((await attemptWaitingFor(on.records, "x"))?.id).toBe("a");
        expect(await changeAttempt(on.records, "a", { replayId: "y" }, { updated_at: 3 })).toBe(false);
        expect(await changeAttempt(on.records, "a", { replayId: "x" }, { updated_at: 3 })).toBe(true);
        expect(await changeAttempt(on.records, "a", { status: ["applied"] }, { updated_at: 4 })).toBe(false);
        expect((await findAttempt(on.records, "a"))?.updated_at).toBe(3);
      },
      "what was rejected is remembered when the rest is forgotten": async (on) => {
        await attempt(on, "a", { status: "rejected", stage: "ended", patch_hash: "h" });
        const late = { status: "applied", reject_reason: "Too late", patch_hash: "late" } as const;
        await attempt(on, "e", { ...late, stage: "ended" });
        await attempt(on, "b", { status: "failed", stage: "ended", patch_hash: "i" });
        await attempt(on, "c", { status: "verified", stage: "ended", updated_at: 9 });
        await attempt(on, "d");
        const scenarioId = await on.scenario(on.orgId, "shop");
        expect([...(await rejectedPatches(on.records, scenarioId))].sort()).toEqual(["h", "late"]);
        expect(ids(await staleAttempts(on.records, 5, 9))).toBe("d");
        expect(await staleAttempts(on.records, 1, 9)).toEqual([]);
        expect(await pruneAttempts(on.records, 5, 9)).toBe(1);
        expect(ids(await listAttempts(on.records, { orgId: on.orgId, limit: 9 }))).toBe("edca");
      },
      "a run of a check that was not made again is its last": async (on) => {
        expect(
          await hasLaterAttempt(on.records, { check_id: "c", region: "r", scheduled_at: 1, attempt: 1 }),
        ).toBe(false);
      },
    },
  },
];
