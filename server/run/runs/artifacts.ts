import { findArtifact } from "../../../store/records/artifacts.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import { isOrgThere } from "../../../store/records/orgs.ts";
import { findRun, type RunRow, readRunLogs } from "../../../store/records/runs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { originOf } from "../../http/guard.ts";
import { toIso } from "../../platform/clock.ts";
import { requireOnline } from "../../trace/access.ts";
import { signArtifact, signBlob } from "../../trace/files/links.ts";
import { harStream } from "../../trace/har/service.ts";
import { traceReport } from "../../trace/reports/service.ts";
import { RUN_ARTIFACT_KINDS, type RunArtifact, type RunArtifactKind } from "./model.ts";

/** Made when they are asked for, so they have no file that a link could name. */
const GENERATED = {
  har: { name: "run.har", type: "application/json" },
  report: { name: "report.md", type: "text/markdown; charset=utf-8; variant=CommonMark" },
  log: { name: "run.log", type: "text/plain; charset=utf-8" },
} as const;
export type GeneratedName = (typeof GENERATED)[keyof typeof GENERATED]["name"];
export const GENERATED_NAMES = ["run.har", "report.md", "run.log"] as const;

const BATCH = 500;

/**
 * Where a file of a run is to be had, by a link that needs no credential and leads to nothing else. `trace` is the
 * Playwright archive where one was recorded, else the events.
 * @param base the origin that the client uses
 * @throws AppError `not_found` naming the kind; `not_hot`
 */
export async function runArtifact(
  deps: Deps,
  run: RunRow,
  kind: RunArtifactKind,
  base: string,
): Promise<RunArtifact> {
  if (kind === "log") return generated(deps, run, kind, base);
  const trace = run.trace_id === null ? null : await findTrace(deps.store.records, run.trace_id);
  if (!trace) throw notFound(`The artifact "${kind}" of this run`);
  if (kind === "har" || kind === "report") {
    if (kind === "har") requireOnline(trace);
    return generated(deps, run, kind, base);
  }
  if (kind === "screenshot") return finalScreenshot(deps, trace, base);
  const stored = await storedArtifact(deps, trace.id, kind);
  if (!stored) throw notFound(`The artifact "${kind}" of this run`);
  requireOnline(trace);
  return linked(signArtifact(deps, base, stored), stored.media_type, stored.size);
}

/** All files of a run that are to be had now, in the order of their kinds. */
export async function runArtifacts(
  deps: Deps,
  run: RunRow,
  base: string,
): Promise<(RunArtifact & { kind: RunArtifactKind })[]> {
  const found: (RunArtifact & { kind: RunArtifactKind })[] = [];
  for (const kind of RUN_ARTIFACT_KINDS) {
    const artifact = await runArtifact(deps, run, kind, base).catch((error: unknown) => {
      const isOutOfReach =
        error instanceof AppError && (error.kind === "not_found" || error.kind === "not_hot");
      if (isOutOfReach) return null;
      throw error;
    });
    if (artifact) found.push({ kind, ...artifact });
  }
  return found;
}

async function storedArtifact(deps: Deps, traceId: string, kind: "video" | "rrweb" | "trace") {
  const { records } = deps.store;
  if (kind !== "trace") return findArtifact(records, traceId, kind);
  return (await findArtifact(records, traceId, "playwright")) ?? findArtifact(records, traceId, "ndjson");
}

async function finalScreenshot(deps: Deps, trace: TraceRow, base: string): Promise<RunArtifact> {
  const hash = trace.final_screenshot;
  const blob = hash === null ? null : await findTraceBlob(deps.store.records, trace.id, hash);
  if (hash === null || !blob) throw notFound('The artifact "screenshot" of this run');
  const url = signBlob(deps, base, { traceId: trace.id, hash });
  return linked(url, blob.mediaType ?? "application/octet-stream", blob.size);
}

async function generated(
  deps: Deps,
  run: RunRow,
  kind: keyof typeof GENERATED,
  base: string,
): Promise<RunArtifact> {
  const { name, type } = GENERATED[kind];
  const url = deps.signedUrls.sign(base, `/run-files/${run.id}/${name}`);
  let size = 0;
  for await (const piece of await contentOf(deps, run, name, base)) size += piece.length;
  return linked(url, type, size);
}

function linked(url: string, contentType: string, size: number): RunArtifact {
  const expires = Number(new URL(url).searchParams.get("expires"));
  return { url, expires_at: toIso(expires * 1000), content_type: contentType, size_bytes: size };
}

/**
 * The generated file that a signed link names: the link is the permission.
 * @throws AppError `signature_invalid`, `not_found`, `not_hot`
 */
export async function serveGenerated(
  deps: Deps,
  request: Request,
  named: { id: string; name: GeneratedName },
): Promise<Response> {
  deps.signedUrls.verify(new URL(request.url));
  const found = await findRun(deps.store.records, named.id);
  const run = found && (await isOrgThere(deps.store.records, found.org_id)) ? found : null;
  if (!run) throw notFound("This file");
  const { name, type } = Object.values(GENERATED).find((one) => one.name === named.name)!;
  return new Response(await contentOf(deps, run, name, originOf(request, deps.config)), {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "private, no-store",
    },
  });
}

async function contentOf(
  deps: Deps,
  run: RunRow,
  name: GeneratedName,
  base: string,
): Promise<ReadableStream<Uint8Array>> {
  if (name === "run.log") return streamOf(logLines(deps, run.id));
  const trace = run.trace_id === null ? null : await findTrace(deps.store.records, run.trace_id);
  if (!trace) throw notFound("The trace of this run");
  if (name === "run.har") return harStream(deps, trace);
  const report = new TextEncoder().encode(
    await traceReport(deps, trace, deps.config.publicUrl ?? base, "member"),
  );
  return new Response(report).body!;
}

async function* logLines(deps: Deps, runId: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (let after = -1; ; ) {
    const lines = await readRunLogs(deps.store.records, runId, { after, limit: BATCH });
    for (const { seq, ts, level, step_id, message } of lines) {
      const step = step_id === null ? "" : ` ${step_id}`;
      yield encoder.encode(`${toIso(ts)} ${level}${step} ${message.replaceAll("\n", "\n    ")}\n`);
      after = seq;
    }
    if (lines.length < BATCH) return;
  }
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void pieces.return(undefined),
  });
}
