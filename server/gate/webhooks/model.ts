import { type Static, Type } from "@sinclair/typebox";

export const HookAnswer = Type.Object({
  status: Type.String({
    description:
      "`queued`: it is handled now. `ignored`: nothing here follows it. `pong`: the answer to a `ping`. `ignored: plug-and-play`: no app is set.",
  }),
  delivery_id: Type.Optional(Type.String({ description: "Ours, as `GET /v1/inbound-deliveries` has it." })),
  reason: Type.Optional(Type.String({ description: "Why nothing follows." })),
});
export type HookAnswer = Static<typeof HookAnswer>;
