import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { ApiKeyRow } from "../../../store/records/identity.ts";
import { fromIso, toIso } from "../../platform/clock.ts";
import { SCOPES, type Scope } from "../scopes.ts";

const ScopeName = Type.Unsafe<Scope>(Type.Union(SCOPES.map((scope) => Type.Literal(scope))));
const IsoTime = (description: string) => Type.String({ format: "date-time", description });
const OptionalTime = (description: string) => Type.Union([IsoTime(description), Type.Null()]);

export const NewKey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: "What the key is for." }),
  scopes: Type.Array(ScopeName, { minItems: 1, maxItems: 100, uniqueItems: true }),
  expires_at: Type.Optional(
    Type.Union([Type.String({ description: "ISO 8601; null for a key that does not expire." }), Type.Null()]),
  ),
});
export type NewKey = Static<typeof NewKey>;

export const KeyView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: "The key's first characters." }),
  scopes: Type.Array(ScopeName),
  created_at: IsoTime("When it was made."),
  expires_at: OptionalTime("From when on it is refused."),
  last_used_at: OptionalTime("Roughly when it was last used."),
});
export type KeyView = Static<typeof KeyView>;

export const CreatedKey = Type.Intersect([
  KeyView,
  Type.Object({ key: Type.String({ description: "The secret; shown only here." }) }),
]);
export type CreatedKey = Static<typeof CreatedKey>;

export const KeyList = Type.Object({
  items: Type.Array(KeyView),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export const KeyListQuery = Type.Object({
  // Elysia's own integer: it reads the text of a query string.
  limit: Type.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});

export function toKeyView(row: ApiKeyRow): KeyView {
  const time = (ms: number | null) => (ms === null ? null : toIso(ms));
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes) as Scope[],
    created_at: toIso(row.created_at),
    expires_at: time(row.expires_at),
    last_used_at: time(row.last_used_at),
  };
}

/** Opaque place in the list of keys. */
export function encodeKeyCursor(row: Pick<ApiKeyRow, "created_at" | "id">): string {
  return Buffer.from(`${toIso(row.created_at)} ${row.id}`).toString("base64url");
}

/** The place a cursor stands for; null when it is none of ours. */
export function decodeKeyCursor(cursor: string): { created_at: number; id: string } | null {
  const [time = "", id = "", ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  const created_at = fromIso(time);
  return created_at === null || id === "" || rest.length > 0 ? null : { created_at, id };
}
