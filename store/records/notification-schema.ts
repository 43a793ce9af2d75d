import type { Defaulted } from "./columns.ts";

export type DeliveryState = "pending" | "delivered" | "dead";

/** Rows of channels and of what is told over them. Times are integer milliseconds UTC, flags 0 or 1. */
export interface NotificationTables {
  notification_channels: {
    id: string;
    org_id: string;
    type: string;
    name: string;
    /** As the vault sealed it. */
    sealed: Uint8Array;
    enabled: Defaulted<number>;
    disabled_reason: Defaulted<string | null>;
    broken_since: Defaulted<number | null>;
    arrived_at: Defaulted<number | null>;
    created_at: number;
    updated_at: number;
  };
  webhook_deliveries: {
    id: string;
    org_id: string;
    channel_id: string;
    channel_type: string;
    channel_name: string;
    notice_id: string;
    event: string;
    incident_id: string | null;
    /** JSON object. */
    facts: string;
    state: Defaulted<DeliveryState>;
    attempts: Defaulted<number>;
    earlier_attempts: Defaulted<number>;
    next_attempt_at: number | null;
    last_attempt_at: Defaulted<number | null>;
    last_status: Defaulted<number | null>;
    last_error: Defaulted<string | null>;
    last_answer: Defaulted<string | null>;
    created_at: number;
    ended_at: Defaulted<number | null>;
  };
}
