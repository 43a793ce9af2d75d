import { expect } from "bun:test";
import {
  addMessages,
  changeAnswer,
  changeChat,
  chatsOf,
  findChat,
  insertChat,
  insertToolCall,
  messagesOf,
  removeChat,
  toolCallsOf,
} from "../../../../store/records/chats.ts";
import { correctSpending, reserveSpending, spendingOf } from "../../../../store/records/model-spending.ts";
import type { Contract } from "./contract.ts";

const MESSAGE = {
  ...{ role: "assistant" as const, content: "", model: null, microcents: 0, step_ids: "[]" },
  ...{ server_id: "s", created_at: 5 },
};

const chats: Contract = {
  noun: "chats",
  keeps: {
    "a trace has so many, newest first, each with its messages in order, until it goes": async (on) => {
      const { records, orgId, ids } = on;
      const trace_id = await on.trace(orgId);
      const of = { org_id: orgId, trace_id, title: "why", updated_at: 1 };
      const [one, two] = [ids.uuid(), ids.uuid()];
      expect(await insertChat(records, { ...of, id: one, created_at: 1 }, 2)).toBe(true);
      expect(await insertChat(records, { ...of, id: two, created_at: 2 }, 2)).toBe(true);
      expect(await insertChat(records, { ...of, id: ids.uuid(), created_at: 3 }, 2)).toBe(false);
      expect(
        await insertChat(
          records,
          { ...of, trace_id: await on.trace(orgId), id: ids.uuid(), created_at: 3 },
          2,
        ),
      ).toBe(true);
      const [asked, answered] = [ids.uuid(), ids.uuid()];
      const added = await addMessages(records, one, [
        { ...MESSAGE, id: asked, role: "user", content: "why?", state: "done", server_id: null },
        { ...MESSAGE, id: answered, state: "answering" },
      ]);
      expect(added).toBe(true);
      await changeChat(records, one, { updated_at: 9, title: "because" });
      expect(
        (await chatsOf(records, trace_id)).map(({ id, title, messages }) => [id, title, messages]),
      ).toEqual([
        [two, "why", 0],
        [one, "because", 2],
      ]);
      expect((await messagesOf(records, one)).map(({ id, position }) => [id, position])).toEqual([
        [asked, 0],
        [answered, 1],
      ]);
      const call = {
        message_id: answered,
        name: "look",
        arguments: "{}",
        result: "{}",
        duration_ms: 1,
        ok: 1,
      };
      await insertToolCall(records, { ...call, id: ids.uuid(), position: 1 });
      await insertToolCall(records, { ...call, id: ids.uuid(), position: 0 });
      expect((await toolCallsOf(records, one)).map(({ position }) => position)).toEqual([0, 1]);
      await removeChat(records, one);
      expect(await findChat(records, one)).toBeNull();
      expect(await messagesOf(records, one)).toEqual([]);
      await records.deleteFrom("traces").where("id", "=", trace_id).execute();
      expect(await findChat(records, two)).toBeNull();
    },
    "one answer is written at a time, and one that has ended stays as it is": async (on) => {
      const { records, orgId, ids } = on;
      const chat = ids.uuid();
      const of = {
        org_id: orgId,
        trace_id: await on.trace(orgId),
        title: "why",
        created_at: 1,
        updated_at: 1,
      };
      await insertChat(records, { ...of, id: chat }, 9);
      const add = (id: string) =>
        records
          .transaction()
          .execute((trx) => addMessages(trx, chat, [{ ...MESSAGE, id, state: "answering" }]))
          .catch(() => false);
      const [first, second] = [ids.uuid(), ids.uuid()];
      expect(await add(first)).toBe(true);
      expect(await add(second)).toBe(false);
      expect(await changeAnswer(records, first, { content: "half" })).toBe(true);
      expect(await changeAnswer(records, first, { state: "cut", server_id: null })).toBe(true);
      expect(await changeAnswer(records, first, { content: "whole" })).toBe(false);
      expect(await messagesOf(records, chat)).toMatchObject([{ content: "half", state: "cut" }]);
      expect(await add(second)).toBe(true);
    },
  },
};

const modelSpending: Contract = {
  noun: "model-spending",
  keeps: {
    "a month's cost is counted up to the limit, by org and month, and corrected": async ({
      records,
      orgId,
      org,
    }) => {
      const month = { org_id: orgId, month: 1_000 };
      expect(await spendingOf(records, month)).toBe(0);
      expect(await reserveSpending(records, month, { microcents: 11, limit: 10 })).toBe(false);
      const both = await Promise.all(
        [6, 6].map((microcents) => reserveSpending(records, month, { microcents, limit: 10 })),
      );
      expect(both.sort()).toEqual([false, true]);
      await correctSpending(records, month, -4);
      expect(await spendingOf(records, month)).toBe(2);
      expect(await reserveSpending(records, month, { microcents: 8, limit: 10 })).toBe(true);
      expect(await reserveSpending(records, month, { microcents: 1, limit: 10 })).toBe(false);
      expect(await reserveSpending(records, month, { microcents: 0, limit: 10 })).toBe(true);
      expect(await spendingOf(records, { ...month, month: 2_000 })).toBe(0);
      const other = await org("other");
      expect(await reserveSpending(records, { ...month, org_id: other }, { microcents: 9, limit: 10 })).toBe(
        true,
      );
      expect(await spendingOf(records, month)).toBe(10);
    },
  },
};

export const CHATS = [chats, modelSpending];
