import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { DeliveryRow } from "../../../store/records/webhook-deliveries.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";
import { EVENTS, type Facts, type NotificationEvent } from "../channel-types/facts.ts";
import { CHANNEL_TYPES, type ChannelType } from "../channel-types/types.ts";

const STATES = ["pending", "delivered", "dead"] as const;

const time = (description: string) => Type.String({ format: "date-time", description });
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()]);
const textOrNull = (description: string) => Type.Union([Type.String({ description }), Type.Null()]);

export const DeliveryListQuery = Type.Object({
  state: Type.Optional(oneOf(STATES)),
  incident_id: Type.Optional(Type.String({ format: "uuid" })),
  channel_id: Type.Optional(Type.String({ format: "uuid" })),
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;

export const Delivery = Type.Object({
  id: Type.String({ description: "Of a webhook also its header `webhook-id`, the same at every attempt." }),
  channel: Type.Object({ id: Type.String(), type: oneOf(CHANNEL_TYPES), name: Type.String() }),
  event: oneOf(EVENTS),
  incident_id: Type.Union([Type.String(), Type.Null()]),
  title: Type.String({ description: "What is told, in one sentence." }),
  state: oneOf(STATES),
  attempts: Type.Integer(),
  next_attempt_at: timeOrNull("When it is tried next; null once it has ended."),
  last_attempt_at: timeOrNull("When it was tried last."),
  last_status: Type.Union([Type.Integer({ description: "Of the last answer." }), Type.Null()]),
  last_error: textOrNull("Why the last attempt failed."),
  last_answer: textOrNull("The beginning of the last answer, at most 1,000 characters."),
  created_at: time("When it was decided to tell it."),
  ended_at: timeOrNull("When it arrived or was given up."),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryList = Type.Object({
  items: Type.Array(Delivery),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
export const DeliveryParams = Type.Object({ id: Type.String({ format: "uuid" }) });

export function toDelivery(row: DeliveryRow): Delivery {
  const iso = (at: number | null) => (at === null ? null : toIso(at));
  return {
    id: row.id,
    channel: { id: row.channel_id, type: row.channel_type as ChannelType, name: row.channel_name },
    event: row.event as NotificationEvent,
    incident_id: row.incident_id,
    title: (JSON.parse(row.facts) as Facts).title,
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: iso(row.next_attempt_at),
    last_attempt_at: iso(row.last_attempt_at),
    last_status: row.last_status,
    last_error: row.last_error,
    last_answer: row.last_answer,
    created_at: toIso(row.created_at),
    ended_at: iso(row.ended_at),
  };
}
