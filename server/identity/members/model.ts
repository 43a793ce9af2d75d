import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { MemberRow } from "../../../store/records/members.ts";
import { toIso } from "../../platform/clock.ts";
import { RoleName } from "../names.ts";

export const MemberParams = Type.Object({ userId: Type.String({ format: "uuid" }) });

export const MemberChange = Type.Object({ role: RoleName }, { additionalProperties: false });

export const MemberView = Type.Object({
  user_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: RoleName,
  joined_at: Type.String({ format: "date-time" }),
  is_you: Type.Boolean(),
});
export type MemberView = Static<typeof MemberView>;

export const MemberList = Type.Object({
  items: Type.Array(MemberView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
export type MemberList = Static<typeof MemberList>;

export const MemberListQuery = Type.Object({
  // Elysia's own integer: it reads the text of a query string.
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(
    Type.String({ format: "uuid", description: "`next_cursor` of the page before: an opaque place." }),
  ),
});

export function toMemberView(row: MemberRow, you: string | null): MemberView {
  const { user_id, name, email, role, created_at } = row;
  return { user_id, name, email, role, joined_at: toIso(created_at), is_you: user_id === you };
}
