import { artifactsOf } from "../../../store/records/artifacts.ts";
import { findCauseOf } from "../../../store/records/causes.ts";
import { testsOfScenarios } from "../../../store/records/test-run-tests.ts";
import { type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import { withReserve } from "../../../store/reserve.ts";
import type { Deps } from "../../deps.ts";
import { conflict, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { requireTrace } from "../access.ts";
import { signArtifact } from "../files/links.ts";
import { type TraceDetail, toTestRef, toTraceDetail } from "../model.ts";
import { playwrightViewerUrl } from "../playwright-viewer/service.ts";
import { publishTraceChange } from "../publish.ts";
import { movesAt } from "../retention.ts";
import { removeTraceForGood } from "../tiers/remove.ts";

/** Artifact kinds that have a signed URL: those of the specification, section 2.2. */
const SIGNED_KINDS = ["ndjson", "video", "playwright", "rrweb", "summary", "report"] as const;

/**
 * Everything about one trace, with fresh links to its files.
 * @param base the origin that the client uses, for which the links are made
 */
export async function showTrace(deps: Deps, actor: Actor, id: string, base: string): Promise<TraceDetail> {
  const trace = await requireTrace(deps, actor, id);
  const artifacts = await artifactsOf(deps.store.records, trace.id);
  const signed_urls: TraceDetail["signed_urls"] = {};
  for (const kind of SIGNED_KINDS) {
    const artifact = artifacts.find((one) => one.kind === kind);
    if (artifact) signed_urls[kind] = signArtifact(deps, base, artifact);
  }
  const playwright = artifacts.find(({ kind }) => kind === "playwright");
  const tests = await testsOfScenarios(deps.store.records, trace.org_id, [trace.scenario_id]);
  const viewer = playwright && playwrightViewerUrl(base, (origin) => signArtifact(deps, origin, playwright));
  return {
    ...toTraceDetail(trace, {
      now: deps.clock.now(),
      movesAt: movesAt(trace, deps.config),
      headline: (await findCauseOf(deps.store.records, trace.id))?.headline ?? null,
      test: toTestRef(tests.get(trace.scenario_id)),
    }),
    signed_urls,
    ...(viewer ? { playwright_viewer_url: viewer } : {}),
  };
}

/** Pins or unpins; to do it twice is fine. Who pins what pinned itself as a failure keeps it for good. */
export async function setPinned(
  deps: Deps,
  actor: Actor,
  id: string,
  pinned: boolean,
): Promise<{ pinned: boolean }> {
  const trace = await requireTrace(deps, actor, id);
  if ((trace.pinned === 1) === pinned && trace.auto_pinned === 0) return { pinned };
  await commit(deps, async (trx, after) => {
    await updateTrace(trx, trace.id, { pinned: pinned ? 1 : 0, auto_pinned: 0 });
    await auditAct(trx, actor, {
      at: deps.clock.now(),
      action: pinned ? "trace.pin" : "trace.unpin",
      target: trace.id,
      detail: {},
    });
    publishTraceChange(after, trace);
  });
  return { pinned };
}

/**
 * Removes a trace with all its files.
 * @throws AppError `conflict` for a pinned trace unless `force`
 */
export async function removeTrace(deps: Deps, actor: Actor, id: string, force: boolean): Promise<void> {
  const trace = await requireTrace(deps, actor, id);
  if (trace.pinned === 1 && !force)
    throw conflict("This trace is pinned: unpin it first, or add ?force=1 to remove it all the same.");
  if (!(await removeOnFullDisk(deps, actor, trace))) throw notFound("This trace");
}

/** On a full disk the records cannot even be told of a removal: the room that is kept for this is given up first. */
const removeOnFullDisk = (deps: Deps, actor: Actor, trace: TraceRow): Promise<boolean> =>
  withReserve(
    deps.store.reserve,
    () => removeTraceForGood(deps, actor, trace),
    () => deps.log.warn("the disk is full: the room kept for removals is given up", { trace_id: trace.id }),
  );
