import type { Deps } from "../../deps.ts";
import { type Reservation, reserve, settle, usageOf } from "./budget.ts";
import { askEndpoint, bodyOf } from "./endpoint.ts";
import { type ModelAnswer, ModelError, type ModelQuestion, type ModelUsage } from "./types.ts";

type ModelDeps = Pick<Deps, "store" | "clock" | "log" | "config" | "traceState">;

const FREE: ModelUsage = { inputTokens: 0, outputTokens: 0, microcents: 0, isEstimated: false };

/** The name of the configured model; null where none is, and the program's own rules answer. */
export function configuredModel({ config }: Pick<Deps, "config">): string | null {
  const { base_url, model } = config.settings.debugger;
  return base_url === null ? null : (model ?? "the configured model");
}

/**
 * Keeps back what the question can cost of the org's budget.
 * @throws AppError `budget_exhausted`
 */
export function reserveFor(deps: ModelDeps, orgId: string, question: ModelQuestion): Promise<Reservation> {
  const bytes = Buffer.byteLength(bodyOf(deps, question));
  const { messages, maxOutputTokens } = question;
  return reserve(deps, orgId, { bytes, messages: messages.length, maxOutputTokens });
}

/** The most tokens that a question can take: none is shorter than a byte. */
export function boundOf(deps: Pick<ModelDeps, "config" | "traceState">, question: ModelQuestion): number {
  return Buffer.byteLength(bodyOf(deps, question)) + question.maxOutputTokens;
}

export interface Hearing {
  signal: AbortSignal;
  /** Gets the text as it comes. */
  onText?: (text: string) => void;
  /** Gets what it cost, however it ended. */
  onUsage?: (usage: ModelUsage) => void;
}

/**
 * Asks the configured model one question. What was kept back for it is settled, however it ends: with what the endpoint says,
 * else with an estimate that is rather too high; a question that never arrived costs nothing.
 * @throws ModelError; what the signal aborts with
 */
export async function askModel(
  deps: ModelDeps,
  reservation: Reservation,
  question: ModelQuestion,
  { signal, onText, onUsage }: Hearing,
): Promise<ModelAnswer> {
  const sent = Buffer.byteLength(bodyOf(deps, question));
  // A token of text has rarely more than 8 bytes; an endpoint that knows no limit is stopped here.
  const most = question.maxOutputTokens * 16;
  let received = 0;
  let thought = 0;
  let cost: ModelUsage | null = null;
  // The endpoint may claim more than it can have done.
  const within = (usage: ModelUsage): ModelUsage => ({
    ...usage,
    microcents: Math.min(usage.microcents, reservation.microcents),
  });
  const count = (text: string) => {
    received += Buffer.byteLength(text);
    if (received > most)
      throw new ModelError("too_long", "The model's answer was broken off: it is longer than was asked for.");
    onText?.(text);
  };
  try {
    const read = await askEndpoint(deps, question, {
      signal,
      onText: count,
      onThought: (text) => {
        thought += Buffer.byteLength(text);
      },
    });
    const written = received + thought + Buffer.byteLength(JSON.stringify(read.toolCalls)) - 2;
    cost = within(usageOf(deps, read.usage, { sent, received: written }));
    if (!read.isWhole)
      throw new ModelError(
        "ended_early",
        "The model's answer ended in the middle: its server closed the connection.",
      );
    return { text: read.text, toolCalls: read.toolCalls, finish: read.finish ?? "stop", usage: cost };
  } catch (error) {
    if (error instanceof ModelError) {
      deps.log.warn("the model gave no whole answer", {
        kind: error.kind,
        cause: toldCause(deps, error.cause),
      });
      if (received + thought === 0 && (error.kind === "unreachable" || error.kind === "refused")) cost = FREE;
    }
    throw error;
  } finally {
    cost ??= within(usageOf(deps, null, { sent, received: received + thought }));
    await settle(deps, reservation, cost.microcents);
    onUsage?.(cost);
  }
}

/**
 * One question, one answer, bounded in tokens, bytes and time, paid from the org's budget.
 * @throws AppError `budget_exhausted`; ModelError; what the signal aborts with
 */
export async function complete(
  deps: ModelDeps,
  orgId: string,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  return askModel(deps, await reserveFor(deps, orgId, question), question, { signal });
}

/** What an endpoint said in refusing, for the log alone. Some repeat the key. */
function toldCause({ config }: Pick<Deps, "config">, cause: unknown): unknown {
  const { api_key } = config.settings.debugger;
  const text =
    typeof cause === "string" ? cause : cause instanceof Error ? cause.message : JSON.stringify(cause);
  return api_key === null ? text : text?.replaceAll(api_key, "[key]");
}
