import type { Trx } from "../../../store/records/db.ts";
import { isTaken } from "../../../store/records/outcome.ts";
import {
  addMembers,
  countMembers,
  countScimGroups,
  deleteScimGroup,
  findScimGroup,
  insertScimGroup,
  knownScimUsers,
  memberIdsOf,
  membersOf,
  pageOfScimGroups,
  removeMembers,
  type ScimGroupRow,
  updateScimGroup,
} from "../../../store/records/scim-groups.ts";
import { holdScim, touchScimUsers } from "../../../store/records/scim-users.ts";
import { notFound } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { auditAct } from "../audit.ts";
import { refreshRoles } from "./accounts.ts";
import { changedMeanwhile, etagOf, requireMatch, type ScimCall, type Tagged } from "./context.ts";
import { notUnique, refused } from "./errors.ts";
import { fold, type Json } from "./evaluate.ts";
import { type ListQuery, listResources } from "./list.ts";
import { applyMemberChanges, isOfMembers, nested, readMembers } from "./members.ts";
import { normalize, requireSchema, requireSize } from "./normalize.ts";
import { applyChanges, readChanges } from "./patch.ts";
import { GROUP_URN, shapes } from "./shape.ts";
import { shownNameOf } from "./users.ts";

export const MAX_GROUP_NAME = 256;
/** Members on one page of groups. */
const MAX_LISTED_MEMBERS = 20_000;
/** Ids that one entry of the audit names. */
const NAMED_IN_AUDIT = 100;

/** @param needs whether the answer shows an attribute @throws AppError `not_found` */
export async function showGroup(
  call: ScimCall,
  id: string,
  needs: (attribute: string) => boolean,
): Promise<Tagged> {
  const row = await findScimGroup(call.deps.store.records, call.actor.orgId, id);
  if (!row) throw noGroup();
  const [resource] = await render(call, [row], needs);
  return { resource: resource!, etag: etagOf(row.version) };
}

/** @throws AppError 400 of a query that does not go */
export async function listGroups(call: ScimCall, query: ListQuery): Promise<Json> {
  const { records } = call.deps.store;
  const { orgId } = call.actor;
  return listResources<ScimGroupRow>(
    {
      shape: (await shapes()).group,
      batch: 20,
      count: (condition) => countScimGroups(records, orgId, condition),
      page: (page) => pageOfScimGroups(records, orgId, page),
      fit: (rows, needs) => (needs("members") ? fit(call, rows) : Promise.resolve(rows)),
      render: (rows, needs) => render(call, rows, needs),
    },
    query,
  );
}

/** @throws AppError 400, `conflict` `uniqueness` when the org has a group of this name */
export async function createGroup(call: ScimCall, body: unknown): Promise<string> {
  const { deps, actor } = call;
  const { attributes, members } = await readGroup(body);
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  await commit(deps, async (trx, after) => {
    await holdScim(trx, actor.orgId);
    await requireUsers(trx, actor.orgId, members);
    const row: ScimGroupRow = {
      id,
      org_id: actor.orgId,
      ...columnsOf(attributes),
      version: 1,
      created_at: now,
      updated_at: now,
    };
    if (!(await insertScimGroup(trx, row))) throw taken();
    await addMembers(trx, id, members);
    await touchScimUsers(trx, { ids: members });
    await refreshRoles(call, { trx, after }, members);
    const detail = { name: attributes.displayName, members: members.length, ...someOf("added", members) };
    await auditAct(trx, actor, { at: now, action: "scim.group.create", target: id, detail });
  });
  return id;
}

/** @throws AppError 400, `not_found`, `conflict`, `precondition_failed` */
export async function replaceGroup(call: ScimCall, id: string, body: unknown): Promise<void> {
  const { attributes, members } = await readGroup(body);
  await changeGroup(call, id, async () => ({ attributes, members: new Set(members) }));
}

/** @throws AppError 400, `not_found`, `conflict`, `precondition_failed` */
export async function patchGroup(call: ScimCall, id: string, body: unknown): Promise<void> {
  const changes = readChanges(body);
  const { group } = await shapes();
  const ofMembers = changes.filter(isOfMembers);
  const others = changes.filter((change) => !isOfMembers(change));
  await changeGroup(call, id, async (trx, known) => {
    const attributes = applyChanges(group, known, others);
    requireName(attributes);
    if (ofMembers.length === 0) return { attributes, members: null };
    const members = new Set(await memberIdsOf(trx, id));
    await applyMemberChanges(group, members, ofMembers, async (ids) =>
      (await membersOf(trx, [id]))
        .filter((member) => ids.has(member.id))
        .map((member) => ({ value: member.id, display: shownNameOf(JSON.parse(member.attributes) as Json) })),
    );
    return { attributes, members };
  });
}

/** The users stay; a role that the group gave goes. @throws AppError `not_found`, `precondition_failed` */
export async function deleteGroup(call: ScimCall, id: string): Promise<void> {
  const { deps, actor } = call;
  await commit(deps, async (trx, after) => {
    const row = await toChange(call, trx, id);
    const members = await memberIdsOf(trx, id);
    await touchScimUsers(trx, { groupId: id });
    if (!(await deleteScimGroup(trx, row))) throw changedMeanwhile();
    await refreshRoles(call, { trx, after }, members);
    const detail = { name: (JSON.parse(row.attributes) as Json).displayName, members: members.length };
    await auditAct(trx, actor, { at: deps.clock.now(), action: "scim.group.delete", target: id, detail });
  });
}

/** What becomes of a group; `members` null when they stay. */
interface ChangedGroup {
  attributes: Json;
  members: Set<string> | null;
}

async function changeGroup(
  call: ScimCall,
  id: string,
  change: (trx: Trx, known: Json) => Promise<ChangedGroup>,
): Promise<void> {
  const { deps, actor } = call;
  await commit(deps, async (trx, after) => {
    const row = await toChange(call, trx, id);
    const known = JSON.parse(row.attributes) as Json;
    const { attributes, members } = await change(trx, known);
    requireSize(attributes);
    const before = members ? new Set(await memberIdsOf(trx, id)) : new Set<string>();
    const added = [...(members ?? [])].filter((user) => !before.has(user));
    const removed = members ? [...before].filter((user) => !members.has(user)) : [];
    if (Bun.deepEquals(attributes, known) && added.length + removed.length === 0) return;
    await requireUsers(trx, actor.orgId, added);
    const now = deps.clock.now();
    try {
      const columns = { ...columnsOf(attributes), updated_at: now };
      if (!(await updateScimGroup(trx, row, columns))) throw changedMeanwhile();
    } catch (error) {
      if (isTaken(trx, error)) throw taken();
      throw error;
    }
    await addMembers(trx, id, added);
    await removeMembers(trx, id, removed);
    const isRenamed = attributes.displayName !== known.displayName;
    if (isRenamed) await touchScimUsers(trx, { groupId: id });
    await touchScimUsers(trx, { ids: isRenamed ? removed : [...added, ...removed] });
    const concerned = isRenamed ? [...(await memberIdsOf(trx, id)), ...removed] : [...added, ...removed];
    await refreshRoles(call, { trx, after }, concerned);
    const detail = {
      name: attributes.displayName,
      ...(isRenamed ? { was: known.displayName } : {}),
      ...someOf("added", added),
      ...someOf("removed", removed),
    };
    await auditAct(trx, actor, { at: now, action: "scim.group.update", target: id, detail });
  });
}

/** The row that is about to be changed, which nobody else changes until the transaction ends. */
async function toChange(call: ScimCall, trx: Trx, id: string): Promise<ScimGroupRow> {
  const { orgId } = call.actor;
  await holdScim(trx, orgId);
  const row = await findScimGroup(trx, orgId, id);
  if (!row) throw noGroup();
  requireMatch(call, row.version);
  return row;
}

async function readGroup(body: unknown): Promise<{ attributes: Json; members: string[] }> {
  const { group } = await shapes();
  const message = requireSchema(body, GROUP_URN);
  const { members: _, ...attributes } = normalize(group, message);
  const given = Object.entries(message).find(([name]) => name.toLowerCase() === "members")?.[1];
  requireName(attributes);
  requireSize(attributes);
  return { attributes, members: [...new Set(readMembers(group, given))] };
}

function requireName({ displayName }: Json): void {
  if (typeof displayName !== "string" || displayName.trim() === "")
    throw refused("invalidValue", '"displayName" is missing.');
  if (displayName.length > MAX_GROUP_NAME || /\p{Cc}/u.test(displayName))
    throw refused(
      "invalidValue",
      `"displayName" may have at most ${MAX_GROUP_NAME} characters, and no control characters.`,
    );
}

async function requireUsers(trx: Trx, orgId: string, ids: readonly string[]): Promise<void> {
  const known = await knownScimUsers(trx, orgId, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  if (await findScimGroup(trx, orgId, unknown)) throw nested();
  throw refused("invalidValue", `"members" names ${unknown.slice(0, 64)}, which is the id of no user.`);
}

function columnsOf(attributes: Json) {
  const text = JSON.stringify(attributes);
  return {
    name_key: fold(String(attributes.displayName)),
    external_id: (attributes.externalId as string | undefined) ?? null,
    attributes: text,
    folded: fold(text),
  };
}

async function fit({ deps }: ScimCall, rows: ScimGroupRow[]): Promise<ScimGroupRow[]> {
  const sizes = await countMembers(
    deps.store.records,
    rows.map(({ id }) => id),
  );
  let sum = 0;
  const end = rows.findIndex(({ id }, at) => {
    sum += sizes.get(id) ?? 0;
    return at > 0 && sum > MAX_LISTED_MEMBERS;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

async function render(
  { deps, base }: ScimCall,
  rows: ScimGroupRow[],
  needs: (attribute: string) => boolean,
): Promise<Json[]> {
  const members = new Map<string, Json[]>(rows.map(({ id }) => [id, []]));
  const ids = needs("members") ? [...members.keys()] : [];
  for (const { group_id, id, attributes } of await membersOf(deps.store.records, ids))
    members.get(group_id)!.push({
      value: id,
      $ref: `${base}/Users/${id}`,
      display: shownNameOf(JSON.parse(attributes) as Json),
      type: "User",
    });
  return rows.map((row) => {
    const its = members.get(row.id)!;
    return {
      schemas: [GROUP_URN],
      id: row.id,
      ...(JSON.parse(row.attributes) as Json),
      ...(its.length > 0 ? { members: its } : {}),
      meta: {
        resourceType: "Group",
        created: toIso(row.created_at),
        lastModified: toIso(row.updated_at),
        location: `${base}/Groups/${row.id}`,
        version: etagOf(row.version),
      },
    };
  });
}

/** How many there are, and the first of them. */
function someOf(name: "added" | "removed", ids: readonly string[]): Json {
  return ids.length === 0 ? {} : { [name]: ids.slice(0, NAMED_IN_AUDIT), [`${name}_count`]: ids.length };
}

const taken = () => notUnique("The org has a group of this displayName already.");
const noGroup = () => notFound("This group");
