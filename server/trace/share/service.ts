import { artifactsOf } from "../../../store/records/artifacts.ts";
import { isOrgThere } from "../../../store/records/orgs.ts";
import { countShareViews, forgetShareViews, listShareViews } from "../../../store/records/share.ts";
import { findTraceByShortId, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound, unauthorized } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { optionalActor, requireScope } from "../../identity/auth.ts";
import { type After, commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { toIso } from "../../platform/clock.ts";
import { requireTrace } from "../access.ts";
import { signArtifact } from "../files/links.ts";
import { isShared, toTraceItem } from "../model.ts";
import { publishTraceChange } from "../publish.ts";
import type { ShareAnswer, SharedTrace, ShareRequest, ShareState, ShareViews } from "./model.ts";
import { describeAgent, shortAddress } from "./visitors.ts";

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 7;

/** Shares a trace, or gives its share another visibility and end; the link stays the same. */
export async function shareTrace(
  deps: Deps,
  actor: Actor,
  id: string,
  wanted: ShareRequest,
  base: string,
): Promise<ShareAnswer> {
  const trace = await requireTrace(deps, actor, id);
  const now = deps.clock.now();
  const expiresAt = now + (wanted.expires_days ?? DEFAULT_DAYS) * DAY_MS;
  await commit(deps, async (trx, after) => {
    await updateTrace(trx, trace.id, { share_visibility: wanted.visibility, share_expires_at: expiresAt });
    const detail = { visibility: wanted.visibility, expires_at: toIso(expiresAt) };
    await auditAct(trx, actor, { at: now, action: "trace.share", target: trace.id, detail });
    publishShareChange(after, trace);
  });
  return toAnswer({ ...trace, share_visibility: wanted.visibility, share_expires_at: expiresAt }, base);
}

/** @throws AppError `not_found` when the trace is not shared (any more) */
export async function showShare(deps: Deps, actor: Actor, id: string, base: string): Promise<ShareState> {
  const trace = await requireTrace(deps, actor, id);
  if (!isShared(trace, deps.clock.now())) throw notFound("A share of this trace");
  await deps.traceState.openings.tryFlush();
  const { views, lastAt } = await countShareViews(deps.store.records, trace.id);
  return { ...toAnswer(trace, base), views, last_viewed_at: lastAt === null ? null : toIso(lastAt) };
}

/** Ends a share at once; that of a trace that is not shared has ended already. */
export async function withdrawShare(deps: Deps, actor: Actor, id: string): Promise<void> {
  const trace = await requireTrace(deps, actor, id);
  if (trace.share_visibility === null) return;
  await commit(deps, async (trx, after) => {
    await updateTrace(trx, trace.id, { share_visibility: null, share_expires_at: null });
    await auditAct(trx, actor, {
      at: deps.clock.now(),
      action: "trace.unshare",
      target: trace.id,
      detail: {},
    });
    publishShareChange(after, trace);
  });
}

/** Streams of the trace hear of it too: those that the share no longer opens end. */
function publishShareChange(after: Pick<After, "publish">, trace: TraceRow): void {
  publishTraceChange(after, trace);
  after.publish("trace", trace.id, { type: "status", status: trace.status });
}

function toAnswer(trace: TraceRow, base: string): ShareAnswer {
  return {
    short_id: trace.short_id,
    url: `${base}/r/${trace.short_id}`,
    visibility: trace.share_visibility!,
    expires_at: toIso(trace.share_expires_at!),
  };
}

export type ShareAccess =
  | { type: "open"; trace: TraceRow }
  /** Shared with the org, and nobody of it is signed in here. */
  | { type: "sign_in" }
  /** Unknown, expired and withdrawn links are not told apart. */
  | { type: "gone" };

/**
 * Whether whoever makes the request may see what a link shares; asked anew at every request.
 * @throws AppError `insufficient_scope` for a credential of the org that may not read traces
 */
export async function openShare(deps: Deps, request: Request, shortId: string): Promise<ShareAccess> {
  const trace = await findTraceByShortId(deps.store.records, shortId);
  if (!trace || !isShared(trace, deps.clock.now())) return { type: "gone" };
  if (!(await isOrgThere(deps.store.records, trace.org_id))) return { type: "gone" };
  if (trace.share_visibility === "public-read") return { type: "open", trace };
  const actor = await optionalActor(deps, request, new URL(request.url).pathname, trace.org_id);
  if (!actor) return { type: "sign_in" };
  if (actor.orgId !== trace.org_id) return { type: "gone" };
  requireScope(actor, "traces:read");
  return { type: "open", trace };
}

/**
 * The trace behind a link.
 * @throws AppError `not_found` when the link does not work, `unauthorized` when it needs a session, `insufficient_scope`
 */
export async function requireShare(deps: Deps, request: Request, shortId: string): Promise<TraceRow> {
  const access = await openShare(deps, request, shortId);
  if (access.type === "open") return access.trace;
  if (access.type === "sign_in") throw unauthorized("This link needs you to be signed in.");
  throw new AppError("not_found", "This link no longer works.");
}

/** Counts an opening of the shared page. */
export async function countView(
  deps: Deps,
  trace: TraceRow,
  visitor: { ip: string | null; request: Request; isEmbedded: boolean },
) {
  const view = {
    id: deps.ids.uuid(),
    traceId: trace.id,
    at: deps.clock.now(),
    ip: visitor.ip,
    userAgent: visitor.request.headers.get("user-agent")?.slice(0, 500) ?? null,
    isEmbedded: visitor.isEmbedded,
  };
  await deps.traceState.openings.add(view);
}

/** Who opened the shared page, as far as it is kept; also of a share that has ended. */
export async function showShareViews(deps: Deps, actor: Actor, id: string): Promise<ShareViews> {
  const trace = await requireTrace(deps, actor, id);
  await deps.traceState.openings.tryFlush();
  const { views } = await countShareViews(deps.store.records, trace.id);
  const openings = await listShareViews(deps.store.records, trace.id);
  return {
    views,
    openings: openings.map(({ at, ip, userAgent, isEmbedded, times }) => ({
      at: toIso(at),
      address: shortAddress(ip),
      agent: describeAgent(userAgent),
      is_embedded: isEmbedded,
      times,
    })),
  };
}

/** Addresses are not kept longer than anybody looks at them. */
const OPENINGS_KEPT_MS = 90 * DAY_MS;

/** Forgets old openings of shared pages; how many there were stays. */
export function shareTask(deps: Deps): PeriodicTask {
  return {
    name: "openings of shares",
    everyMs: 60 * 60_000,
    of: "store",
    run: () => forgetShareViews(deps.store.records, deps.clock.now() - OPENINGS_KEPT_MS),
  };
}

const SHARED_KINDS = ["ndjson", "video", "playwright", "rrweb", "summary", "report"];

/** What the shared page shows above the recording, with links to the trace's files. */
export async function showSharedTrace(deps: Deps, trace: TraceRow, base: string): Promise<SharedTrace> {
  const item = toTraceItem(trace, deps.clock.now());
  const viaShare = trace.share_visibility!;
  const artifacts = await artifactsOf(deps.store.records, trace.id);
  return {
    short_id: item.short_id,
    scenario_title: item.scenario_title,
    scenario_slug: item.scenario_slug,
    status: item.status,
    tier: item.tier,
    duration_ms: item.duration_ms,
    code_sha: item.code_sha,
    failure_signature: item.failure_signature,
    failure_message: item.failure_message,
    failed_step_id: trace.failed_step_id,
    final_screenshot: item.final_screenshot,
    event_count: item.event_count,
    error_count: item.error_count,
    created_at: item.created_at,
    share_visibility: viaShare,
    share_expires_at: toIso(trace.share_expires_at!),
    signed_urls: Object.fromEntries(
      artifacts
        .filter(({ kind }) => SHARED_KINDS.includes(kind))
        .map((artifact) => [artifact.kind, signArtifact(deps, base, artifact, { viaShare })]),
    ),
  };
}
