import { fromIso, toIso } from "../../platform/clock.ts";
import { NO_CAUSE } from "./cause/find-cause.ts";
import type { Cause } from "./cause/types.ts";
import { causeSection } from "./cause-section.ts";
import { cut, headline, plainText } from "./error-text.ts";
import { isErrorEvent, type TraceEvent } from "./event.ts";
import { codeBlock, codeSpan, text } from "./markdown.ts";
import { storyOf } from "./story.ts";
import type { Failure, StepSummary, Summary } from "./summary.ts";
import { messageOf, titleOf } from "./summary-steps.ts";
import { counted, span } from "./words.ts";

/** Rows of the table of what happened around the failure. */
export const REPORT_EVENTS = 60;
const MAX_ROWS = 25;
const MAX_FRAMES = 12;

/** What the report says besides the summary. */
export interface ReportContext {
  shortId: string;
  traceId: string;
  scenarioSlug: string;
  source: string | null;
  codeSha: string | null;
  prNumber: number | null;
  runId: string | null;
  region: string | null;
  statusReason: string | null;
  /** Label and absolute URL, in the order they are shown. */
  links: { label: string; url: string }[];
}

/** The events the report shows, each list in order. */
export interface ReportEvents {
  /** Around the failure; without one, the end of the trace. */
  around: TraceEvent[];
  badRequests: TraceEvent[];
  consoleErrors: TraceEvent[];
}

/**
 * The forensic report of a trace as CommonMark 0.31 without raw HTML: whatever was recorded comes out as text, and the
 * title is the only first-level heading.
 */
export function renderReport(
  summary: Summary,
  events: ReportEvents,
  context: ReportContext,
  { cause, isAlone }: { cause: Cause; isAlone: boolean } = { cause: NO_CAUSE, isAlone: false },
): string {
  const start = startOf(summary);
  const parts = [
    `# ${text(summary.title || context.scenarioSlug)}`,
    overview(summary, context),
    causeSection(cause, { isAlone }),
    failureSection({ ...summary, narrative: storyOf(summary.narrative, cause) }, context, start),
    timeline(summary, events.around, start),
    requests(summary, events.badRequests, start),
    consoleErrors(events.consoleErrors, start),
    environment(summary),
    warnings(summary),
    links(context),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** When the trace began, epoch ms: what is said to be its start, or its first event where that came before. */
function startOf({ started_at, first_ts }: Summary): number | null {
  const told = started_at === null ? null : fromIso(started_at);
  if (told === null || first_ts === null) return told ?? first_ts;
  return Math.min(told, first_ts);
}

function overview(summary: Summary, context: ReportContext): string {
  const facts: [string, string | null][] = [
    ["Status", `**${summary.status}**${context.statusReason ? ` (${text(context.statusReason)})` : ""}`],
    ["Scenario", codeSpan(context.scenarioSlug)],
    ["Trace", `${codeSpan(context.shortId)} (${codeSpan(context.traceId)})`],
    ["Started", summary.started_at],
    ["Duration", duration(summary.duration_ms)],
    [
      "Events",
      `${counted(summary.event_count, "event")}, ${counted(summary.error_count, "error")}, ${counted(summary.step_count, "step")}`,
    ],
    ["Commit", context.codeSha && codeSpan(context.codeSha)],
    ["Pull request", context.prNumber === null ? null : `number ${context.prNumber}`],
    ["Source", context.source && text(context.source)],
    ["Region", context.region && text(context.region)],
    ["Run", context.runId && codeSpan(context.runId)],
    ["Failure signature", summary.failure_signature && codeSpan(summary.failure_signature)],
  ];
  return facts
    .flatMap(([name, value]) => (value === null || value === "" ? [] : [`- ${name}: ${value}`]))
    .join("\n");
}

function failureSection(summary: Summary, context: ReportContext, start: number | null): string {
  const { failure } = summary;
  if (!failure) {
    const said = summary.status === "passed" ? "Nothing failed." : "No recorded event failed.";
    return `## What failed\n\n${said}`;
  }
  const path = ancestors(summary.steps, failure.step_id);
  const lines = ["## What failed", `**${text(failure.title)}**`];
  if (summary.narrative) lines.push(text(summary.narrative));
  const where = [
    path.length > 0 &&
      `Step: ${path.map((step) => text(step.title)).join(" › ")} (${codeSpan(path.at(-1)!.step_id)})`,
    failure.ts !== null && `At: ${offset(failure.ts, start)}, ${isoOf(failure.ts)}`,
    failure.seq !== null && `Event: number ${failure.seq}, ${codeSpan(failure.kind)}`,
    failure.screenshot &&
      `Screenshot: ${codeSpan(failure.screenshot.blob)}, ${offset(failure.screenshot.ts, start)}`,
  ].filter((line) => typeof line === "string");
  if (where.length > 0) lines.push(where.map((line) => `- ${line}`).join("\n"));
  lines.push(codeBlock(failure.message || "(no message)"));
  if (failure.expected !== undefined) lines.push("Expected:", codeBlock(failure.expected));
  if (failure.received !== undefined) lines.push("Received:", codeBlock(failure.received));
  if (failure.stack) lines.push("### Where in the code", frames(failure.stack));
  const shown = context.links.find(({ label }) => label === "Failed step");
  if (shown) lines.push(`Open it: <${shown.url}>`);
  return lines.join("\n\n");
}

function frames(stack: NonNullable<Failure["stack"]>): string {
  return stack
    .slice(0, MAX_FRAMES)
    .map(({ file, line, column, function: name }) => {
      const place = codeSpan(`${file}:${line}:${column}`);
      return `1. ${place}${name ? ` in ${codeSpan(name)}` : ""}`;
    })
    .join("\n");
}

function timeline(summary: Summary, around: TraceEvent[], start: number | null): string {
  if (around.length === 0) return "";
  const failing = summary.failure?.seq ?? null;
  const rows = around.slice(0, REPORT_EVENTS).map((event) => {
    const mark = event.seq === failing ? "**failed here** " : isErrorEvent(event) ? "error: " : "";
    return `- ${offset(event.ts, start)} ${codeSpan(event.kind)} ${mark}${describe(event)}`;
  });
  const title = failing === null ? "## The end of the run" : "## The timeline around it";
  return `${title}\n\n${rows.join("\n")}`;
}

/** One line of markdown that says what an event was. */
function describe(event: TraceEvent): string {
  const { kind } = event;
  if (kind === "network.request" || kind === "network.response") {
    const status = kind === "network.response" ? ` → ${text(word(event.error) || word(event.status))}` : "";
    return `${text(word(event.method))} ${codeSpan(cut(word(event.url), 300))}${status}`.trim();
  }
  if (kind === "agent.action" || kind === "assertion") {
    const said = isErrorEvent(event) ? headline(messageOf(event)) : "";
    const title = titleOf(event);
    return text(said && said !== title ? `${title}: ${said}` : title);
  }
  for (const value of [event.text, event.message, event.url, event.blob, event.key, event.name])
    if (typeof value === "string" && value !== "") return codeSpan(headline(plainText(value, 1_000)));
  const { seq: _seq, ts: _ts, kind: _kind, step_id: _step, ...rest } = event;
  const json = JSON.stringify(rest);
  return json === "{}" ? "" : codeSpan(cut(plainText(json, 1_000), 200));
}

function requests(summary: Summary, list: TraceEvent[], start: number | null): string {
  if (list.length === 0) return "";
  const nearest = summary.first_bad_request?.seq;
  const rows = list.slice(0, MAX_ROWS).map((event) => {
    const outcome = event.error === undefined ? word(event.status) : headline(word(event.error));
    const mark = event.seq === nearest && summary.failure ? " — nearest before the failure" : "";
    const method = word(event.method) || (event.seq === nearest ? summary.first_bad_request!.method : "");
    return `- ${offset(event.ts, start)} **${text(outcome)}** ${text(method)} ${codeSpan(cut(word(event.url), 500))}${mark}`;
  });
  return `## Failing requests\n\n${rows.join("\n")}${more(list.length)}`;
}

function consoleErrors(list: TraceEvent[], start: number | null): string {
  if (list.length === 0) return "";
  const rows = list
    .slice(0, MAX_ROWS)
    .map(
      (event) =>
        `- ${offset(event.ts, start)} ${codeSpan(headline(plainText(word(event.text), 2_000), 500))}`,
    );
  return `## Console errors\n\n${rows.join("\n")}${more(list.length)}`;
}

function environment(summary: Summary): string {
  const rows = Object.entries(summary.environment).map(([name, value]) => `- ${text(name)}: ${text(value)}`);
  return rows.length === 0 ? "" : `## Environment\n\n${rows.join("\n")}`;
}

function warnings(summary: Summary): string {
  const rows = summary.warnings.map((warning) => `- ${text(warning)}`);
  return rows.length === 0 ? "" : `## Warnings\n\n${rows.join("\n")}`;
}

function links({ links: list }: ReportContext): string {
  return list.length === 0
    ? ""
    : `## Links\n\n${list.map(({ label, url }) => `- ${text(label)}: <${url}>`).join("\n")}`;
}

function ancestors(steps: StepSummary[], id: string | null): StepSummary[] {
  const byId = new Map(steps.map((step) => [step.step_id, step]));
  const path: StepSummary[] = [];
  for (
    let step = byId.get(id ?? "");
    step && !path.includes(step);
    step = byId.get(step.parent_step_id ?? "")
  )
    path.unshift(step);
  return path;
}

function more(count: number): string {
  return count > MAX_ROWS ? `\n\nAnd ${count - MAX_ROWS} more.` : "";
}

function offset(ts: number, start: number | null): string {
  return start === null ? isoOf(ts) : `${ts < start ? "−" : "+"}${duration(Math.abs(ts - start))}`;
}

function duration(ms: number): string {
  return span(ms, (short) =>
    short < 60_000
      ? `${(short / 1_000).toFixed(3)} s`
      : `${Math.floor(short / 60_000)} min ${((short % 60_000) / 1_000).toFixed(1)} s`,
  );
}

function isoOf(ms: number): string {
  return Math.abs(ms) > 8.64e15 ? String(ms) : toIso(ms);
}

function word(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
