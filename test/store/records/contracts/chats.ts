import { expect } from "bun:test";
import { correctSpending, reserveSpending, spendingOf } from "../../../../store/records/model-spending.ts";
import type { Contract } from "./contract.ts";

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

export const CHATS = [modelSpending];
