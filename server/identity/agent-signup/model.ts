import { type Static, Type } from "@sinclair/typebox";
import type { SignupRow } from "../../../store/records/agent-signups.ts";
import { toIso } from "../../platform/clock.ts";
import { ScopeName, Scopes } from "../keys/model.ts";
import type { Scope } from "../scopes.ts";

const HOUR_MS = 60 * 60_000;
/** How long a token lives that nobody verifies. */
export const UNVERIFIED_MS = 24 * HOUR_MS;
/** How long one lives whose person does not say. */
export const VERIFIED_MS = 90 * 24 * HOUR_MS;
/** How many may wait for a person in an org. */
export const MOST_WAITING = 100;
/** What an agent may do that nobody has verified. */
export const UNVERIFIED_SCOPES: readonly Scope[] = ["mcp:read"];

const Time = Type.String({ format: "date-time" });

export const NewSignup = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, description: "What the agent is called." }),
  purpose: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "What it wants to do, for the person who decides.",
  }),
});
export type NewSignup = Static<typeof NewSignup>;

export const CreatedSignup = Type.Object({
  id: Type.String({ description: "Of the token." }),
  token: Type.String({ description: "A service token; shown only here." }),
  status: Type.Literal("unverified"),
  scopes: Type.Array(ScopeName),
  user_code: Type.String({
    description: "To be shown to the person, who types it at `verification_uri`. It is no credential.",
  }),
  verification_uri: Type.String(),
  expires_at: Type.String({ format: "date-time", description: "When it ends unless a person verifies it." }),
});
export type CreatedSignup = Static<typeof CreatedSignup>;

const UserCode = Type.String({
  maxLength: 40,
  description: "As the agent shows it; case, spaces and hyphens do not matter.",
});
export const SignupCode = Type.Object({ user_code: UserCode });

export const SignupGrant = Type.Object({
  user_code: UserCode,
  scopes: Scopes,
  expires_at: Type.Optional(
    Type.Union([
      Type.String({ description: "ISO 8601; null for a token that does not expire. Default in 90 days." }),
      Type.Null(),
    ]),
  ),
});
export type SignupGrant = Static<typeof SignupGrant>;

export const SignupView = Type.Object({
  id: Type.String({ description: "Of the token." }),
  name: Type.String(),
  purpose: Type.String(),
  ip: Type.Union([Type.String(), Type.Null()], { description: "Where it asked from." }),
  scopes: Type.Array(ScopeName, { description: "What it may do now." }),
  created_at: Time,
  expires_at: Time,
});
export type SignupView = Static<typeof SignupView>;

export function toSignupView(row: SignupRow): SignupView {
  return {
    id: row.key_id,
    name: row.name,
    purpose: row.purpose,
    ip: row.ip,
    scopes: JSON.parse(row.scopes) as Scope[],
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
  };
}
