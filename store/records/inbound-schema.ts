import type { Defaulted } from "./columns.ts";

export type InboundState = "queued" | "done" | "ignored" | "stale" | "unreadable" | "dead";

/** Rows of what a code host told by its webhook. Times are integer milliseconds UTC. */
export interface InboundTables {
  inbound_deliveries: {
    id: string;
    org_id: string;
    guid: string;
    event: string;
    action: string | null;
    repository: string | null;
    subject: string | null;
    /** JSON object; null where there is nothing to handle. */
    payload: string | null;
    payload_bytes: number;
    happened_at: number | null;
    received_at: number;
    state: InboundState;
    outcome: string | null;
    error: Defaulted<string | null>;
    attempts: Defaulted<number>;
    next_attempt_at: number | null;
    replays: Defaulted<number>;
    tried_since: number;
    ended_at: number | null;
  };
  inbound_answers: {
    guid: string;
    /** JSON. */
    answer: string;
    seen_at: number;
  };
  inbound_redeliveries: {
    guid: string;
    /** How often. */
    asked: number;
    asked_at: number;
  };
  inbound_looks: {
    org_id: string;
    looked_at: number;
  };
}
