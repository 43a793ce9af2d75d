/** One line of the event stream (specification, section 2.3). Fields beyond these four belong to the kind. */
export interface TraceEvent {
  /** Orders the events of a trace; strictly rising, gaps allowed. */
  seq: number;
  /** Epoch milliseconds, as sent. May fall while `seq` rises. */
  ts: number;
  kind: string;
  step_id?: string;
  [field: string]: unknown;
}

export interface Header {
  name: string;
  value: string;
}

/** The kinds the specification and its decisions name. Unknown kinds are kept as they are. */
export const KNOWN_KINDS = [
  "agent.action",
  "agent.thought",
  "assertion",
  "clock.advance",
  "clone.state",
  "console.debug",
  "console.error",
  "console.info",
  "console.log",
  "console.warning",
  "dom.mutation",
  "dom.snapshot",
  "error_injection",
  "latency_injection",
  "network.request",
  "network.response",
  "network.websocket_frame",
  "screenshot",
  "script.coverage",
  "storage.state",
] as const;

export type Body = string;

/** A place in a program. Lines and columns count from 1; 0 is unknown. */
export interface StackFrame {
  file: string;
  line: number;
  column: number;
  function?: string;
  /** The text of the file as it was, where it was recorded: `sha256:<hex>`. */
  source?: string;
}

/** What a step was given to keep: `blob` is a reference, `path` a file that was not recorded. */
export interface Attachment {
  name: string;
  media_type?: string;
  blob?: string;
  path?: string;
}

export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** Epoch seconds; absent for a cookie of the session. */
  expires?: number;
  http_only?: boolean;
  secure?: boolean;
  same_site?: string;
}

/** A script or style sheet that a page was served. Of style sheets only that they were applied is known. */
export interface CoverageEntry {
  url: string;
  type: "script" | "stylesheet";
  /** UTF-16 units, as are the ranges: the functions that ran, from and to, joined where they touch. */
  total?: number;
  used?: number;
  ranges?: [from: number, to: number][];
}

/** Fields by kind, as this program writes them (decisions, section 8). A `Body` is text or a `sha256:<hex>` reference. */
export interface EventFields {
  "agent.action": {
    name: string;
    title?: string;
    params: Record<string, unknown>;
    duration_ms: number;
    error?: { message: string; name?: string; stack?: string };
    log?: string[];
    stack?: StackFrame[];
    parent_step_id?: string;
    page?: string;
    attachments?: Attachment[];
    /** What a reading call gave the test: a text, a count, whether it is so. */
    returned?: string | number | boolean;
    /** The values of the options that a call picked in a list, whatever it picked them by. */
    picked?: string[];
    /** Where the pointer acted, in CSS pixels of the viewport. */
    point?: { x: number; y: number };
  };
  "agent.thought": { text: string };
  assertion: {
    ok: boolean;
    message: string;
    name?: string;
    expected?: string;
    received?: string;
    /** The attribute by which its locator looks for test ids, where that is not Playwright's own. */
    test_id_attribute?: string;
    duration_ms?: number;
    error?: { message: string; stack?: string };
    log?: string[];
    stack?: StackFrame[];
    parent_step_id?: string;
    page?: string;
    attachments?: Attachment[];
  };
  console: { text: string; location?: { url: string; line: number; column: number }; stack?: string };
  "network.request": {
    request_id: string;
    method: string;
    url: string;
    headers: Header[];
    body?: Body;
    resource_type?: string;
    page?: string;
  };
  "network.response": {
    request_id: string;
    method?: string;
    url: string;
    status: number;
    status_text?: string;
    headers: Header[];
    body?: Body;
    /** Decoded body size in bytes, when known. */
    body_size?: number;
    media_type?: string;
    duration_ms: number;
    timing?: Record<string, number>;
    resource_type?: string;
    error?: string;
    page?: string;
  };
  /** A message over a WebSocket, of the exchange with that id. Binary messages are base64; `size` is in bytes, of the whole. */
  "network.websocket_frame": {
    request_id: string;
    direction: "sent" | "received";
    /** RFC 6455: 1 is text, 2 is binary. */
    opcode: number;
    size: number;
    text?: string;
    base64?: string;
    blob?: Body;
    is_cut?: boolean;
    page?: string;
  };
  /** Cookies and local storage as they were at this moment, as far as the recorder looked. */
  "storage.state": {
    cookies: Cookie[];
    origins: { origin: string; local_storage: { name: string; value: string }[] }[];
  };
  "dom.snapshot": { url: string; html?: Body; snapshot?: string; page?: string; frame?: string };
  screenshot: { blob: string; width: number; height: number; page?: string };
  /** What the pages used of the scripts and style sheets that they were served. */
  "script.coverage": { entries: CoverageEntry[] };
}

/** A blob is named by a JSON text that is nothing but the reference: prose about hashes names none. */
export const BLOB_REFERENCE = /"sha256:([0-9a-f]{64})"/g;

/** Of a string that was too long for its event's line and became a blob, where the event says nothing else. */
export const STRING_TYPE = "text/plain";

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;

/** The media type an event gives for the blobs it names; null when it gives none. */
export function mediaTypeOf(event: { kind?: unknown; media_type?: unknown }): string | null {
  if (event.kind === "dom.snapshot") return "text/html";
  const { media_type: given } = event;
  return typeof given === "string" && MEDIA_TYPE.test(given) ? given.toLowerCase() : null;
}

/**
 * How deep an event may nest: a recorded page of 512 levels, the most that browsers build, takes about two for each in
 * rrweb's form.
 */
export const MAX_EVENT_DEPTH = 2_000;

/** A stored line as an event. What nests too deep to be worked on, in lines from before that was refused, is left out. */
export function readEvent(line: string): TraceEvent {
  const event = JSON.parse(line) as TraceEvent;
  return isTooDeep(line, event) ? (withinDepth(event, MAX_EVENT_DEPTH) as TraceEvent) : event;
}

/** Whether the value of a JSON text nests deeper than `MAX_EVENT_DEPTH`. */
export function isTooDeep(json: string, value: unknown): boolean {
  // Each level takes two characters.
  return json.length > 2 * MAX_EVENT_DEPTH && isDeeper(value, MAX_EVENT_DEPTH);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true;
  return false;
}

function withinDepth(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((inner) => withinDepth(inner, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withinDepth(inner, levels - 1)]),
  );
}

/** Whether an event tells of something that went wrong: what lists count and viewers light up. */
export function isErrorEvent(event: TraceEvent): boolean {
  // A step that tries again until it holds is one step; whether it failed, it says itself.
  if (event.is_try === true) return false;
  if (event.kind === "console.error") return true;
  if (event.kind === "assertion") return event.ok === false;
  if (event.kind === "agent.action") return event.error !== undefined && event.error !== null;
  if (event.kind === "network.response") return numberIn(event.status) >= 400 || event.error !== undefined;
  return false;
}

/**
 * A number that an event gives, also one that it gives as a text; NaN for anything else. JavaScript's own conversions throw on
 * objects that only look like values.
 */
export function numberIn(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
}

/** A text that an event gives, or a number as one; `absent` for anything else. */
export function textIn(value: unknown, absent = ""): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : absent;
}
