import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "../../trace/model.ts";

const timeOrNull = (description: string) =>
  Type.Union([Type.String({ format: "date-time", description }), Type.Null()]);

export const CodeHostState = Type.Object({
  repository: Type.Union([Type.String({ description: "`owner/name`" }), Type.Null()]),
  api_url: Type.String(),
  credential: oneOf(["app", "token", "none"]),
  webhook_url: Type.String({ description: "Where the code host is to send its webhook." }),
  receives: Type.Boolean({
    description: "Whether webhooks are taken: an app and its webhook's secret are set.",
  }),
  missing: Type.Array(Type.String(), { description: "Keys of settings.json that are still to be set." }),
  last_delivery_at: timeOrNull("When the code host last told something."),
  looked_at: timeOrNull("When it was last asked what it told while nobody was here."),
});
export type CodeHostState = Static<typeof CodeHostState>;

export const CodeHostCheck = Type.Object({
  ok: Type.Boolean(),
  message: Type.String({ description: "What works, or what is wrong." }),
});
export type CodeHostCheck = Static<typeof CodeHostCheck>;
