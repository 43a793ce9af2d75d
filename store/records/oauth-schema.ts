/** Tables of the authorization server (OAuth 2.1). */
export interface OAuthTables {
  oauth_clients: {
    id: string;
    /** What the program calls itself: its id, or the address of its metadata document. */
    client_id: string;
    name: string | null;
    /** JSON array. */
    redirect_uris: string;
    created_at: number;
    used_at: number;
    /** When the metadata document was read; null for a program that has registered itself. */
    read_at: number | null;
  };
  oauth_approvals: { org_id: string; client_id: string; approved_by: string; created_at: number };
  oauth_consents: {
    org_id: string;
    user_id: string;
    client_id: string;
    /** JSON array. */
    scopes: string;
    created_at: number;
  };
  oauth_grants: {
    id: string;
    org_id: string;
    user_id: string;
    client_id: string;
    /** JSON array. */
    scopes: string;
    /** Origin that the tokens are for. */
    resource: string;
    redirect_uri: string;
    code_hash: string;
    code_challenge: string;
    code_expires_at: number;
    code_used_at: number | null;
    created_at: number;
    expires_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  oauth_tokens: {
    hash: string;
    grant_id: string;
    kind: "access" | "refresh";
    /** JSON array, where it carries less than its grant. */
    scopes: string | null;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
}
