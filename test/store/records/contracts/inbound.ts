import { expect } from "bun:test";
import {
  claimGuid,
  findInbound,
  forgetGuids,
  insertInbound,
  listInbound,
  lookedAt,
  noteAsked,
  noteLook,
  pruneInbound,
  recentAnswer,
  reopenInbound,
  settleInbound,
  takenGuids,
  wasAsked,
} from "../../../../store/records/inbound-deliveries.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

async function delivery(on: FillableRecords, guid: string): Promise<string> {
  const id = on.ids.uuid();
  await insertInbound(on.records, {
    ...{ id, org_id: on.orgId, guid, event: "push", action: null, repository: "a/b", subject: "main" },
    ...{ payload: "{}", payload_bytes: 2, happened_at: null, received_at: 100, tried_since: 100 },
    ...{ state: "queued", outcome: null, next_attempt_at: 100, ended_at: null },
  });
  return id;
}

const ended = (state: "done" | "dead", ended_at: number) =>
  ({ state, outcome: "it", error: null, attempts: 1, next_attempt_at: null, ended_at }) as const;
const claim = (on: FillableRecords, guid: string, now: number, since: number) =>
  on.records.transaction().execute((trx) => claimGuid(trx, { guid, answer: `"${now}"`, now, since }));

export const INBOUND: Contract[] = [
  {
    noun: "inbound-deliveries",
    keeps: {
      "one that waits is settled once, and handled again once it has ended": async (on) => {
        const id = await delivery(on, "g");
        expect(await reopenInbound(on.records, id, 150)).toBe(false);
        expect(await settleInbound(on.records, id, ended("done", 200))).toBe(true);
        expect(await settleInbound(on.records, id, ended("dead", 300))).toBe(false);
        expect(await reopenInbound(on.records, id, 400)).toBe(true);
        expect(await reopenInbound(on.records, id, 400)).toBe(false);
        expect(await findInbound(on.records, id)).toMatchObject({
          ...{ state: "queued", replays: 1, attempts: 0, tried_since: 400, ended_at: null },
        });
      },
      "they are listed newest first and narrowed": async (on) => {
        const ids = [await delivery(on, "a"), await delivery(on, "b"), await delivery(on, "c")];
        await settleInbound(on.records, ids[1]!, ended("dead", 200));
        const list = async (more: object) =>
          (await listInbound(on.records, { orgId: on.orgId, limit: 10, ...more })).map(({ id }) => id);
        expect(await list({})).toEqual(ids.toReversed());
        expect(await list({ before: ids[2] })).toEqual([ids[1]!, ids[0]!]);
        expect(await list({ state: "dead" })).toEqual([ids[1]!]);
        expect(await list({ orgId: "other" })).toEqual([]);
      },
      "an id is taken once in its time, and known afterwards": async (on) => {
        expect(await claim(on, "g", 100, 0)).toBeNull();
        expect(await claim(on, "g", 150, 50)).toBe('"100"');
        expect(await recentAnswer(on.records, "g", 100)).toBe('"100"');
        expect(await recentAnswer(on.records, "g", 101)).toBeNull();
        expect(await claim(on, "g", 300, 200)).toBeNull();
        expect(await claim(on, "g", 310, 200)).toBe('"300"');
        expect(await takenGuids(on.records, ["g", "h"])).toEqual(new Set(["g"]));
        expect(await takenGuids(on.records, [])).toEqual(new Set());
      },
      "it is asked for at most so often, and forgotten in the end": async (on) => {
        const ask = (now: number) => noteAsked(on.records, { guid: "g", now, most: 2 });
        expect(await ask(100)).toBe(true);
        expect(await ask(200)).toBe(true);
        expect(await ask(300)).toBe(false);
        expect(await wasAsked(on.records, "g", 200)).toBe(true);
        expect(await wasAsked(on.records, "g", 201)).toBe(false);
        await claim(on, "g", 100, 0);
        await forgetGuids(on.records, { taken: 101, asked: 201 });
        expect(await takenGuids(on.records, ["g"])).toEqual(new Set());
        expect(await ask(400)).toBe(true);
      },
      "the last look is known": async (on) => {
        expect(await lookedAt(on.records, on.orgId)).toBeNull();
        await noteLook(on.records, on.orgId, 5);
        await noteLook(on.records, on.orgId, 9);
        expect(await lookedAt(on.records, on.orgId)).toBe(9);
      },
      "what ended long ago goes, and of the rest what is too much; what waits stays": async (on) => {
        const ids = [await delivery(on, "a"), await delivery(on, "b"), await delivery(on, "c")];
        const waits = await delivery(on, "d");
        for (const [i, id] of ids.entries()) await settleInbound(on.records, id, ended("done", 200 + i));
        const prune = (before: number, most: number) =>
          pruneInbound(on.records, { before, most, atOnce: 10 });
        expect(await prune(199, 3)).toBe(0);
        expect(await prune(200, 3)).toBe(1);
        expect(await prune(0, 1)).toBe(1);
        const left = await listInbound(on.records, { orgId: on.orgId, limit: 10 });
        expect(left.map(({ id }) => id)).toEqual([waits, ids[2]!]);
      },
    },
  },
];
