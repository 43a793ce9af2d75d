import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { MailRow } from "../../../store/records/mails.ts";
import type { MailKind, MailState } from "../../../store/records/sign-in-schema.ts";
import { toIso } from "../../platform/clock.ts";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: "date-time", description });
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  );

export const MailView = Type.Object({
  id: Type.String(),
  kind: oneOf<MailKind>(["signin", "email", "invitation", "notification"], "What it is about."),
  to: Type.String(),
  subject: Type.String(),
  state: oneOf<MailState>(
    ["waiting", "queued", "sent", "failed"],
    "`waiting`: no mail server is configured, it is only to be read here. `queued`: it is being sent, or tried again.",
  ),
  attempts: Type.Integer(),
  error: OrNull(Type.String({ description: "What went wrong at the last attempt." })),
  created_at: Time("When it was written."),
  sent_at: OrNull(Time("When the mail server took it.")),
});
export type MailView = Static<typeof MailView>;

export const OpenedMail = Type.Composite([
  MailView,
  Type.Object({
    text: OrNull(Type.String({ description: "Null when it cannot be shown; `hidden` says why." })),
    hidden: OrNull(
      oneOf<"wiped" | "on_its_way" | "not_yours">(
        ["wiped", "on_its_way", "not_yours"],
        "`wiped`: it had a link that was sent, used or has expired. `on_its_way`: it has a link, and the mail server gets it. `not_yours`: its link opens the account of somebody who may do more than the reader, or gives a role that may.",
      ),
    ),
  }),
]);
export type OpenedMail = Static<typeof OpenedMail>;

export const MailList = Type.Object({
  items: Type.Array(MailView),
  next_cursor: OrNull(Type.String()),
  is_sent: Type.Boolean({ description: "Whether a mail server is configured." }),
});
export type MailList = Static<typeof MailList>;

export const MailListQuery = Type.Object({
  // Elysia's own integer: it reads the text of a query string.
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});

export const MailParams = Type.Object({ id: Type.String({ format: "uuid" }) });

export function toMailView(row: MailRow): MailView {
  return {
    id: row.id,
    kind: row.kind,
    to: row.recipient,
    subject: row.subject,
    state: row.state,
    attempts: row.attempts,
    error: row.error,
    created_at: toIso(row.created_at),
    sent_at: row.sent_at === null ? null : toIso(row.sent_at),
  };
}
