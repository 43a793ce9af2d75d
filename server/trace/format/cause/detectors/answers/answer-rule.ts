import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";

/** What a rule tells of an answer. */
export type Told = Pick<Finding, "kind" | "title" | "weight"> & Partial<Finding>;

/** Compares an answer with those of every pass to the same request. @returns null where it has nothing to say of it */
export type AnswerRule = (evidence: Evidence, one: Exchange, others: readonly Exchange[]) => Told | null;
