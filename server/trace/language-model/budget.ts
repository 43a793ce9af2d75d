import { correctSpending, reserveSpending, spendingOf } from "../../../store/records/model-spending.ts";
import type { Settings } from "../../../store/settings.ts";
import type { Store } from "../../../store/store.ts";
import { AppError } from "../../http/errors.ts";
import { type Clock, toIso } from "../../platform/clock.ts";
import { monthOf } from "../../platform/month.ts";
import type { ToldUsage } from "./answer-reader.ts";
import type { ModelUsage } from "./types.ts";

export interface BudgetDeps {
  store: Pick<Store, "records">;
  clock: Pick<Clock, "now">;
  config: { settings: Pick<Settings, "debugger"> };
}

/** What is kept back for a question until its cost is known. */
export interface Reservation {
  orgId: string;
  /** The month that pays, even if the answer comes in the next. */
  month: number;
  microcents: number;
}

export const MICROCENTS = 1_000_000;
/** What a chat template adds to each message, at most. */
const TEMPLATE_TOKENS = 16;

/** What an org's questions may cost in this calendar month (UTC), and did. */
export async function showBudget(deps: BudgetDeps, orgId: string) {
  const { since, until } = monthOf(deps.clock.now());
  const spent = await spendingOf(deps.store.records, { org_id: orgId, month: since });
  return {
    limit_cents: deps.config.settings.debugger.budget_cents_per_month,
    spent_cents: spent / MICROCENTS,
    resets_at: toIso(until),
  };
}

/**
 * Keeps back the most that a question can cost: no token is shorter than a byte, and no more of them come than were asked for.
 * What a server that died had kept back stays counted, since nobody knows what it cost.
 * @param size of the question
 * @throws AppError `budget_exhausted`, with the time until the next month
 */
export async function reserve(
  deps: BudgetDeps,
  orgId: string,
  size: { bytes: number; messages: number; maxOutputTokens: number },
): Promise<Reservation> {
  const now = deps.clock.now();
  const { since, until } = monthOf(now);
  const { budget_cents_per_month: cents } = deps.config.settings.debugger;
  const microcents = costOf(deps, size.bytes + size.messages * TEMPLATE_TOKENS, size.maxOutputTokens);
  const limit = Math.floor(cents * MICROCENTS);
  const isIn = await reserveSpending(
    deps.store.records,
    { org_id: orgId, month: since },
    { microcents, limit },
  );
  if (!isIn)
    throw new AppError(
      "budget_exhausted",
      `This month's budget for questions to the model (${cents} cents) does not suffice for another one. It begins anew at ${toIso(until)}; debugger.budget_cents_per_month in settings.json raises it.`,
      { headers: { "retry-after": String(Math.max(1, Math.ceil((until - now) / 1000))) } },
    );
  return { orgId, month: since, microcents };
}

/** Puts what a question cost in the place of what was kept back. @param cost at most that, in millionths of a cent */
export async function settle(
  deps: Pick<BudgetDeps, "store">,
  { orgId, month, microcents }: Reservation,
  cost: number,
): Promise<void> {
  const by = cost - microcents;
  if (by !== 0) await correctSpending(deps.store.records, { org_id: orgId, month }, by);
}

/**
 * What a question is counted as: what the endpoint says, or where it says nothing, or what cannot be, two bytes a token,
 * which is more than any common tokenizer makes of a text.
 */
export function usageOf(
  deps: Pick<BudgetDeps, "config">,
  told: ToldUsage | null,
  bytes: { sent: number; received: number },
): ModelUsage {
  const input = countOf(told?.prompt_tokens, bytes.sent);
  const output = countOf(told?.completion_tokens, bytes.received);
  return {
    inputTokens: input.tokens,
    outputTokens: output.tokens,
    microcents: costOf(deps, input.tokens, output.tokens),
    isEstimated: input.isEstimated || output.isEstimated,
  };
}

/** None, though bytes went over, is as wrong as less than none. */
function countOf(told: unknown, bytes: number): { tokens: number; isEstimated: boolean } {
  const isPossible = Number.isSafeInteger(told) && (told as number) >= (bytes > 0 ? 1 : 0);
  return isPossible
    ? { tokens: told as number, isEstimated: false }
    : { tokens: Math.ceil(bytes / 2), isEstimated: true };
}

/** Millionths of a cent, which so many cents for a million tokens are for one. A model without prices costs nothing. */
function costOf({ config }: Pick<BudgetDeps, "config">, input: number, output: number): number {
  const { input_cents_per_mtok, output_cents_per_mtok } = config.settings.debugger;
  return Math.ceil(input * (input_cents_per_mtok ?? 0) + output * (output_cents_per_mtok ?? 0));
}
