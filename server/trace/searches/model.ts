import { type Static, Type } from "@sinclair/typebox";
import type { SavedSearchRow } from "../../../store/records/saved-searches.ts";
import { toIso } from "../../platform/clock.ts";

const NAME = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Unlike that of any other of the org.",
});
const QUERY = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: "As it is typed into the list's search field: status:failed step:pay after:7d timeout",
  examples: ["status:failed step:pay"],
});

export const NewSavedSearch = Type.Object({ name: NAME, query: QUERY });
export type NewSavedSearch = Static<typeof NewSavedSearch>;

export const SavedSearchChange = Type.Object(
  {
    name: Type.Optional(NAME),
    query: Type.Optional(QUERY),
    position: Type.Optional(Type.Integer({ minimum: 0, description: "Place among all, from 0." })),
  },
  { minProperties: 1, examples: [{ name: "Checkout fails" }] },
);
export type SavedSearchChange = Static<typeof SavedSearchChange>;

export const SavedSearch = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  query: Type.String(),
  position: Type.Integer(),
  created_at: Type.String({ format: "date-time" }),
  updated_at: Type.String({ format: "date-time" }),
});
export type SavedSearch = Static<typeof SavedSearch>;

export const SavedSearchList = Type.Object({ items: Type.Array(SavedSearch) });

export function toSavedSearch({ org_id: _, ...row }: SavedSearchRow, position: number): SavedSearch {
  return { ...row, position, created_at: toIso(row.created_at), updated_at: toIso(row.updated_at) };
}
