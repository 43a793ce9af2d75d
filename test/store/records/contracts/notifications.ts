import { expect } from "bun:test";
import { changeIncident } from "../../../../store/records/incidents.ts";
import {
  channelsOf,
  deleteChannel,
  findChannel,
  insertChannel,
  markBroken,
  markWorking,
  updateChannel,
} from "../../../../store/records/notification-channels.ts";
import {
  beginAttempt,
  channelsTold,
  endDeliveriesOf,
  findDelivery,
  hasDelivery,
  insertDelivery,
  listDeliveries,
  pruneDeliveries,
  reopenDelivery,
  settleAttempt,
} from "../../../../store/records/webhook-deliveries.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";
import { incident } from "./incidents.ts";

async function channel({ records, ids, orgId, now }: FillableRecords, most = 10): Promise<string | null> {
  const id = ids.uuid();
  const times = { created_at: now(), updated_at: now() };
  const sealed = new Uint8Array([1, 2, 3]);
  const row = { id, org_id: orgId, type: "webhook", name: "Ops", sealed, ...times };
  return (await insertChannel(records, row, most)) ? id : null;
}

async function delivery(
  on: FillableRecords,
  noticeId: string,
  channelId = "c",
  incidentId = "i",
): Promise<string | null> {
  const id = on.ids.uuid();
  const isNew = await insertDelivery(on.records, {
    ...{ id, org_id: on.orgId, channel_id: channelId, channel_type: "webhook", channel_name: "Ops" },
    ...{ notice_id: noticeId, event: "incident.opened", incident_id: incidentId, facts: "{}" },
    ...{ next_attempt_at: 100, created_at: 90 },
  });
  return isNew ? id : null;
}

const dead = { state: "dead", next_attempt_at: null, last_error: "no", ended_at: 200 } as const;

const channels: Contract = {
  noun: "notification-channels",
  keeps: {
    "an org has at most so many, listed oldest first": async (on) => {
      const first = await channel(on, 2);
      const second = await channel(on, 2);
      expect(await channel(on, 2)).toBeNull();
      expect((await channelsOf(on.records, on.orgId)).map(({ id }) => id)).toEqual([first!, second!]);
    },
    "a change and a removal count": async (on) => {
      const id = (await channel(on))!;
      await updateChannel(on.records, id, { name: "On call", enabled: 0 });
      expect(await findChannel(on.records, id)).toMatchObject({ name: "On call", enabled: 0 });
      expect(await deleteChannel(on.records, id)).toBe(true);
      expect(await deleteChannel(on.records, id)).toBe(false);
    },
    "that it is broken is noted once until it works": async (on) => {
      const id = (await channel(on))!;
      expect(await markBroken(on.records, id, 5)).toBe(true);
      expect(await markBroken(on.records, id, 6)).toBe(false);
      await markWorking(on.records, id, 7);
      expect(await markBroken(on.records, id, 8)).toBe(true);
    },
    "when a message first arrived is kept, whatever comes after": async (on) => {
      const id = (await channel(on))!;
      expect(await findChannel(on.records, id)).toMatchObject({ arrived_at: null });
      await markWorking(on.records, id, 5);
      await markBroken(on.records, id, 6);
      await markWorking(on.records, id, 7);
      expect(await findChannel(on.records, id)).toMatchObject({ arrived_at: 5, broken_since: null });
    },
  },
};

const deliveries: Contract = {
  noun: "webhook-deliveries",
  keeps: {
    "a channel has one message for a notice": async (on) => {
      expect(await delivery(on, "n")).not.toBeNull();
      expect(await delivery(on, "n")).toBeNull();
      expect(await delivery(on, "n", "other")).not.toBeNull();
      const key = { channelId: "c", incidentId: "i", event: "incident.opened" };
      expect(await hasDelivery(on.records, key)).toBe(true);
      expect(await hasDelivery(on.records, { ...key, event: "incident.resolved" })).toBe(false);
      await delivery(on, "reminder");
      await delivery(on, "elsewhere", "third", "j");
      expect((await channelsTold(on.records, key)).sort()).toEqual(["c", "other"]);
      expect(await channelsTold(on.records, { ...key, event: "incident.resolved" })).toEqual([]);
    },
    "an attempt begins when it is due and while nothing has come of it": async (on) => {
      const id = (await delivery(on, "n"))!;
      expect(await beginAttempt(on.records, id, 99)).toBe(false);
      expect(await beginAttempt(on.records, id, 100)).toBe(true);
      expect(await settleAttempt(on.records, id, dead)).toBe(true);
      expect(await settleAttempt(on.records, id, dead)).toBe(false);
      expect(await beginAttempt(on.records, id, 300)).toBe(false);
      expect(await reopenDelivery(on.records, id, 400)).toBe(true);
      expect(await reopenDelivery(on.records, id, 400)).toBe(false);
      expect(await findDelivery(on.records, id)).toMatchObject({ attempts: 1, earlier_attempts: 1 });
      // It was tried last at 100: the clock went back.
      expect(await beginAttempt(on.records, id, 95)).toBe(true);
    },
    "they are listed newest first and narrowed": async (on) => {
      const ids = [await delivery(on, "a"), await delivery(on, "b"), await delivery(on, "c", "other")];
      await settleAttempt(on.records, ids[1]!, dead);
      const list = async (more: object) =>
        (await listDeliveries(on.records, { orgId: on.orgId, limit: 10, ...more })).map(({ id }) => id);
      expect(await list({})).toEqual(ids.toReversed() as string[]);
      expect(await list({ before: ids[2] })).toEqual([ids[1]!, ids[0]!]);
      expect(await list({ state: "dead" })).toEqual([ids[1]!]);
      expect(await list({ channelId: "other", incidentId: "i" })).toEqual([ids[2]!]);
      expect(await list({ incidentId: "none" })).toEqual([]);
    },
    "what waits for a channel is given up with it, and what ended long ago goes": async (on) => {
      const id = (await delivery(on, "a"))!;
      await endDeliveriesOf(on.records, "c", { now: 500, reason: "gone" });
      expect(await findDelivery(on.records, id)).toMatchObject({ state: "dead", last_error: "gone" });
      expect(await pruneDeliveries(on.records, 500, 10)).toBe(0);
      expect(await pruneDeliveries(on.records, 501, 10)).toBe(1);
    },
    "who was told of an incident stays known while it goes on": async (on) => {
      const incidentId = await incident(on);
      const id = (await delivery(on, "a", "c", incidentId))!;
      await settleAttempt(on.records, id, dead);
      expect(await pruneDeliveries(on.records, 501, 10)).toBe(0);
      await changeIncident(on.records, incidentId, { status: "resolved", resolved_at: 9 });
      expect(await pruneDeliveries(on.records, 501, 10)).toBe(1);
    },
  },
};

export const NOTIFICATIONS: Contract[] = [channels, deliveries];
