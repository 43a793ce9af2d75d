import { type Static, Type } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import { SCIM_TYPE } from "../../http/dialect.ts";
import { SEARCH_URN } from "./discovery.ts";
import { MAX_FILTER_LENGTH } from "./filter.ts";
import { PATCH_URN } from "./patch.ts";
import { GROUP_URN, USER_URN } from "./shape.ts";

export const TAGS = ["identity", "scim"];
export const MANAGE = { scope: "scim:manage" } as const;

const Text = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_FILTER_LENGTH, description }));

export const AttributesQuery = Type.Object({
  attributes: Text("Names of the only attributes that the answer has, with commas."),
  excludedAttributes: Text("Names of attributes that the answer does not have, with commas."),
});

export const ScimListQuery = Type.Object({
  ...AttributesQuery.properties,
  filter: Text("RFC 7644, section 3.4.2.2."),
  sortBy: Text("Name of the attribute that orders the list; without it the oldest come first."),
  sortOrder: Text("`ascending` or `descending`."),
  startIndex: Text("Number of the first; 1 when nothing is said."),
  count: Text("How many; 100 when nothing is said, at most 200."),
});

export const ScimParams = Type.Object({ id: Type.String({ format: "uuid" }) });

/** Messages are RFC 7643's: what no schema has is passed over, so that bodies are open. */
const message = (example: Record<string, unknown>) =>
  Type.Object({}, { additionalProperties: true, examples: [example] });

const changes = (...Operations: Record<string, unknown>[]) => message({ schemas: [PATCH_URN], Operations });

export const UserMessage = message({
  schemas: [USER_URN],
  userName: "ada@shop.example",
  name: { givenName: "Ada", familyName: "Lovelace" },
  active: true,
});
export const UserChanges = changes({ op: "replace", path: "active", value: false });
export const GroupMessage = message({ schemas: [GROUP_URN], displayName: "Engineers", members: [] });
export const GroupChanges = changes({ op: "replace", path: "displayName", value: "Engineers" });
export const SearchMessage = message({
  schemas: [SEARCH_URN],
  filter: 'meta.created gt "2031-01-01T00:00:00Z"',
});

const content = { [SCIM_TYPE]: { schema: { type: "object" } } };

/** What the description of the API says of an operation. */
export function described(
  name: string,
  summary: string,
  answers: Record<number, string>,
  description?: string,
): DocumentDecoration {
  return {
    operationId: `scim.${name}`,
    tags: TAGS,
    summary,
    ...(description ? { description } : {}),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, words]) => [
        status,
        Number(status) < 300 && status !== "204" ? { description: words, content } : { description: words },
      ]),
    ),
  } as DocumentDecoration;
}

const OrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

const GroupRoleName = Type.Unsafe<"admin" | "member" | "billing">(
  Type.Union([Type.Literal("admin"), Type.Literal("member"), Type.Literal("billing")]),
);

export const MAX_GROUP_ROLES = 200;

export const NewGroupRoles = Type.Object({
  items: Type.Array(
    Type.Object({
      group: Type.String({
        minLength: 1,
        maxLength: 256,
        description: "Its displayName; case does not matter.",
      }),
      role: GroupRoleName,
    }),
    { maxItems: MAX_GROUP_ROLES },
  ),
});
export type NewGroupRoles = Static<typeof NewGroupRoles>;

export const GroupRoleView = Type.Object({
  group: Type.String(),
  role: GroupRoleName,
  members: Type.Union([Type.Integer(), Type.Null()], {
    description: "Null while the directory has not sent the group.",
  }),
});

export const ScimStatus = Type.Object({
  base_url: Type.String({ description: "What the directory is given as the tenant's or base URL." }),
  tokens: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      prefix: Type.String(),
      created_at: Type.String({ format: "date-time" }),
      expires_at: OrNull,
      last_used_at: OrNull,
      is_due: Type.Boolean({ description: "Whether it is older than a quarter and should be replaced." }),
    }),
    { description: "Keys with the scope scim:manage and no other." },
  ),
  last_request_at: OrNull,
  users: Type.Object({ total: Type.Integer(), active: Type.Integer() }),
  groups: Type.Object({ total: Type.Integer() }),
  roles: Type.Array(GroupRoleView),
  errors: Type.Array(
    Type.Object({
      at: Type.String({ format: "date-time" }),
      method: Type.String(),
      path: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
    }),
    { description: "What was refused in the last 24 hours, newest first." },
  ),
});
export type ScimStatus = Static<typeof ScimStatus>;
