import type { Defaulted } from "./columns.ts";

export type Role = "owner" | "admin" | "member" | "billing";

/** Rows of orgs and of who belongs to them. Times are integer milliseconds UTC. */
export interface OrgTables {
  /** One that has `deleted_at` is on its way out: nobody gets in, and the row goes last. */
  orgs: {
    id: string;
    slug: string;
    name: string;
    created_at: number;
    deleted_at: Defaulted<number | null>;
    /** Whether its status is public, 0 or 1; null for the usual: the first org's is, those of others are not. */
    status_page: Defaulted<number | null>;
  };
  memberships: { org_id: string; user_id: string; role: Role; created_at: number };
  invitations: {
    id: string;
    org_id: string;
    /** In lower case. */
    email: string;
    role: Role;
    /** SHA-256 hex of the token. */
    hash: string;
    invited_by: string | null;
    created_at: number;
    expires_at: number;
  };
}
