import type { Trx } from "../../../store/records/db.ts";
import { isTaken } from "../../../store/records/outcome.ts";
import { ensureUser } from "../../../store/records/scim-accounts.ts";
import { touchGroupsOf } from "../../../store/records/scim-groups.ts";
import {
  countScimUsers,
  deleteScimUser,
  findScimUser,
  groupsOfScimUsers,
  holdScim,
  insertScimUser,
  pageOfScimUsers,
  type ScimUserRow,
  updateScimUser,
} from "../../../store/records/scim-users.ts";
import { notFound } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { takeAccount } from "../account-holder.ts";
import { auditAct } from "../audit.ts";
import { accountOf, admit, followAccount, suspend } from "./accounts.ts";
import { changedMeanwhile, etagOf, requireMatch, type ScimCall, type Tagged } from "./context.ts";
import { notUnique, refused } from "./errors.ts";
import { fold, type Json } from "./evaluate.ts";
import { type ListQuery, listResources } from "./list.ts";
import { normalize, requireSchema, requireSize } from "./normalize.ts";
import { applyChanges, readChanges } from "./patch.ts";
import { ENTERPRISE_URN, shapes, USER_URN } from "./shape.ts";

const MAX_NAME = 320;

/** @throws AppError `not_found` */
export async function showUser(call: ScimCall, id: string): Promise<Tagged> {
  const row = await findScimUser(call.deps.store.records, call.actor.orgId, id);
  if (!row) throw noUser();
  const [resource] = await render(call, [row], () => true);
  return { resource: resource!, etag: etagOf(row.version) };
}

/** @throws AppError 400 of a query that does not go */
export async function listUsers(call: ScimCall, query: ListQuery): Promise<Json> {
  const { records } = call.deps.store;
  const { orgId } = call.actor;
  return listResources<ScimUserRow>(
    {
      shape: (await shapes()).user,
      batch: 250,
      count: (condition) => countScimUsers(records, orgId, condition),
      page: (page) => pageOfScimUsers(records, orgId, page),
      fit: async (rows) => rows,
      render: (rows, needs) => render(call, rows, needs),
    },
    query,
  );
}

/**
 * Makes a user of the directory, and a member of the org unless it is not active. An account that there is already is joined;
 * where nobody has confirmed its address, whatever got into it ends.
 * @throws AppError 400, `conflict` `uniqueness` when the org has a user of this name or account
 */
export async function createUser(call: ScimCall, body: unknown): Promise<Tagged> {
  const { deps, actor } = call;
  const attributes = await readUser(body);
  attributes.active ??= true;
  const { email, name } = accountOf(attributes);
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  await commit(deps, async (trx, after) => {
    await holdScim(trx, actor.orgId);
    const account = await ensureUser(trx, {
      id: deps.ids.uuid(),
      email,
      name,
      password_hash: null,
      created_at: now,
    });
    if (!account.isMade) await takeAccount(deps, trx, after, { userId: account.id, who: actor });
    const row: ScimUserRow = {
      id,
      org_id: actor.orgId,
      user_id: account.id,
      is_account_made: Number(account.isMade),
      group_role: null,
      ...columnsOf(attributes),
      version: 1,
      created_at: now,
      updated_at: now,
    };
    if (!(await insertScimUser(trx, row)))
      throw notUnique("The org has a user with this userName, or with this email address, already.");
    if (row.active) await admit(call, { trx, after }, row);
    else await suspend(call, { trx, after }, row.user_id);
    const detail = { user_id: row.user_id, user_name: attributes.userName, active: row.active === 1 };
    await auditAct(trx, actor, { at: now, action: "scim.user.create", target: id, detail });
  });
  return showUser(call, id);
}

/** @throws AppError 400, `not_found`, `conflict`, `precondition_failed` */
export async function replaceUser(call: ScimCall, id: string, body: unknown): Promise<Tagged> {
  const attributes = await readUser(body);
  // Who does not say whether somebody is active does not mean to change it.
  return changeUser(call, id, (known) => ({ active: known.active, ...attributes }));
}

/** @throws AppError 400, `not_found`, `conflict`, `precondition_failed` */
export async function patchUser(call: ScimCall, id: string, body: unknown): Promise<Tagged> {
  const changes = readChanges(body);
  const { user } = await shapes();
  return changeUser(call, id, (known) => {
    const changed = applyChanges(user, known, changes);
    requireUserName(changed);
    return { ...changed, active: changed.active ?? known.active };
  });
}

/**
 * Takes a user out of the directory: the membership ends with all sessions and tokens; what the user has made stays.
 * @throws AppError `not_found`, `conflict` for the last owner, `precondition_failed`
 */
export async function deleteUser(call: ScimCall, id: string): Promise<void> {
  const { deps, actor } = call;
  await commit(deps, async (trx, after) => {
    const row = await toChange(call, trx, id);
    await suspend(call, { trx, after }, row.user_id);
    await touchGroupsOf(trx, id);
    if (!(await deleteScimUser(trx, row))) throw changedMeanwhile();
    const detail = { user_id: row.user_id, user_name: nameOf(row.attributes) };
    await auditAct(trx, actor, { at: deps.clock.now(), action: "scim.user.delete", target: id, detail });
  });
}

async function changeUser(call: ScimCall, id: string, change: (known: Json) => Json): Promise<Tagged> {
  const { deps, actor } = call;
  await commit(deps, async (trx, after) => {
    const row = await toChange(call, trx, id);
    const known = JSON.parse(row.attributes) as Json;
    const attributes = change(known);
    requireSize(attributes);
    if (Bun.deepEquals(attributes, known)) return;
    const now = deps.clock.now();
    const columns = columnsOf(attributes);
    await followAccount(call, { trx, after }, row, attributes);
    try {
      if (!(await updateScimUser(trx, row, { ...columns, updated_at: now }))) throw changedMeanwhile();
    } catch (error) {
      if (isTaken(trx, error)) throw notUnique("The org has another user with this userName.");
      throw error;
    }
    if (shownNameOf(attributes) !== shownNameOf(known)) await touchGroupsOf(trx, id);
    if (columns.active && !row.active) await admit(call, { trx, after }, row);
    if (!columns.active && row.active) await suspend(call, { trx, after }, row.user_id);
    const fields = changedFields(known, attributes);
    const detail = {
      user_id: row.user_id,
      user_name: attributes.userName,
      fields,
      active: attributes.active,
    };
    await auditAct(trx, actor, { at: now, action: "scim.user.update", target: id, detail });
  });
  return showUser(call, id);
}

/** The row that is about to be changed, which nobody else changes until the transaction ends. */
async function toChange(call: ScimCall, trx: Trx, id: string): Promise<ScimUserRow> {
  const { orgId } = call.actor;
  await holdScim(trx, orgId);
  const row = await findScimUser(trx, orgId, id);
  if (!row) throw noUser();
  requireMatch(call, row.version);
  return row;
}

async function readUser(body: unknown): Promise<Json> {
  const attributes = normalize((await shapes()).user, requireSchema(body, USER_URN));
  requireUserName(attributes);
  requireSize(attributes);
  return attributes;
}

function requireUserName({ userName }: Json): void {
  if (typeof userName !== "string" || userName.trim() === "")
    throw refused("invalidValue", '"userName" is missing.');
  if (userName.length > MAX_NAME || /\p{Cc}/u.test(userName))
    throw refused(
      "invalidValue",
      `"userName" may have at most ${MAX_NAME} characters, and no control characters.`,
    );
}

function columnsOf(attributes: Json) {
  const text = JSON.stringify(attributes);
  return {
    user_name_key: fold(String(attributes.userName)),
    external_id: (attributes.externalId as string | undefined) ?? null,
    active: Number(attributes.active === true),
    attributes: text,
    folded: fold(text),
  };
}

async function render(
  { deps, base }: ScimCall,
  rows: ScimUserRow[],
  needs: (attribute: string) => boolean,
): Promise<Json[]> {
  const ids = needs("groups") ? rows.map(({ id }) => id) : [];
  const groups = await groupsOfScimUsers(deps.store.records, ids);
  return rows.map((row) => {
    const attributes = JSON.parse(row.attributes) as Json;
    const location = `${base}/Users/${row.id}`;
    const its = groups.get(row.id)?.map((group) => ({
      value: group.id,
      $ref: `${base}/Groups/${group.id}`,
      display: (JSON.parse(group.attributes) as Json).displayName,
      type: "direct",
    }));
    return {
      schemas: ENTERPRISE_URN in attributes ? [USER_URN, ENTERPRISE_URN] : [USER_URN],
      id: row.id,
      ...attributes,
      ...(its ? { groups: its } : {}),
      meta: {
        resourceType: "User",
        created: toIso(row.created_at),
        lastModified: toIso(row.updated_at),
        location,
        version: etagOf(row.version),
      },
    };
  });
}

const changedFields = (before: Json, after: Json) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !Bun.deepEquals(before[name], after[name]),
  );

/** How a group names its member. */
export const shownNameOf = (attributes: Json): string =>
  String(attributes.displayName ?? attributes.userName);

const nameOf = (attributes: string) => (JSON.parse(attributes) as Json).userName;
const noUser = () => notFound("This user");
