import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { ListedKey } from "../../../store/records/api-keys.ts";
import type { KeyKind } from "../../../store/records/token-schema.ts";
import { toIso } from "../../platform/clock.ts";
import { SCOPES, type Scope } from "../scopes.ts";

export const ScopeName = Type.Unsafe<Scope>(Type.Union(SCOPES.map((scope) => Type.Literal(scope))));
const IsoTime = (description: string) => Type.String({ format: "date-time", description });
const OptionalTime = (description: string) => Type.Union([IsoTime(description), Type.Null()]);

export const KEY_KINDS = ["sk", "pat", "svc"] as const satisfies readonly KeyKind[];
const Kind = (description: string) =>
  Type.Unsafe<KeyKind>(
    Type.Union(
      KEY_KINDS.map((kind) => Type.Literal(kind)),
      { description },
    ),
  );

/** How many keys and service tokens an org may have, and how many personal tokens a person may have in it. */
export const MOST_KEYS = 1_000;
export const MOST_PERSONAL_TOKENS = 50;
const DAY_MS = 24 * 60 * 60_000;
/** How long a personal token lives when nobody says, and at most. */
export const PERSONAL_TOKEN_MS = 90 * DAY_MS;
export const LONGEST_PERSONAL_TOKEN_MS = 366 * DAY_MS;

export const Scopes = Type.Array(ScopeName, { minItems: 1, maxItems: 100, uniqueItems: true });
export const NewKey = Type.Object({
  kind: Type.Optional(
    Kind(
      "sk: an API key of the org; svc: a service token of the org; pat: a personal access token of the caller. Default sk.",
    ),
  ),
  name: Type.String({ minLength: 1, maxLength: 200, description: "What the key is for." }),
  scopes: Scopes,
  expires_at: Type.Optional(
    Type.Union([
      Type.String({
        description:
          "ISO 8601; null for a key that does not expire. A personal token always does: after 90 days, or 366 at most.",
      }),
      Type.Null(),
    ]),
  ),
});
export type NewKey = Static<typeof NewKey>;

export const KeyView = Type.Object({
  id: Type.String(),
  kind: Kind("API key, personal access token or service token."),
  name: Type.String(),
  prefix: Type.String({ description: "The key's first characters." }),
  scopes: Type.Array(ScopeName),
  status: Type.Union([Type.Literal("active"), Type.Literal("unverified")], {
    description: "unverified: an agent has signed up by itself and no person has verified it yet.",
  }),
  made_by: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()], {
    description: "Who made or verified it.",
  }),
  created_at: IsoTime("When it was made."),
  expires_at: OptionalTime("From when on it is refused."),
  last_used_at: OptionalTime("Roughly when it was last used."),
});
export type KeyView = Static<typeof KeyView>;

export const CreatedKey = Type.Composite([
  KeyView,
  Type.Object({ key: Type.String({ description: "The secret; shown only here." }) }),
]);
export type CreatedKey = Static<typeof CreatedKey>;

export const KeyList = Type.Object({
  items: Type.Array(KeyView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export type KeyList = Static<typeof KeyList>;

export const KeyListQuery = Type.Object({
  // Elysia's own integer: it reads the text of a query string.
  kind: Type.Optional(Kind("Only these; without it, all that the caller may see.")),
  mine: Type.Optional(
    Type.Unsafe<"1">(Type.Literal("1", { description: "Only what the caller has made or stands for." })),
  ),
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type KeyListQuery = Static<typeof KeyListQuery>;

export function toKeyView(row: ListedKey): KeyView {
  const time = (ms: number | null) => (ms === null ? null : toIso(ms));
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes) as Scope[],
    status: row.signup_status === "unverified" ? "unverified" : "active",
    made_by: row.maker_id === null ? null : { id: row.maker_id, name: row.maker_name ?? "" },
    created_at: toIso(row.created_at),
    expires_at: time(row.expires_at),
    last_used_at: time(row.last_used_at),
  };
}
