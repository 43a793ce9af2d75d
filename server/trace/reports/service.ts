import { createPageLines } from "../../../store/events/page.ts";
import type { EventFile } from "../../../store/events/types.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { TraceAccess } from "../access.ts";
import { causeFor } from "../causes/service.ts";
import { openEvents, orDamaged } from "../events/source.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { asRecorded, type Clean } from "../fit.ts";
import { isErrorEvent, readEvent, type TraceEvent } from "../format/event.ts";
import { REPORT_EVENTS, type ReportContext, type ReportEvents, renderReport } from "../format/report.ts";
import type { Summary } from "../format/summary.ts";
import { createSummaryBuilder } from "../format/summary-builder.ts";
import { isShared } from "../model.ts";

type Reader = TraceAccess["kind"];

/** What is left out of the timeline: pictures of the page, and requests whose answer is there. */
const TOLD = [
  "agent.*",
  "assertion",
  "console.*",
  "network.response",
  "clone.state",
  "clock.advance",
  "error_injection",
  "latency_injection",
];
const AFTER_FAILURE = 15;
/** Responses looked through for bad ones, nearest to the failure first, and pages of them. */
const RESPONSES_READ = 5_000;
const RESPONSE_PAGES = 4;
const KEPT = 200;
/** Longer step ids make no address; the page opens at the failure by itself. */
const LONGEST_LINKED_STEP = 500;

/**
 * The report as a markdown file to download (RFC 7763), made anew at each request from what is stored.
 * @param base the origin that the client uses, for links
 */
export async function reportResponse(
  deps: Deps,
  trace: TraceRow,
  base: string,
  reader: Reader,
): Promise<Response> {
  return new Response(await traceReport(deps, trace, base, reader), {
    headers: {
      "content-type": "text/markdown; charset=utf-8; variant=CommonMark",
      "content-disposition": `attachment; filename="trace-${trace.short_id}.md"`,
      "cache-control": "private, no-cache",
    },
  });
}

/** The report in place of a shared trace's page, for readers that have no browser. */
export async function markdownPage(deps: Deps, trace: TraceRow, base: string): Promise<Response> {
  return new Response(await traceReport(deps, trace, base, "share"), {
    headers: {
      "content-type": "text/markdown; charset=utf-8; variant=CommonMark",
      "cache-control": "no-store",
      vary: "accept",
    },
  });
}

/**
 * The report as CommonMark. A trace that has not ended yet, or lies in cold storage, is told as far as it is known.
 * @param reader who is handed this trace alone reads nothing of the passes that it was compared with
 * @param clean gets what was recorded whole, before anything is cut
 */
export async function traceReport(
  deps: Deps,
  trace: TraceRow,
  base: string,
  reader: Reader,
  clean: Clean = asRecorded,
): Promise<string> {
  const { summary, events } = await whereItLies(deps, trace, (now) => reportMaterial(deps, now));
  const { cause, isAlone } = await causeFor(deps, trace, reader);
  const context = contextOf(deps, trace, summary, base);
  return renderReport(clean(summary), clean(events), context, { cause: clean(cause), isAlone });
}

/** The summary of a trace and the events that tell of its failure, as far as they are known and within reach. */
export async function reportMaterial(
  deps: Deps,
  trace: TraceRow,
): Promise<{ summary: Summary; events: ReportEvents; file: EventFile | null }> {
  const summary = (await storedSummary(deps, trace)) ?? preliminary(trace);
  const file = trace.tier === "cold" ? null : await openEvents(deps, trace);
  const events = file ? await orDamaged(deps, collect(file, summary)) : NONE;
  return { summary, events, file };
}

/** The address of a trace's page, at its failed step where one is known. */
export function deepLink(base: string, trace: TraceRow, summary: Summary): string {
  const step = summary.failure?.step_id;
  const hasStep = step && step.length <= LONGEST_LINKED_STEP;
  return `${base}/traces/${trace.id}${hasStep ? `?step=${encodeURIComponent(step)}` : ""}`;
}

const NONE: ReportEvents = { around: [], badRequests: [], consoleErrors: [] };

function preliminary(trace: TraceRow): Summary {
  const summary = createSummaryBuilder({
    title: trace.scenario_title,
    scenarioSlug: trace.scenario_slug,
    claimedStatus: null,
    startedAt: trace.started_at,
    endedAt: trace.ended_at,
    environment: JSON.parse(trace.env) as Record<string, unknown>,
    warnings: JSON.parse(trace.warnings) as string[],
    redactionCount: 0,
    finalScreenshot: trace.final_screenshot,
  }).finish();
  const { status, event_count, error_count } = trace;
  return { ...summary, status, event_count, error_count };
}

async function collect(file: EventFile, summary: Summary): Promise<ReportEvents> {
  const failedAt = summary.failure?.seq ?? null;
  const told = await ordinalAfter(file, TOLD, failedAt);
  const end = failedAt === null ? told : told + AFTER_FAILURE;
  const around = await page(file, TOLD, Math.max(0, end - REPORT_EVENTS), end);

  const responses = await ordinalAfter(file, ["network.response"], failedAt);
  const consoles = await ordinalAfter(file, ["console.error"], failedAt);
  return {
    around,
    badRequests: await badResponses(file, responses),
    consoleErrors: await page(file, ["console.error"], Math.max(0, consoles - KEPT), consoles),
  };
}

/** The last of the first `end` responses that went wrong, as many as a page holds. */
async function badResponses(file: EventFile, end: number): Promise<TraceEvent[]> {
  const bad = createPageLines(true);
  const least = Math.max(0, end - RESPONSES_READ);
  let left = end;
  for (let pages = 0; pages < RESPONSE_PAGES && left > least; pages++) {
    const lines = await linesBetween(file, ["network.response"], least, left);
    if (lines.length === 0) break;
    left -= lines.length;
    const found = lines.filter((line) => isErrorEvent(readEvent(line)));
    bad.add(
      found,
      found.reduce((sum, line) => sum + Buffer.byteLength(line), 0),
    );
    if (bad.isFull || bad.lines.length >= KEPT) break;
  }
  return bad.lines.slice(-KEPT).map(readEvent);
}

/** How many events of these kinds there are up to the failing one (included), or in all. */
async function ordinalAfter(file: EventFile, kinds: string[], failedAt: number | null): Promise<number> {
  const { total } = await file.query({ kinds, offset: 0, limit: 1 });
  if (failedAt === null) return total;
  const after = await file.query({ kinds, fromSeq: failedAt + 1, offset: 0, limit: 1 });
  return total - after.total;
}

/** The events of some kinds from one place to another; of too many bytes, the last of them. */
async function page(file: EventFile, kinds: string[], from: number, to: number): Promise<TraceEvent[]> {
  return (await linesBetween(file, kinds, from, to)).map(readEvent);
}

async function linesBetween(file: EventFile, kinds: string[], from: number, to: number): Promise<string[]> {
  if (to <= from) return [];
  const { lines } = await file.query({ kinds, offset: from, limit: to - from, isFromEnd: true });
  return lines;
}

function contextOf(deps: Deps, trace: TraceRow, summary: Summary, base: string): ReportContext {
  const address = `${base}/traces/${trace.id}`;
  const links = [{ label: "Trace", url: address }];
  if (summary.failure?.step_id) links.push({ label: "Failed step", url: deepLink(base, trace, summary) });
  if (isShared(trace, deps.clock.now()))
    links.push({ label: "Shared page", url: `${base}/r/${trace.short_id}` });
  return {
    shortId: trace.short_id,
    traceId: trace.id,
    scenarioSlug: trace.scenario_slug,
    source: trace.source,
    codeSha: trace.code_sha,
    prNumber: trace.pr_number,
    runId: trace.run_id,
    region: trace.region,
    statusReason: trace.status_reason,
    links,
  };
}
