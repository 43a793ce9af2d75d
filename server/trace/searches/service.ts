import type { Trx } from "../../../store/records/db.ts";
import {
  insertSavedSearch,
  removeSavedSearch,
  type SavedSearchRow,
  savedSearchesOf,
  updateSavedSearch,
} from "../../../store/records/saved-searches.ts";
import type { Deps } from "../../deps.ts";
import { conflict, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { parseSearch } from "../format/search-tokens.ts";
import { type NewSavedSearch, type SavedSearch, type SavedSearchChange, toSavedSearch } from "./model.ts";

const MOST = 100;

/** The org's saved searches, in their order. */
export async function listSavedSearches(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
): Promise<{ items: SavedSearch[] }> {
  const rows = await savedSearchesOf(deps.store.records, actor.orgId);
  return { items: rows.map(toSavedSearch) };
}

/** Saves a search as the last one. @throws AppError `invalid_request`, `conflict` for a name that is taken or too many */
export async function saveSearch(deps: Deps, actor: Actor, wanted: NewSavedSearch): Promise<SavedSearch> {
  const name = nameOf(wanted.name);
  const query = queryOf(deps, wanted.query);
  return commit(deps, async (within) => {
    const now = deps.clock.now();
    const saved = {
      id: deps.ids.uuid(),
      org_id: actor.orgId,
      name,
      query,
      created_at: now,
      updated_at: now,
    };
    const outcome = await insertSavedSearch(within, saved, MOST);
    if (outcome === "full") throw conflict(`There are ${MOST} saved searches already: remove one first.`);
    if (outcome === "taken") throw taken(name);
    const all = await savedSearchesOf(within, actor.orgId);
    const row = requireOne(all, saved.id);
    await note(deps, within, actor, "saved_search.create", row);
    return toSavedSearch(row, all.indexOf(row));
  });
}

/** Changes a saved search's name, query or place. @throws AppError `not_found`, `invalid_request`, `conflict` */
export async function changeSavedSearch(
  deps: Deps,
  actor: Actor,
  id: string,
  change: SavedSearchChange,
): Promise<SavedSearch> {
  const { position } = change;
  const texts = {
    ...(change.name === undefined ? {} : { name: nameOf(change.name) }),
    ...(change.query === undefined ? {} : { query: queryOf(deps, change.query) }),
  };
  return commit(deps, async (within) => {
    const all = await savedSearchesOf(within, actor.orgId);
    const row = requireOne(all, id);
    const changed = { ...row, ...texts, updated_at: deps.clock.now() };
    const change = { ...texts, updated_at: changed.updated_at };
    if (!(await updateSavedSearch(within, row.id, change))) throw taken(changed.name);
    const rest = all.filter((one) => one.id !== row.id);
    const at = Math.min(position ?? all.indexOf(row), rest.length);
    const ordered = rest.toSpliced(at, 0, changed);
    for (const [place, one] of ordered.entries())
      if (one.position !== place) await updateSavedSearch(within, one.id, { position: place });
    await note(deps, within, actor, "saved_search.change", changed);
    return toSavedSearch(changed, at);
  });
}

/** Removes a saved search. @throws AppError `not_found` */
export async function forgetSearch(deps: Deps, actor: Actor, id: string): Promise<void> {
  await commit(deps, async (within) => {
    const row = requireOne(await savedSearchesOf(within, actor.orgId), id);
    await removeSavedSearch(within, row.id);
    await note(deps, within, actor, "saved_search.remove", row);
  });
}

function requireOne(all: SavedSearchRow[], id: string): SavedSearchRow {
  const row = all.find((one) => one.id === id.toLowerCase());
  if (!row) throw notFound("This saved search");
  return row;
}

const taken = (name: string) => conflict(`There is a saved search "${name}" already.`);

function nameOf(text: string): string {
  const name = text.trim();
  if (name === "" || /\p{Cc}/u.test(name))
    throw invalid(
      "name must have a letter or sign that can be seen, and no line breaks or other control characters.",
    );
  return name;
}

function queryOf(deps: Pick<Deps, "clock">, text: string): string {
  const query = text.trim();
  if (query === "" || query.includes("\0")) throw invalid("query must hold a word or a token, and no NUL.");
  const wrong = parseSearch(query, deps.clock.now()).find(({ error }) => error !== null);
  if (wrong) throw invalid(`query: ${wrong.error}`);
  return query;
}

function note(deps: Deps, within: Trx, actor: Actor, action: string, row: SavedSearchRow) {
  const detail = { name: row.name, query: row.query };
  return auditAct(within, actor, { at: deps.clock.now(), action, target: row.id, detail });
}
