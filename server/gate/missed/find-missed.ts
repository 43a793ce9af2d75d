import {
  claimGuid,
  insertInbound,
  lookedAt,
  noteAsked,
  noteLook,
  takenGuids,
} from "../../../store/records/inbound-deliveries.ts";
import type { Deps } from "../../deps.ts";
import { firstOrgId } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import { codeHostOf } from "../code-host/code-host-of.ts";
import type { CodeHost, HostDelivery, PullRequest } from "../code-host/types.ts";
import type { PullRequestEvent } from "../webhooks/events.ts";
import { queueOf } from "../webhooks/kinds.ts";
import { isKnownEvent, LONGEST_TITLE } from "../webhooks/read-event.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The host sends again what is at most three days old. */
const FURTHEST_MS = 3 * DAY_MS;
/** Deliveries may lie between two looks that the host notes later, and clocks differ. */
const OVERLAP_MS = 15 * 60_000;
/** One that fails each time is broken, and stays in the host's own list. */
const MOST_ASKED = 3;

/**
 * Looks for what the code host told while nobody was here: deliveries of the app that failed are asked for once more; where the
 * credential is no app's, every open pull request that changed since then is told as if its head had just been pushed.
 * @returns how many there were
 * @throws CodeHostError
 */
export async function findMissed(deps: Deps): Promise<number> {
  const { records } = deps.store;
  const orgId = await firstOrgId(records);
  const host = orgId === null ? null : await codeHostOf(deps, orgId);
  if (orgId === null || host === null) return 0;
  const now = deps.clock.now();
  const last = await lookedAt(records, orgId);
  const since = Math.max(Math.min(last ?? now, now) - OVERLAP_MS, now - FURTHEST_MS);
  const { app_id: appId, private_key: key } = deps.config.settings.code_host;
  const isApp = appId !== null && key !== null;
  const found = isApp ? await askAgain(deps, host, since) : await comparePulls(deps, host, orgId, since);
  await noteLook(records, orgId, now);
  return found;
}

/** The newest attempt at each delivery decides; what we took is done, whatever the host heard of it. */
async function askAgain(deps: Deps, host: CodeHost, since: number): Promise<number> {
  const { records } = deps.store;
  const newest = new Map<string, HostDelivery>();
  for (const one of await host.deliveriesSince(since)) if (isKnownEvent(one.event)) newest.set(one.guid, one);
  const failed = [...newest.values()].filter(({ status }) => status < 200 || status > 299);
  const taken = await takenGuids(
    records,
    failed.map(({ guid }) => guid),
  );
  let asked = 0;
  for (const { guid, id } of failed) {
    if (taken.has(guid)) continue;
    // Noted first: it may be here before the host's answer is.
    if (!(await noteAsked(records, { guid, now: deps.clock.now(), most: MOST_ASKED }))) continue;
    await host.redeliver(id);
    asked += 1;
  }
  return asked;
}

async function comparePulls(deps: Deps, host: CodeHost, orgId: string, since: number): Promise<number> {
  const changed = (await host.openPullRequests()).filter(({ updatedAt }) => updatedAt >= since);
  let told = 0;
  for (const pull of changed.toReversed()) if (await tellPull(deps, host, orgId, pull)) told += 1;
  return told;
}

/** Tells of a head once, as the host would have. @returns whether it is new */
async function tellPull(deps: Deps, host: CodeHost, orgId: string, pull: PullRequest): Promise<boolean> {
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const guid = `missed-${pull.number}-${pull.headSha}`;
  const { number, url, author, isDraft, headSha, headRef, headRepository, isFork, baseSha, baseRef } = pull;
  const title = pull.title.slice(0, LONGEST_TITLE);
  const event: PullRequestEvent = {
    ...{ action: "synchronize", number, title, url, author, isDraft, isMerged: pull.isMerged },
    ...{ headSha, headRef, headRepository, isFork, baseSha, baseRef, beforeSha: null },
  };
  const payload = JSON.stringify(event);
  return commit(deps, async (trx, after) => {
    const answer = JSON.stringify({ status: "queued", delivery_id: id });
    if ((await claimGuid(trx, { guid, answer, now, since: now - FURTHEST_MS })) !== null) return false;
    await insertInbound(trx, {
      ...{ id, org_id: orgId, guid, event: "pull_request", action: event.action },
      ...{ repository: host.repository, subject: `#${number}`, payload, payload_bytes: payload.length },
      ...{ happened_at: pull.updatedAt, received_at: now, tried_since: now, next_attempt_at: now },
      ...{ state: "queued", outcome: null, ended_at: null },
    });
    await after.add({ kind: queueOf("pull_request"), payload: { delivery_id: id }, dedupeKey: id });
    return true;
  });
}
