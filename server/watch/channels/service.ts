import {
  type ChannelRow,
  channelsOf,
  deleteChannel,
  findChannel,
  insertChannel,
  updateChannel,
} from "../../../store/records/notification-channels.ts";
import { endDeliveriesOf } from "../../../store/records/webhook-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { NetError } from "../../platform/net.ts";
import { PAGERDUTY_URL } from "../channel-types/pagerduty.ts";
import { openTarget, sealTarget } from "../channel-types/sealed.ts";
import { createWebhookSecret } from "../channel-types/signatures.ts";
import type { ChannelTarget, ChannelType } from "../channel-types/types.ts";
import {
  type Channel,
  type ChannelChange,
  type CreatedChannel,
  MAX_CHANNELS,
  type NewChannel,
  toChannel,
} from "./model.ts";

type ChannelDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "net" | "vault">;

/** What each type is opened with: these fields and no others. */
const FIELDS: Record<ChannelType, { needs: Field[]; takes: Field[] }> = {
  webhook: { needs: ["url"], takes: [] },
  slack: { needs: ["url"], takes: [] },
  pagerduty: { needs: ["routing_key"], takes: ["url"] },
  teams: { needs: ["url"], takes: [] },
  incident_io: { needs: ["url", "token"], takes: [] },
  email: { needs: ["address"], takes: [] },
};
const ALL_FIELDS = ["url", "address", "routing_key", "token"] as const;
type Field = (typeof ALL_FIELDS)[number];

/**
 * Makes a channel of the actor's org.
 * @throws AppError `validation_failed` naming the field, `url_not_allowed` for an address that may not be sent to
 */
export async function createChannel(
  deps: ChannelDeps,
  actor: Actor,
  wanted: NewChannel,
): Promise<CreatedChannel> {
  const target = readTarget(wanted.type, {}, wanted);
  await requireAllowed(deps, wanted);
  const secret = wanted.type === "webhook" ? createWebhookSecret(deps.ids.bytes) : undefined;
  if (secret !== undefined) target.secret = secret;
  const now = deps.clock.now();
  const key = { id: deps.ids.uuid(), org_id: actor.orgId };
  const row: ChannelRow = {
    ...key,
    type: wanted.type,
    name: wanted.name,
    sealed: sealTarget(deps.vault, key, target),
    enabled: 1,
    disabled_reason: null,
    broken_since: null,
    arrived_at: null,
    created_at: now,
    updated_at: now,
  };
  await commit(deps, async (trx) => {
    if (!(await insertChannel(trx, row, MAX_CHANNELS)))
      throw conflict(`An org has at most ${MAX_CHANNELS} channels; remove one that is not needed any more.`);
    const detail = { type: wanted.type, name: wanted.name };
    await auditAct(trx, actor, { at: now, action: "channel.create", target: row.id, detail });
  });
  return { ...toChannel(row, target), ...(secret === undefined ? {} : { secret }) };
}

export async function listChannels(deps: ChannelDeps, actor: Actor): Promise<{ items: Channel[] }> {
  const rows = await channelsOf(deps.store.records, actor.orgId);
  return { items: rows.map((row) => toChannel(row, openTarget(deps.vault, row))) };
}

/**
 * Changes what the body names; a channel that is enabled again counts as working.
 * @throws AppError as `createChannel`, `not_found`, `wrong_org`
 */
export async function changeChannel(
  deps: ChannelDeps,
  actor: Actor,
  id: string,
  change: ChannelChange,
): Promise<Channel> {
  const { id: target } = await requireChannel(deps, actor, id);
  await requireAllowed(deps, change);
  const now = deps.clock.now();
  return commit(deps, async (trx) => {
    // As it is by now: others change it too, and what a receiver answers may turn it off.
    const row = await findChannel(trx, target);
    if (!row) throw notFound("This channel");
    const changed = changedChannel(deps, row, change, now);
    const { id: _id, org_id: _orgId, created_at: _createdAt, ...columns } = changed;
    await updateChannel(trx, target, columns);
    const detail = { fields: Object.keys(change).sort() };
    await auditAct(trx, actor, { at: now, action: "channel.update", target, detail });
    return toChannel(changed, openTarget(deps.vault, changed));
  });
}

function changedChannel(
  { vault }: Pick<Deps, "vault">,
  row: ChannelRow,
  change: ChannelChange,
  now: number,
): ChannelRow {
  const target = readTarget(row.type as ChannelType, openTarget(vault, row) ?? {}, change);
  // Its signatures go on as they were.
  if (row.type === "webhook" && target.secret === undefined)
    throw conflict("This channel's secret cannot be read any more; remove it and make it anew.");
  const { name = row.name, enabled } = change;
  const isEnabled = enabled ?? row.enabled === 1;
  return {
    ...row,
    name,
    sealed: sealTarget(vault, row, target),
    enabled: isEnabled ? 1 : 0,
    disabled_reason: isEnabled ? null : row.disabled_reason,
    broken_since: enabled === true ? null : row.broken_since,
    updated_at: now,
  };
}

/** Removes a channel; what waits for it is given up. @throws AppError `not_found`, `wrong_org` */
export async function removeChannel(deps: ChannelDeps, actor: Actor, id: string): Promise<void> {
  const { id: target, name } = await requireChannel(deps, actor, id);
  const now = deps.clock.now();
  await commit(deps, async (trx) => {
    if (!(await deleteChannel(trx, target))) throw notFound("This channel");
    await endDeliveriesOf(trx, target, { now, reason: "The channel was removed." });
    await auditAct(trx, actor, { at: now, action: "channel.delete", target, detail: { name } });
  });
}

/** @throws AppError `not_found`, `wrong_org` for a channel of another org */
export async function requireChannel(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<ChannelRow> {
  const row = await findChannel(deps.store.records, id.toLowerCase());
  if (!row) throw notFound("This channel");
  if (row.org_id !== actor.orgId)
    throw new AppError("wrong_org", "This notification channel belongs to another org.");
  return row;
}

/** What was known with what the body says in its place. */
function readTarget(
  type: ChannelType,
  known: ChannelTarget,
  given: Pick<ChannelChange, Field>,
): ChannelTarget {
  const { needs, takes } = FIELDS[type];
  const target: ChannelTarget = { ...known };
  for (const field of ALL_FIELDS) {
    const value = given[field];
    if (value === undefined) continue;
    if (!needs.includes(field) && !takes.includes(field))
      throw wrong(`The body's field "${field}" is not one of a ${type} channel, which takes ${words(type)}.`);
    target[field] = value;
  }
  const missing = needs.find((field) => target[field] === undefined);
  if (missing)
    throw wrong(`The body's field "${missing}" is missing: a ${type} channel takes ${words(type)}.`);
  requireCredential(type, known, given);
  return target;
}

/** What a channel is opened with goes to another server only when whoever names that server knows it: answers never show it. */
function requireCredential(type: ChannelType, known: ChannelTarget, given: Pick<ChannelChange, Field>): void {
  const before = known.url ?? (type === "pagerduty" ? PAGERDUTY_URL : undefined);
  if (given.url === undefined || before === undefined) return;
  if (URL.parse(given.url)?.origin === URL.parse(before)?.origin) return;
  for (const field of ["routing_key", "token"] as const)
    if (known[field] !== undefined && given[field] === undefined)
      throw wrong(
        `The body's field "${field}" is missing: it is needed again when "url" names another server.`,
      );
}

const words = (type: ChannelType): string =>
  [...FIELDS[type].needs, ...FIELDS[type].takes.map((field) => `${field} (optional)`)].join(", ");

async function requireAllowed(
  { net }: Pick<Deps, "net">,
  { url }: Pick<ChannelChange, "url">,
): Promise<void> {
  if (url === undefined) return;
  try {
    await net.check(url);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw new AppError(
      "url_not_allowed",
      `${error.message} Private addresses need notifications.allow_private_addresses in settings.json.`,
      { status: 422 },
    );
  }
}

const wrong = (message: string) => new AppError("validation_failed", message);
