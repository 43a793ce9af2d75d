import type { Defaulted } from "./columns.ts";

/** API keys (`sk`), personal access tokens (`pat`) and service tokens (`svc`). */
export type KeyKind = "sk" | "pat" | "svc";

/** Rows of keys and tokens. Times are integer milliseconds UTC. */
export interface TokenTables {
  api_keys: {
    id: string;
    org_id: string;
    /** Whose it is: the person that a personal token stands for, who made a key; null for a service token. */
    user_id: string | null;
    kind: KeyKind;
    name: string;
    prefix: string;
    hash: string;
    /** JSON array of scope names. */
    scopes: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
    /** Who made it, where `user_id` does not say so. */
    made_by: Defaulted<string | null>;
  };
  agent_signups: {
    key_id: string;
    org_id: string;
    purpose: string;
    code_hash: string | null;
    ip: string | null;
    status: "unverified" | "verified" | "refused";
    created_at: number;
    expires_at: number;
    decided_at: Defaulted<number | null>;
    decided_by: Defaulted<string | null>;
  };
}
