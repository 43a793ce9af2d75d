import { type Static, Type } from "@sinclair/typebox";
import type { ChannelRow } from "../../../store/records/notification-channels.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";
import { CHANNEL_TYPES, type ChannelTarget, type ChannelType } from "../channel-types/types.ts";

/** Of one org. */
export const MAX_CHANNELS = 50;

const Name = Type.String({ minLength: 1, maxLength: 100 });
const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: "https:// or http://; not for email.",
});
const Address = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^[^\\s@<>,;]+@[^\\s@<>,;]+$",
  description: "Of email: who gets it.",
});
const RoutingKey = Type.String({
  pattern: "^[0-9A-Za-z]{32}$",
  description: "Of pagerduty: the integration key, 32 characters.",
});
const Token = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "Of incident_io: the source's token.",
});

const TARGET = {
  url: Type.Optional(Url),
  address: Type.Optional(Address),
  routing_key: Type.Optional(RoutingKey),
  token: Type.Optional(Token),
};

export const NewChannel = Type.Object(
  { type: oneOf(CHANNEL_TYPES), name: Name, ...TARGET },
  { examples: [{ type: "email", name: "On call", address: "oncall@shop.example" }] },
);
export type NewChannel = Static<typeof NewChannel>;

export const ChannelChange = Type.Object({
  name: Type.Optional(Name),
  enabled: Type.Optional(Type.Boolean()),
  ...TARGET,
});
export type ChannelChange = Static<typeof ChannelChange>;

const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const time = (description: string) => Type.String({ format: "date-time", description });

export const Channel = Type.Object({
  id: Type.String({ format: "uuid" }),
  type: oneOf(CHANNEL_TYPES),
  name: Type.String(),
  url: Type.Optional(
    Type.String({
      description:
        "Where it leads. Of chat and incident tools the host alone: their address is a credential.",
    }),
  ),
  address: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  disabled_reason: OrNull(Type.String({ description: "Why the server has disabled it." })),
  broken_since: OrNull(time("Since when nothing has arrived; null while it works.")),
  created_at: time("When it was made."),
});
export type Channel = Static<typeof Channel>;

export const CreatedChannel = Type.Composite([
  Channel,
  Type.Object({
    secret: Type.Optional(
      Type.String({ description: "Of webhook: what its messages are signed with; shown only here." }),
    ),
  }),
]);
export type CreatedChannel = Static<typeof CreatedChannel>;

export const ChannelList = Type.Object({ items: Type.Array(Channel) });
export const ChannelParams = Type.Object({ id: Type.String({ format: "uuid" }) });

/** A row as the API shows it. @param target null when it cannot be read any more */
export function toChannel(row: ChannelRow, target: ChannelTarget | null): Channel {
  const type = row.type as ChannelType;
  const iso = (at: number | null) => (at === null ? null : toIso(at));
  return {
    id: row.id,
    type,
    name: row.name,
    ...(target?.url === undefined ? {} : { url: shownUrl(type, target.url) }),
    ...(target?.address === undefined ? {} : { address: target.address }),
    enabled: row.enabled === 1,
    disabled_reason: row.disabled_reason,
    broken_since: iso(row.broken_since),
    created_at: toIso(row.created_at),
  };
}

const shownUrl = (type: ChannelType, url: string): string =>
  type === "webhook" || type === "pagerduty" ? url : `${new URL(url).origin}/…`;
