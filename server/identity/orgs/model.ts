import { type Static, Type } from "@sinclair/typebox";
import { PlanName, RoleName } from "../names.ts";

/** As `tracedeck orgs create` takes it. */
export const ORG_SLUG = "^[a-z0-9][a-z0-9-]{0,63}$";
/** Orgs that one person may own. */
export const MAX_OWNED = 20;

const OrgName = Type.String({ minLength: 1, maxLength: 200, pattern: "\\S", description: "For people." });
const IsoTime = Type.String({ format: "date-time" });

export const OrgParams = Type.Object({ id: Type.String({ format: "uuid" }) });

export const NewOrg = Type.Object(
  {
    slug: Type.String({ pattern: ORG_SLUG, description: "Its name in addresses: a-z, 0-9 and -." }),
    name: Type.Optional(OrgName),
  },
  { additionalProperties: false },
);
export type NewOrg = Static<typeof NewOrg>;

export const OrgChange = Type.Object(
  {
    name: Type.Optional(OrgName),
    status_page: Type.Optional(
      Type.Boolean({
        description: "Whether its status is public: GET /v1/status/{slug} and the page /status/{slug}.",
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: "What is left out stays as it is." },
);
export type OrgChange = Static<typeof OrgChange>;

export const OrgListItem = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  role: RoleName,
  is_current: Type.Boolean({ description: "Whether the session stands for this one." }),
  created_at: IsoTime,
});
export type OrgListItem = Static<typeof OrgListItem>;

export const OrgList = Type.Object({ items: Type.Array(OrgListItem) });
export type OrgList = Static<typeof OrgList>;

export const OrgView = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  role: Type.Union([RoleName, Type.Null()], { description: "The caller's; null for keys." }),
  is_first: Type.Boolean({ description: "The first org of the data folder cannot be deleted." }),
  status_page: Type.Boolean({
    description:
      "Whether its status is public. Unless somebody said otherwise, that of the first org is, and those of others are not.",
  }),
  plan: PlanName,
  settings: Type.Object({
    sso_enforced: Type.Boolean(),
    auto_pin_failed: Type.Boolean(),
    hot_retention_days: Type.Number(),
    warm_retention_days: Type.Number(),
  }),
  created_at: IsoTime,
});
export type OrgView = Static<typeof OrgView>;

export const NewOwner = Type.Object(
  { user_id: Type.String({ format: "uuid", description: "A member of the org." }) },
  { additionalProperties: false },
);

export const SwitchedOrg = Type.Object(
  { org_id: Type.String({ format: "uuid" }) },
  { additionalProperties: false },
);
