import { traceKey } from "../../../store/files/keys.ts";
import { bringInBlobs } from "../../../store/loose-blobs.ts";
import { putArtifact } from "../../../store/records/artifacts.ts";
import {
  type LooseBlob,
  referenceBlobs,
  registerLocations,
  registerLooseBlobs,
} from "../../../store/records/blobs.ts";
import type { Trx } from "../../../store/records/db.ts";
import { rememberAnswer } from "../../../store/records/idempotency.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import type { TraceSource } from "../../../store/records/schema.ts";
import { insertTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { PROCESS } from "../kinds.ts";
import { publishTraceChange } from "../publish.ts";
import type { ReadAhead } from "../read-ahead.ts";
import type { IngestAnswer } from "./model.ts";
import type { Unpacked } from "./staged.ts";
import { isCommitted, type Staging, writeJournal } from "./staging.ts";

/** What comes beside the file. It wins over the manifest. */
export interface IngestFields {
  scenarioSlug: string;
  scenarioTitle: string | null;
  source: TraceSource | null;
  commitSha: string | null;
  prNumber: number | null;
  runId: string | null;
  attempt: number | null;
  /** About the run; wins over the manifest key by key. */
  env: Record<string, unknown>;
}

/** Points at which a crash is survived; tests crash there. */
export type IngestStep =
  | "received"
  | "unpacked"
  | "journaled"
  | "blobs_moved"
  | "folder_moved"
  | "committed"
  | "cleared";

export interface IngestHooks {
  onStep?(step: IngestStep): void | Promise<void>;
}

interface Checked {
  unpacked: Unpacked;
  fields: IngestFields;
  idempotency: Idempotency | null;
}

/**
 * Makes a checked upload visible: blobs and the trace's folder are moved into place, then one transaction inserts all
 * that is known of them together with the job that processes them. A crash before the commit leaves files that
 * `sweepStaging` takes back by the journal; after it, nothing is left to do but clearing the staging folder.
 */
export async function publish(
  deps: Deps,
  actor: Actor,
  upload: Checked & { staging: Staging; known: Promise<ReadAhead> | undefined },
  hooks: IngestHooks,
): Promise<IngestAnswer> {
  const { staging, unpacked } = upload;
  const { store } = deps;
  const id = deps.ids.uuid();
  const suffix = deps.ids.secret(8);
  const staged = unpacked.blobs.map(({ hash, size }) => ({ path: `${staging.blobs}/${hash}`, hash, size }));
  await writeJournal(staging, { trace_id: id, blobs: staged.map(({ hash }) => hash), suffix });
  await hooks.onStep?.("journaled");
  const blobs = await bringInBlobs(store, staged, suffix);
  await hooks.onStep?.("blobs_moved");
  await store.files.putTrace(staging.trace, id);
  await hooks.onStep?.("folder_moved");
  const answer: IngestAnswer = {
    trace_id: id,
    short_id: deps.ids.shortId(),
    warnings: unpacked.warnings,
  };
  // Before the job can be seen; what never gets one is forgotten in time.
  if (upload.known) deps.traceState.readAheads.keep(id, await upload.known);
  await record(deps, actor, { ...upload, blobs }, answer);
  await hooks.onStep?.("committed");
  return answer;
}

/** Another server has taken the same upload in under its key; nothing of this one is kept. */
export class AnsweredMeanwhile extends Error {
  override name = "AnsweredMeanwhile";
}

export interface Idempotency {
  key: string;
  requestHash: string;
}

async function record(
  deps: Deps,
  actor: Actor,
  upload: Checked & { blobs: LooseBlob[] },
  answer: IngestAnswer,
): Promise<void> {
  const { unpacked, fields, idempotency } = upload;
  const { manifest } = unpacked;
  const { orgId } = actor;
  const traceId = answer.trace_id;
  const now = deps.clock.now();
  const bytes = [...unpacked.artifacts, ...unpacked.blobs].reduce((sum, file) => sum + file.size, 0);

  const write = async (trx: Trx, after: After): Promise<void> => {
    // A title given for another slug says nothing about this scenario.
    const isItsTitle = (manifest?.scenarioSlug ?? fields.scenarioSlug) === fields.scenarioSlug;
    const scenario = await upsertScenario(trx, {
      id: deps.ids.uuid(),
      orgId,
      slug: fields.scenarioSlug,
      title: fields.scenarioTitle ?? (isItsTitle ? (manifest?.scenarioTitle ?? null) : null),
      now,
    });
    await insertTrace(trx, {
      id: traceId,
      org_id: orgId,
      short_id: answer.short_id,
      scenario_id: scenario.id,
      scenario_slug: fields.scenarioSlug,
      scenario_title: fields.scenarioTitle ?? manifest?.scenarioTitle ?? scenario.title,
      status: "queued",
      tier: "hot",
      source: fields.source ?? manifest?.source ?? null,
      code_sha: fields.commitSha ?? manifest?.codeSha ?? null,
      pr_number: fields.prNumber ?? manifest?.prNumber ?? null,
      run_id: fields.runId ?? manifest?.runId ?? null,
      attempt: fields.attempt ?? manifest?.attempt ?? null,
      region: manifest?.region ?? null,
      env: JSON.stringify({ ...manifest?.env, ...fields.env }),
      claimed_status: manifest?.status ?? null,
      started_at: manifest?.startedAt ?? null,
      ended_at: manifest?.endedAt ?? null,
      final_screenshot: unpacked.finalScreenshot,
      total_size_bytes: bytes,
      blob_count: unpacked.references.length,
      event_count: unpacked.eventCount,
      warnings: JSON.stringify(unpacked.warnings),
    });
    for (const { kind, name, size, mediaType, sha256 } of unpacked.artifacts)
      await putArtifact(trx, {
        trace_id: traceId,
        kind,
        path: traceKey(traceId, name),
        size,
        media_type: mediaType,
        sha256,
      });
    await registerLooseBlobs(trx, upload.blobs, now);
    await registerLocations(
      trx,
      unpacked.archived.map((member) => ({ ...member, container: traceKey(traceId, member.container) })),
      now,
    );
    await referenceBlobs(trx, traceId, unpacked.references);
    await after.add({ kind: PROCESS, payload: { trace_id: traceId }, dedupeKey: traceId });
    await auditAct(trx, actor, {
      at: now,
      action: "trace.ingest",
      target: traceId,
      detail: { scenario_slug: fields.scenarioSlug, size_bytes: bytes },
    });
    if (idempotency) {
      const { key, requestHash } = idempotency;
      const remembered = { requestHash, response: JSON.stringify(answer) };
      if (!(await rememberAnswer(trx, orgId, key, remembered, now))) throw new AnsweredMeanwhile();
    }
    publishTraceChange(after, { id: traceId, org_id: orgId, status: "queued" });
  };
  await commit(deps, write, () => isCommitted(deps.store, traceId));
}
