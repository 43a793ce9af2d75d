import { type Static, Type } from "@sinclair/typebox";
import { RoleName } from "../names.ts";
import { MAX_PASSWORD_BYTES } from "../passwords.ts";

/** How long a link works. */
export const INVITATION_MS = 7 * 24 * 60 * 60_000;
/** Of one org that can be accepted. */
export const MAX_INVITATIONS = 200;
export const TOKEN_LENGTH = 43;

const IsoTime = Type.String({ format: "date-time" });
const Token = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "What stands after # in the invitation's link.",
});

export const InvitationParams = Type.Object({ id: Type.String({ format: "uuid" }) });

export const NewInvitation = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254, examples: ["ada@shop.example"] }), role: RoleName },
  { additionalProperties: false },
);
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationView = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: RoleName,
  invited_by: Type.Union([Type.String(), Type.Null()], { description: "Their name; null for a key." }),
  created_at: IsoTime,
  expires_at: IsoTime,
});
export type InvitationView = Static<typeof InvitationView>;

export const CreatedInvitation = Type.Intersect([
  InvitationView,
  Type.Object({
    url: Type.String({ description: "The link; shown only here and in the mail." }),
    is_mailed: Type.Boolean({ description: "False without SMTP: pass the link on yourself." }),
  }),
]);
export type CreatedInvitation = Static<typeof CreatedInvitation>;

export const InvitationList = Type.Object({ items: Type.Array(InvitationView) });
export type InvitationList = Static<typeof InvitationList>;

export const HeldInvitation = Type.Object({ token: Token }, { additionalProperties: false });

export const OpenedInvitation = Type.Object({
  org_name: Type.String(),
  email: Type.String(),
  role: RoleName,
  expires_at: IsoTime,
  signed_in_as: Type.Union([Type.String(), Type.Null()], {
    description: "The address of whoever is signed in.",
  }),
});
export type OpenedInvitation = Static<typeof OpenedInvitation>;

export const Acceptance = Type.Object(
  {
    token: Token,
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, pattern: "\\S", description: "Of who is new here." }),
    ),
    password: Type.Optional(
      Type.String({ maxLength: MAX_PASSWORD_BYTES, description: "Of who is new here and wants one." }),
    ),
  },
  { additionalProperties: false },
);
export type Acceptance = Static<typeof Acceptance>;

export const Accepted = Type.Object({ org_id: Type.String() });
export type Accepted = Static<typeof Accepted>;
