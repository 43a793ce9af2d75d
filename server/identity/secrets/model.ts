import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { MAX_ORIGIN_LENGTH, MAX_ORIGINS, SECRET_NAME } from "../../../store/settings-schema.ts";

/** UTF-8 bytes of a value: a private key in PEM has a fifth of it. */
export const MAX_VALUE_BYTES = 16 * 1024;
/** Of one org. */
export const MAX_SECRETS = 500;

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = (description: string) => OrNull(Type.String({ format: "date-time", description }));

export const SecretParams = Type.Object({ name: Type.String({ pattern: SECRET_NAME }) });

export const NewSecret = Type.Object(
  {
    value: Type.String({
      minLength: 1,
      maxLength: MAX_VALUE_BYTES,
      description: `At most ${MAX_VALUE_BYTES} bytes in UTF-8.`,
    }),
    origins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_ORIGIN_LENGTH }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        description:
          "The only origins that it may go to: scheme, host and port, without a path. Without the field it may go to all.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type NewSecret = Static<typeof NewSecret>;

export const SecretView = Type.Object({
  name: Type.String(),
  source: Type.Unsafe<"api" | "settings" | "environment">(
    Type.Union([Type.Literal("api"), Type.Literal("settings"), Type.Literal("environment")], {
      description:
        "What gives it its value. The environment (`TRACEDECK_SECRET_NAME`) wins over settings.json, which wins over the API.",
    }),
  ),
  origins: OrNull(Type.Array(Type.String(), { description: "Where it may go; null for everywhere." })),
  created_at: Time("When the API first kept it; null for those of settings.json and the environment."),
  updated_at: Time("When its value or origins were last set."),
});
export type SecretView = Static<typeof SecretView>;

export const SecretList = Type.Object({ items: Type.Array(SecretView) });
