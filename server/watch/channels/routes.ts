import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { Delivery } from "../deliveries/model.ts";
import { Channel, ChannelChange, ChannelList, ChannelParams, CreatedChannel, NewChannel } from "./model.ts";
import { changeChannel, createChannel, listChannels, removeChannel } from "./service.ts";
import { testChannel } from "./try-out.ts";

const TAGS = ["watch", "channels"];
const auth = { scope: "webhooks:manage" } as const;

/** Where an org is told of incidents. */
export function channelsRoutes(deps: Deps) {
  return new Elysia({ name: "channels", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/notification-channels", ({ actor }) => listChannels(deps, actor), {
      auth,
      response: { 200: ChannelList },
      detail: { operationId: "channels.list", tags: TAGS, summary: "List the org's notification channels" },
    })
    .post(
      "/v1/notification-channels",
      async ({ actor, body, set }) => {
        set.status = 201;
        return createChannel(deps, actor, body);
      },
      {
        auth,
        body: NewChannel,
        response: { 201: CreatedChannel },
        detail: {
          operationId: "channels.create",
          tags: TAGS,
          summary: "Make a notification channel; a webhook's secret is shown once",
        },
      },
    )
    .put(
      "/v1/notification-channels/:id",
      ({ actor, params, body }) => changeChannel(deps, actor, params.id, body),
      {
        auth,
        params: ChannelParams,
        body: ChannelChange,
        response: { 200: Channel },
        detail: {
          operationId: "channels.update",
          tags: TAGS,
          summary: "Change a notification channel: the fields that the body has",
        },
      },
    )
    .delete(
      "/v1/notification-channels/:id",
      async ({ actor, params, set }) => {
        await removeChannel(deps, actor, params.id);
        set.status = 204;
      },
      {
        auth,
        params: ChannelParams,
        detail: {
          operationId: "channels.delete",
          tags: TAGS,
          summary: "Remove a notification channel; what waits for it is given up",
          responses: { 204: { description: "The channel is gone." } },
        },
      },
    )
    .post(
      "/v1/notification-channels/:id/test",
      async ({ actor, params, set }) => {
        set.status = 202;
        return testChannel(deps, actor, params.id);
      },
      {
        auth,
        params: ChannelParams,
        response: { 202: Delivery },
        detail: {
          operationId: "channels.test",
          tags: TAGS,
          summary: "Send a test message over a channel, as any other would go",
        },
      },
    );
}
