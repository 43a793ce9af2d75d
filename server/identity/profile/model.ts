import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { MAX_ADDRESS_LENGTH } from "../mail/address.ts";
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from "../passwords.ts";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Profile = Type.Object({
  name: Type.String(),
  email: Type.String(),
  has_password: Type.Boolean(),
  default_org_id: OrNull(
    Type.String({ description: "Where signing in leads; null for the first one joined." }),
  ),
  orgs: Type.Array(
    Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String(), role: Type.String() }),
  ),
  accounts: Type.Array(
    Type.Object({
      issuer: Type.String({ description: "The identity provider, or the API of the code host." }),
      created_at: Type.String({ format: "date-time" }),
    }),
    { description: "By which the user signs in elsewhere." },
  ),
  is_sso_enforced: Type.Boolean({
    description: "Whether the user signs in with the identity provider alone.",
  }),
});
export type Profile = Static<typeof Profile>;

export const ProfileChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  default_org_id: Type.Optional(OrNull(Type.String({ format: "uuid" }))),
});
export type ProfileChange = Static<typeof ProfileChange>;

const Current = Type.Optional(
  Type.String({
    maxLength: MAX_PASSWORD_BYTES,
    description: "The password until now; needed by whoever has one.",
  }),
);

export const PasswordChange = Type.Object({
  current_password: Current,
  new_password: Type.String({
    maxLength: MAX_PASSWORD_BYTES,
    description: `At least ${MIN_PASSWORD_LENGTH} characters, at most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`,
  }),
});
export type PasswordChange = Static<typeof PasswordChange>;

export const EmailChange = Type.Object({
  email: Type.String({ minLength: 3, maxLength: MAX_ADDRESS_LENGTH }),
  current_password: Current,
});
export type EmailChange = Static<typeof EmailChange>;

export const EmailConfirmation = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 200, description: "Of the link in the mail." }),
});
