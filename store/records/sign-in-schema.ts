import type { Defaulted } from "./columns.ts";
import type { Role } from "./org-schema.ts";

export type MailState = "waiting" | "queued" | "sent" | "failed";
export type MailKind = "signin" | "email" | "invitation" | "notification";
/** How a session was opened. */
export type SignInMethod = "link" | "password" | "magic_link" | "sso" | "code_host" | "invitation";

/** Rows of sign-in and mail. Times are integer milliseconds UTC. */
export interface SignInTables {
  mails: {
    id: string;
    org_id: string;
    kind: MailKind;
    recipient: string;
    subject: string;
    /** JSON of text and HTML, as the vault sealed it; null once it is wiped. */
    sealed: Uint8Array | null;
    /** Until when what it says is of use. */
    secret_until: number | null;
    /** Whose account a link in it opens. */
    user_id: string | null;
    /** Which role in the org a link in it gives. */
    role: Defaulted<Role | null>;
    state: MailState;
    attempts: Defaulted<number>;
    error: Defaulted<string | null>;
    created_at: number;
    sent_at: Defaulted<number | null>;
  };
  sessions: {
    /** SHA-256 hex of the cookie's token. */
    hash: string;
    id: string;
    user_id: string;
    org_id: string;
    method: SignInMethod;
    ip: string | null;
    user_agent: string | null;
    created_at: number;
    expires_at: number;
    last_seen_at: number;
  };
  mail_links: {
    /** SHA-256 hex of the link's code. */
    hash: string;
    purpose: "signin" | "email";
    email: string;
    org_id: string;
    user_id: string | null;
    mail_id: string;
    next: string | null;
    created_at: number;
    expires_at: number;
    used_at: Defaulted<number | null>;
  };
  external_accounts: { issuer: string; subject: string; user_id: string; created_at: number };
}
