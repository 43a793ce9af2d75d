/** The roles that a group of a directory may give. */
export type GroupRole = "admin" | "member" | "billing";

/** Rows of what a directory provisions. Times are integer milliseconds UTC, flags 0 or 1. */
export interface ScimTables {
  scim_users: {
    id: string;
    org_id: string;
    user_id: string;
    /** `userName` in lower case. */
    user_name_key: string;
    external_id: string | null;
    active: number;
    /** Whether the directory made the account, which then follows it while no other org shares it. */
    is_account_made: number;
    /** The role that groups gave last. */
    group_role: GroupRole | null;
    /** JSON object: what the directory says, without `id`, `schemas`, `groups` and `meta`. */
    attributes: string;
    /** The same in lower case. */
    folded: string;
    version: number;
    created_at: number;
    updated_at: number;
  };
  scim_groups: {
    id: string;
    org_id: string;
    /** `displayName` in lower case. */
    name_key: string;
    external_id: string | null;
    /** JSON object, without the members too. */
    attributes: string;
    folded: string;
    version: number;
    created_at: number;
    updated_at: number;
  };
  scim_members: { group_id: string; scim_user_id: string };
  scim_group_roles: { org_id: string; name_key: string; name: string; role: GroupRole };
  scim_errors: {
    id: string;
    org_id: string;
    at: number;
    method: string;
    path: string;
    status: number;
    detail: string;
  };
}
