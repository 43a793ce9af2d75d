import type {
  Channel,
  ChannelChange,
  CreatedChannel,
  NewChannel,
} from "../../../../server/watch/channels/model.ts";
import type { Delivery } from "../../../../server/watch/deliveries/model.ts";
import { getJson, postJson, send, withQuery } from "../../../api/request.ts";

export type { Channel, CreatedChannel, Delivery, NewChannel };
export type ChannelType = Channel["type"];

const at = (id: string): string => `/v1/notification-channels/${id}`;

/** What the page of notifications asks the server for, and has it do. */
export const notificationsApi = {
  channels: (signal?: AbortSignal) => getJson<{ items: Channel[] }>("/v1/notification-channels", signal),
  create: (channel: NewChannel) => postJson<CreatedChannel>("/v1/notification-channels", channel),
  change: async (id: string, change: ChannelChange) => {
    const headers = { "content-type": "application/json" };
    await send(at(id), { method: "PUT", headers, body: JSON.stringify(change) });
  },
  remove: async (id: string) => {
    await send(at(id), { method: "DELETE" });
  },
  tryOut: (id: string) => postJson<Delivery>(`${at(id)}/test`),
  deliveries: (query: { state?: string; limit: number }, signal?: AbortSignal) =>
    getJson<{ items: Delivery[]; next_cursor: string | null }>(
      withQuery("/v1/webhook-deliveries", query),
      signal,
    ),
  replay: (id: string) => postJson<Delivery>(`/v1/webhook-deliveries/${id}/replay`),
};
