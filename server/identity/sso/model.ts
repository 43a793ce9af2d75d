import { type Static, type TSchema, Type } from "@sinclair/typebox";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const SsoView = Type.Object({
  applies: Type.Boolean({
    description: "settings.json speaks of the first org: others have no identity provider.",
  }),
  issuer: OrNull(Type.String()),
  client_id: OrNull(Type.String()),
  has_client_secret: Type.Boolean(),
  is_configured: Type.Boolean({ description: "Whether issuer and client_id are there." }),
  enforced: Type.Boolean(),
  verified_domains: Type.Array(Type.String()),
  status_page_url: OrNull(Type.String()),
  callback_url: Type.String({ description: "What the provider must send people back to." }),
  code_host: OrNull(Type.String({ description: "The code host that people sign in with." })),
  code_host_callback_url: Type.String(),
});
export type SsoView = Static<typeof SsoView>;

export const SsoTest = Type.Object({
  ok: Type.Boolean(),
  message: Type.String(),
  authorization_endpoint: OrNull(Type.String()),
  token_endpoint: OrNull(Type.String()),
});
export type SsoTest = Static<typeof SsoTest>;
