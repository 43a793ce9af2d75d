import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { titleOf } from "../../../server/trace/format/summary-steps.ts";
import { lanesOf } from "../../../server/trace/format/summary-timeline.ts";
import { oneLine, shortUrl } from "../../ui/text.ts";
import type { Hit } from "../model/find.ts";
import { type Excerpt, excerptOf, excerptOfEvent } from "./excerpt.ts";

const GROUPS = [
  { id: "steps", title: "Steps", kinds: ["agent.action"] },
  { id: "assertions", title: "Assertions", kinds: ["assertion"] },
  { id: "thoughts", title: "Thoughts", kinds: ["agent.thought"] },
  { id: "network", title: "Network", kinds: ["network.*"] },
  { id: "console", title: "Console", kinds: ["console.*"] },
  { id: "page", title: "Page events", kinds: ["dom.*"] },
] as const;

export type GroupId = (typeof GROUPS)[number]["id"] | "other" | "pages" | "bodies";

/** A part of the results: what the server is asked for it, as its `kind` parameter. */
export interface Group {
  id: GroupId;
  title: string;
  kinds: string;
}

export interface FoundHit extends Hit {
  group: GroupId;
  kind: string;
  title: Excerpt;
  /** Where the event holds the text, when its title does not. */
  excerpt: Excerpt | null;
  /** Of a recorded page: before, during or after its step. */
  phase?: string | null;
}

const MAX_KINDS = 900;
/** Of the same exchange as its request, but a text of its own. */
const FRAME = "network.websocket_frame";

const isOf = (kind: string, pattern: string): boolean =>
  pattern.endsWith("*") ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;

/** The groups that a trace with these counts of events per kind has anything for. */
export function groupsOf(counts: Record<string, number>): Group[] {
  const kinds = Object.keys(counts).filter((kind) => (counts[kind] ?? 0) > 0);
  const groups: Group[] = GROUPS.filter((group) =>
    kinds.some((kind) => group.kinds.some((pattern) => isOf(kind, pattern))),
  ).map((group) => ({ id: group.id, title: group.title, kinds: group.kinds.join(",") }));
  let rest = "";
  for (const kind of kinds) {
    const isKnown = GROUPS.some((group) => group.kinds.some((pattern) => isOf(kind, pattern)));
    // A comma or a star means something else in the parameter.
    if (isKnown || kind === "" || /[,*]/.test(kind) || rest.length + kind.length > MAX_KINDS) continue;
    rest += rest === "" ? kind : `,${kind}`;
  }
  if (rest !== "") groups.push({ id: "other", title: "Other", kinds: rest });
  return groups;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function titleText(event: TraceEvent, group: GroupId): string {
  if (group === "steps" || group === "assertions") return titleOf(event);
  if (event.kind === FRAME) return text(event.text).slice(0, 2000);
  if (group === "network") {
    const status = typeof event.status === "number" ? `${event.status} ` : "";
    const url = text(event.url);
    return `${status}${text(event.method).slice(0, 16)} ${shortUrl(url).path || url.slice(0, 300)}`.trim();
  }
  if (group === "console" || group === "thoughts") return text(event.text).slice(0, 2000);
  const path = shortUrl(text(event.url)).path;
  return group === "page" && path ? `Page ${path}` : event.kind;
}

/** What an event is called in the list of hits, whatever group it would be in. */
export function titleOfEvent(event: TraceEvent): string {
  const group = GROUPS.find(({ kinds }) => kinds.some((pattern) => isOf(event.kind, pattern)));
  return titleText(event, group?.id ?? "other");
}

/** What the list shows of an event that was found. */
export function toHit(event: TraceEvent, group: GroupId, matcher: RegExp): FoundHit {
  const title = titleText(event, group);
  const inTitle = excerptOf(title, matcher);
  const plain = { field: "", before: oneLine(title, 300) || event.kind, match: "", after: "" };
  return {
    seq: event.seq,
    ts: event.ts,
    lane: lanesOf(event)[0] ?? null,
    stepId: event.step_id ?? null,
    group,
    kind: event.kind,
    title: inTitle ?? plain,
    excerpt: inTitle ? null : excerptOfEvent(event, matcher),
  };
}

/** Events of one key are one hit: a request and its response, a step's start and end. */
export function keyOf(event: TraceEvent, group: GroupId): string {
  if (group === "network" && event.kind !== FRAME && text(event.request_id)) return text(event.request_id);
  if (group === "steps" && event.step_id) return event.step_id;
  return String(event.seq);
}
