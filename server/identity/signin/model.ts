import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { MAX_ADDRESS_LENGTH } from "../mail/address.ts";
import { MAX_PASSWORD_BYTES } from "../passwords.ts";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Next = Type.Optional(
  Type.String({ maxLength: 4_000, description: "A path of this server to go to afterwards." }),
);
const Email = Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH });
/** What the one form of the page sends with either of its buttons. */
const Password = Type.String({ maxLength: MAX_PASSWORD_BYTES });

export const PasswordSignIn = Type.Object(
  { email: Email, password: Password, next: Next },
  { additionalProperties: false },
);
export const LinkRequest = Type.Object(
  { email: Email, password: Type.Optional(Password), next: Next },
  { additionalProperties: false },
);
export const LinkUse = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 200, description: "Of the link in the mail." }) },
  { additionalProperties: false },
);

export const SignedIn = Type.Object({ next: Type.String({ description: "The path to go to." }) });
export type SignedIn = Static<typeof SignedIn>;

export const Methods = Type.Object({
  password: Type.Boolean(),
  link: Type.Boolean({ description: "Whether a link can be asked for by mail." }),
  is_mail_sent: Type.Boolean({ description: "Whether a mail server is configured." }),
  sso: OrNull(Type.String({ description: "The identity provider, as people call it." })),
  code_host: OrNull(Type.String({ description: "The code host, as people call it." })),
});
export type Methods = Static<typeof Methods>;

const form = (schema: TSchema) => ({
  required: true,
  content: {
    "application/json": { schema },
    "application/x-www-form-urlencoded": { schema },
  },
});

/** The bodies of routes that pages without scripts send as forms. */
export const FORMS = {
  password: form(PasswordSignIn),
  link: form(LinkRequest),
  use: form(LinkUse),
};
