import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { SessionRow } from "../../../store/records/sessions.ts";
import type { SignInMethod } from "../../../store/records/sign-in-schema.ts";
import { toIso } from "../../platform/clock.ts";
import { deviceWords } from "./device.ts";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: "date-time", description });
const METHODS: readonly SignInMethod[] = ["link", "password", "magic_link", "sso", "code_host", "invitation"];

export const SessionView = Type.Object({
  id: Type.String(),
  org_id: Type.String({ description: "The org that it leads to." }),
  device: Type.String({ description: "Browser and system, as the browser names itself." }),
  ip: OrNull(Type.String({ description: "The address that it was opened from." })),
  method: Type.Unsafe<SignInMethod>(
    Type.Union(
      METHODS.map((method) => Type.Literal(method)),
      { description: "`link` is a one-time link of the server's terminal, `magic_link` one by mail." },
    ),
  ),
  created_at: Time("When it was opened."),
  last_seen_at: Time("When it was last used, to the hour."),
  expires_at: Time("When it ends unless it is used before."),
  is_current: Type.Boolean({ description: "Whether it is the one that asks." }),
});
export type SessionView = Static<typeof SessionView>;

export const SessionList = Type.Object({ items: Type.Array(SessionView) });
export type SessionList = Static<typeof SessionList>;

export const EndedSessions = Type.Object({ ended: Type.Integer({ description: "How many have ended." }) });

export function toSessionView(row: SessionRow, currentId: string): SessionView {
  return {
    id: row.id,
    org_id: row.org_id,
    device: deviceWords(row.user_agent),
    ip: row.ip,
    method: row.method,
    created_at: toIso(row.created_at),
    last_seen_at: toIso(row.last_seen_at),
    expires_at: toIso(row.expires_at),
    is_current: row.id === currentId,
  };
}
