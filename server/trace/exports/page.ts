import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { conflict } from "../../http/errors.ts";
import { escapeHtml } from "../../http/pages.ts";
import type { StandaloneViewer } from "../../http/standalone-viewer.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import { requireOnline, requireTrace } from "../access.ts";
import { showSharedCause } from "../causes/service.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import type { PageMeta } from "../format/page-data.ts";
import { isFinal, toTraceItem } from "../model.ts";
import { deepLink, reportMaterial } from "../reports/service.ts";
import { fillPage } from "./page-fill.ts";
import { createPartFile, type PartFile } from "./page-parts.ts";

export interface ExportedPage {
  fileName: string;
  size: number;
  meta: PageMeta;
  body: ReadableStream<Uint8Array>;
}

/** What the numbers of what was left out may grow by, once they are known. */
const SLACK = 300;

/**
 * A finished trace as one HTML file that needs nothing else: the viewer with the events, pictures, bodies, recorded
 * pages, DOM recording and video inside. What is too much is left out, the largest first, and never what belongs to the failure. The page is put
 * together in a file, so that memory stays flat and a fault is told before the first byte leaves.
 * @param options `base`: the origin that the client uses; `maxBytes`: of the whole page. Without it that is 50 MB, which
 * only events and what belongs to the failure may exceed
 * @throws AppError `not_found`, `wrong_org`, `not_hot`, `unavailable`; `conflict` for a trace that has not ended;
 * `invalid_request` when what cannot be left out is more than `maxBytes`
 */
export async function exportPage(
  deps: Deps,
  actor: Actor,
  id: string,
  options: { base: string; maxBytes: number | undefined },
): Promise<ExportedPage> {
  const trace = await requireTrace(deps, actor, id);
  if (!isFinal(trace.status))
    throw conflict("This trace has not ended yet: it can be exported once its status is final.");
  return whereItLies(deps, trace, (now, isAgain) => makePage(deps, now, { ...options, isAgain }));
}

async function makePage(
  deps: Deps,
  trace: TraceRow,
  options: { base: string; maxBytes: number | undefined; isAgain: boolean },
): Promise<ExportedPage> {
  requireOnline(trace);
  const viewer = await deps.standaloneViewer();
  const { summary, file } = await reportMaterial(deps, trace);
  const meta: PageMeta = {
    version: 1,
    exported_at: toIso(deps.clock.now()),
    url: deepLink(options.base, trace, summary),
    detail: detailOf(trace, deps.clock.now()),
    summary,
    cause: await showSharedCause(deps, trace),
    left_out: { count: 0, bytes: 0 },
    are_pages_left_out: false,
    has_pages: false,
    recording: null,
    video: null,
  };
  const middle = Buffer.from(`<script>${viewer.script}</script>\n`);
  const end = Buffer.from('<script type="text/plain" id="td-end"></script>\n</body>\n</html>\n');
  const parts = await createPartFile(deps.store.work.path(`page-${deps.ids.uuid()}`));
  try {
    const fixed = beginning(trace, viewer, meta).length + middle.length + end.length + SLACK;
    const first = await fillPage(deps, trace, {
      parts,
      meta,
      file,
      fixed,
      player: viewer.player,
      ...options,
    });
    const before = beginning(trace, viewer, meta);
    return {
      fileName: `trace-${trace.short_id}.html`,
      size: before.length + middle.length + parts.size + end.length,
      meta,
      body: streamOf(parts, [
        before,
        { start: 0, end: first },
        middle,
        { start: first, end: parts.size },
        end,
      ]),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Ready bytes and ranges of the part file one after the other. The file is let go in the end, whatever the end is. */
function streamOf(
  parts: PartFile,
  pieces: (Uint8Array | { start: number; end: number })[],
): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = left.shift();
        if (!piece) {
          await parts.close();
          return controller.close();
        }
        if (piece instanceof Uint8Array) return controller.enqueue(piece);
        if (piece.start === piece.end) return this.pull!(controller);
        try {
          const bytes = await parts.read(piece.start, piece.end);
          left.unshift({ start: piece.start + bytes.length, end: piece.end });
          controller.enqueue(bytes);
        } catch (error) {
          await parts.close();
          throw error;
        }
      },
      cancel: () => parts.close(),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Nothing but this one script runs, and the player where there is a recording to play; nothing is loaded. Recorded pages
 * inherit it, beside their sandbox.
 */
const policy = ({ scriptHash, playerHash }: StandaloneViewer, { recording }: PageMeta) =>
  [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'${recording?.is_in ? ` 'sha256-${playerHash}'` : ""}`,
    "style-src 'unsafe-inline' data:",
    "img-src data: blob:",
    "font-src data:",
    "media-src data: blob:",
    "connect-src blob:",
    "frame-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

function beginning(trace: TraceRow, viewer: StandaloneViewer, meta: PageMeta): Buffer {
  const title = trace.scenario_title || trace.scenario_slug;
  return Buffer.from(`<!doctype html>
<html lang="en" data-address="fragment">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(viewer, meta)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} · Tracedeck</title>
<style>${viewer.style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page shows a recorded browser run with a script of its own. Allow scripts to see it.</noscript>
<script type="text/plain" id="td-meta" data-method="0">${Buffer.from(JSON.stringify(meta)).toString("base64")}</script>
`);
}

/** What the page tells of the trace: nothing of the org, and nothing that is another way in. */
function detailOf(trace: TraceRow, now: number): PageMeta["detail"] {
  const item = toTraceItem(trace, now);
  return {
    short_id: item.short_id,
    scenario_title: item.scenario_title,
    scenario_slug: item.scenario_slug,
    status: item.status,
    tier: "hot",
    duration_ms: item.duration_ms,
    code_sha: item.code_sha,
    failure_signature: item.failure_signature,
    failure_message: item.failure_message,
    failed_step_id: trace.failed_step_id,
    final_screenshot: item.final_screenshot,
    event_count: item.event_count,
    error_count: item.error_count,
    created_at: item.created_at,
    started_at: trace.started_at === null ? null : toIso(trace.started_at),
    ended_at: trace.ended_at === null ? null : toIso(trace.ended_at),
    status_reason: trace.status_reason,
    pr_number: trace.pr_number,
    region: trace.region,
    warnings: JSON.parse(trace.warnings) as string[],
    share_visibility: null,
    share_expires_at: null,
    signed_urls: {},
  };
}
