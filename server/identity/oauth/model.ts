import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { ListedGrant } from "../../../store/records/oauth-grants.ts";
import { toIso } from "../../platform/clock.ts";
import { redirectPlace } from "./redirect-uris.ts";

const Time = (description: string) => Type.String({ format: "date-time", description });

export const GrantView = Type.Object({
  id: Type.String({ format: "uuid" }),
  client: Type.Object({
    id: Type.String({ format: "uuid", description: "Its id here, for approvals." }),
    client_id: Type.String({
      description: "What it calls itself: its id, or the address of its metadata document.",
    }),
    name: Type.Union([Type.String(), Type.Null()]),
    place: Type.String({ description: "Where its answers go, in words." }),
    approved: Type.Boolean({ description: "Whether nobody in the org is asked for consent to it." }),
  }),
  user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
  is_mine: Type.Boolean(),
  scopes: Type.Array(Type.String(), {
    description: "What was granted; the person's role may allow less by now.",
  }),
  created_at: Time("When it was granted."),
  expires_at: Time("When it ends unless the agent comes back before."),
  last_used_at: Type.Union([Time("Roughly when it was last used."), Type.Null()]),
});
export type GrantView = Static<typeof GrantView>;

export const GrantList = Type.Object({
  items: Type.Array(GrantView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  can_approve: Type.Boolean({
    description: "Whether the caller may approve agents for the org (Enterprise).",
  }),
});
export type GrantList = Static<typeof GrantList>;

export const GrantListQuery = Type.Object({
  // Elysia's own integer: it reads the text of a query string.
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});

export const IdParams = Type.Object({ id: Type.String({ format: "uuid" }) });

export function toGrantView(row: ListedGrant, userId: string | null): GrantView {
  return {
    id: row.id,
    client: {
      id: row.client_row,
      client_id: row.client_id,
      name: row.client_name,
      place: redirectPlace(row.redirect_uri),
      approved: row.approved_at !== null,
    },
    user: { id: row.user_id, name: row.user_name, email: row.user_email },
    is_mine: row.user_id === userId,
    scopes: JSON.parse(row.scopes) as string[],
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
    last_used_at: row.last_used_at === null ? null : toIso(row.last_used_at),
  };
}
