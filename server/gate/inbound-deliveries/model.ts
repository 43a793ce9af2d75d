import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { InboundRow } from "../../../store/records/inbound-deliveries.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";

const STATES = ["queued", "done", "ignored", "stale", "unreadable", "dead"] as const;

const time = (description: string) => Type.String({ format: "date-time", description });
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()]);
const textOrNull = (description: string) => Type.Union([Type.String({ description }), Type.Null()]);

export const InboundListQuery = Type.Object({
  state: Type.Optional(oneOf(STATES)),
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type InboundListQuery = Static<typeof InboundListQuery>;

export const InboundDelivery = Type.Object({
  id: Type.String({ format: "uuid" }),
  guid: Type.String({ description: "The code host's id of the delivery: its header `X-GitHub-Delivery`." }),
  event: Type.String(),
  action: textOrNull("What happened, as the code host calls it."),
  repository: textOrNull("`owner/name`"),
  subject: textOrNull("What it is about: `#12`, a branch or tag, the beginning of a commit."),
  state: oneOf(STATES),
  outcome: textOrNull("What followed, or why nothing did."),
  error: textOrNull("Why the last attempt failed."),
  attempts: Type.Integer(),
  replays: Type.Integer({ description: "How often somebody had it handled again." }),
  can_be_replayed: Type.Boolean({ description: "Whether it has ended and there is something to handle." }),
  payload_bytes: Type.Integer(),
  happened_at: timeOrNull("When it happened; null where the code host does not say."),
  received_at: time("When it came in."),
  next_attempt_at: timeOrNull("When it is tried next; null once it has ended."),
  ended_at: timeOrNull("When it was handled or given up."),
});
export type InboundDelivery = Static<typeof InboundDelivery>;

export const InboundList = Type.Object({
  items: Type.Array(InboundDelivery),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
export const InboundParams = Type.Object({ id: Type.String({ format: "uuid" }) });

export function toInbound(row: InboundRow): InboundDelivery {
  const iso = (at: number | null) => (at === null ? null : toIso(at));
  return {
    ...{ id: row.id, guid: row.guid, event: row.event, action: row.action, repository: row.repository },
    ...{ subject: row.subject, state: row.state, outcome: row.outcome, error: row.error },
    ...{ attempts: row.attempts, replays: row.replays, payload_bytes: row.payload_bytes },
    can_be_replayed: row.payload !== null && row.state !== "queued",
    happened_at: iso(row.happened_at),
    received_at: toIso(row.received_at),
    next_attempt_at: iso(row.next_attempt_at),
    ended_at: iso(row.ended_at),
  };
}
