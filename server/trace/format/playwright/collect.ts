import { plainText } from "../error-text.ts";
import { textIn } from "../event.ts";
import {
  type Action,
  addLog,
  applyOptions,
  type Context,
  cleanMessage,
  closeAction,
  errorOf,
  newAction,
  setPoint,
  tieClocks,
} from "./context.ts";
import { type Socket, socketOf } from "./frames.ts";
import { type Exchange, exchangeOf } from "./network.ts";
import { list, number, type Raw, record, stackFrames, text } from "./shape.ts";
import type { Spool } from "./spool.ts";
import { storageOf } from "./storage.ts";

/** Where the lines of all trace files of an archive go. */
export interface Collection {
  spool: Spool;
  resource(name: string): string | null;
  /** Number of the next network exchange, over all files. */
  nextRequest: number;
  /** WebSocket connections of the context that is read. */
  sockets: Socket[];
  /** Pictures whose file the archive lacks. */
  missingPictures: number;
  /** Actions of all files. */
  actions: number;
  /** Length of the lines that told of them. */
  actionCharacters: number;
}

export const newCollection = (spool: Spool): Collection => ({
  spool,
  resource: () => null,
  nextRequest: 1,
  sockets: [],
  missingPictures: 0,
  actions: 0,
  actionCharacters: 0,
});

const CONSOLE_KINDS = new Map([
  ["error", "console.error"],
  ["assert", "console.error"],
  ["warning", "console.warning"],
  ["info", "console.info"],
  ["debug", "console.debug"],
]);

type Collector = (event: Raw, context: Context, into: Collection) => void;

const COLLECTORS: Record<string, Collector> = {
  "context-options": (event, context, into) => {
    applyOptions(context, event);
    const storage = storageOf(record(event.options));
    if (storage) into.spool.add(context.index, context.base?.monotonic ?? 0, false, storage);
  },
  before: openAction,
  action: openAction,
  input: (event, context) => withAction(event, context, (action) => setPoint(action, event)),
  log: (event, context) => withAction(event, context, (action) => addLog(action, event.message)),
  after: (event, context, into) => {
    withAction(event, context, (action) => closeAction(action, event, into.resource));
    seen(context, number(event.endTime));
  },
  console: consoleMessage,
  event: happening,
  stdout: output,
  stderr: output,
  error: (event, context) => runnerError(event, context),
  "screencast-frame": picture,
  screenshot: picture,
  "frame-snapshot": (event, context, into) => domSnapshot(record(event.snapshot), context, into),
  "resource-snapshot": (event, context, into) => exchange(record(event.snapshot), context, into),
};

/** Files one line, in the form of the latest version, into the context's actions or the spool. */
export function collect(event: Raw, context: Context, into: Collection): void {
  const type = text(event.type) ?? "";
  if (Object.hasOwn(COLLECTORS, type)) COLLECTORS[type]!(event, context, into);
}

/**
 * Errors of the test that no step ended in (a test that ran out of time, an error between steps) become console
 * errors, so that they stand in the order of events. They say what failed where the trace is read again without its
 * archive, unless the verdict is an error that a step ended in (`is_verdict` false).
 */
export function addErrorsWithoutStep(contexts: Context[], into: Pick<Collection, "spool">): void {
  const told = new Set<string | undefined>();
  for (const { actions } of contexts) for (const { error } of actions.values()) told.add(error?.message);
  const isBeside = contexts.some(({ errors }) => errors.some(({ message }) => told.has(message)));
  for (const { index, errors } of contexts)
    for (const { message, time, stack } of errors) {
      if (told.has(message)) continue;
      const error = { kind: "console.error", text: message, source: "runner", ...(stack && { stack }) };
      into.spool.add(index, time, false, isBeside ? { ...error, is_verdict: false } : error);
    }
}

function withAction(event: Raw, context: Context, change: (action: Action) => void): void {
  const action = context.actions.get(text(event.callId) ?? "");
  if (action) change(action);
}

function seen(context: Context, time: number | undefined): void {
  if (time !== undefined && time > context.latest) context.latest = time;
}

/** Adds an event at a monotonic time; one without a time happens at the latest moment seen. */
function add(context: Context, into: Collection, time: unknown, event: Raw): void {
  const at = number(time);
  seen(context, at);
  into.spool.add(context.index, at ?? latestOf(context), false, event);
}

/**
 * Tests that share a browser context have each the requests of all tests before them, since pages may show what came then. What was
 * over before a test began is no part of it.
 */
const isOfBefore = (end: number | undefined, { began }: Context): boolean =>
  end !== undefined && began !== null && end < began;

function latestOf(context: Context): number {
  return Number.isFinite(context.latest) ? context.latest : (context.base?.monotonic ?? 0);
}

function openAction(event: Raw, context: Context, into: Collection): void {
  const callId = text(event.callId, 500);
  if (!callId) return;
  tieClocks(context, event.wallTime, event.startTime);
  const action = newAction(context, callId, event, into.resource);
  context.actions.set(callId, action);
  into.actions += 1;
  seen(context, action.start);
  seen(context, action.end ?? undefined);
}

function consoleMessage(event: Raw, context: Context, into: Collection): void {
  if (isOfBefore(number(event.time), context)) return;
  add(context, into, event.time, {
    kind: CONSOLE_KINDS.get(text(event.messageType) ?? "") ?? "console.log",
    text: plainText(text(event.text) ?? ""),
    location: locationOf(record(event.location)),
    page: text(event.pageId, 200),
  });
}

/** Lines and columns count from 1 here, from 0 there. */
function locationOf(location: Raw): Raw | undefined {
  const url = text(location.url, 4096);
  if (!url) return undefined;
  const line = number(location.lineNumber) ?? number(location.line) ?? 0;
  const column = number(location.columnNumber) ?? number(location.column) ?? 0;
  return { url, line: line + 1, column: column + 1 };
}

/** Of what happens to pages: errors, dialogs, popups and downloads. The rest shows in actions and requests. */
function happening(event: Raw, context: Context, into: Collection): void {
  if (isOfBefore(number(event.time), context)) return;
  seen(context, number(event.time));
  const params = record(event.params);
  const page = text(params.pageId, 200);
  if (event.method === "dialog")
    add(context, into, event.time, {
      kind: "page.dialog",
      type: text(params.type, 100),
      message: plainText(text(params.message) ?? ""),
      page,
    });
  else if (event.method === "download")
    add(context, into, event.time, {
      kind: "page.download",
      url: text(params.url, 4096),
      name: text(params.suggestedFilename, 1000),
      page,
    });
  else if (event.method === "page" && text(params.openerPageId))
    add(context, into, event.time, { kind: "page.popup", page, opener: text(params.openerPageId, 200) });
  if (event.method !== "pageError") return;
  const error = errorOf(params.error);
  if (!error) return;
  const name = error.name ?? "Error";
  add(context, into, event.time, {
    kind: "console.error",
    text: error.message.startsWith(name) ? error.message : `${name}: ${error.message}`,
    stack: error.stack,
    location: locationOf(record(params.location)),
    source: "page",
    page: text(event.pageId, 200),
  });
}

function output(event: Raw, context: Context, into: Collection): void {
  const source = event.type;
  const bytes = text(event.base64);
  const content = text(event.text) ?? (bytes ? Buffer.from(bytes, "base64").toString("utf8") : undefined);
  if (!content) return;
  add(context, into, event.timestamp, {
    kind: source === "stdout" ? "console.log" : "console.error",
    text: plainText(content),
    source,
  });
}

const MOST_ERRORS = 1000;

function runnerError(event: Raw, context: Context): void {
  const message = text(event.message);
  if (!message || context.errors.length >= MOST_ERRORS) return;
  const stack = stackFrames(event.stack);
  context.errors.push({
    message: cleanMessage(message),
    time: latestOf(context),
    ...(stack && stack.length > 0 && { stack }),
  });
}

function picture(event: Raw, context: Context, into: Collection): void {
  const hash = into.resource(text(event.file, 1000) ?? "");
  if (!hash) {
    into.missingPictures += 1;
    return;
  }
  add(context, into, event.timestamp, {
    kind: "screenshot",
    blob: `sha256:${hash}`,
    width: number(event.width) ?? context.viewport?.width ?? 0,
    height: number(event.height) ?? context.viewport?.height ?? 0,
    page: text(event.pageId, 200),
    callId: text(event.callId, 500),
  });
}

function domSnapshot(snapshot: Raw, context: Context, into: Collection): void {
  const callId = text(snapshot.callId, 500);
  const phase = text(snapshot.phase, 100);
  const name = text(snapshot.snapshotName, 500) ?? (phase && callId ? `${phase}@${callId}` : undefined);
  const page = text(snapshot.pageId, 200);
  tieClocks(context, snapshot.wallTime, snapshot.timestamp);
  // Since version 10 an action's own lines do not tell its page.
  const action = context.actions.get(callId ?? "");
  if (action) action.page ??= page;
  add(context, into, snapshot.timestamp, {
    kind: "dom.snapshot",
    url: text(snapshot.frameUrl) ?? "",
    snapshot: name,
    phase,
    page,
    frame: text(snapshot.frameId, 200),
    is_main_frame: snapshot.isMainFrame === true,
    // Before version 4 the snapshot's name alone tells its call.
    callId: callId ?? name?.split("@").slice(1).join("@"),
  });
}

function exchange(entry: Raw, context: Context, into: Collection): void {
  tieClocks(context, entry.startedDateTime, entry._monotonicTime);
  // Before version 3 nothing else of a recording tells the time of day.
  const dated = list(record(entry.response).headers)
    .map(record)
    .find(({ name }) => textIn(name).toLowerCase() === "date");
  tieClocks(context, dated?.value, entry._monotonicTime);
  const found = exchangeOf(entry, `req_${into.nextRequest}`, into.resource);
  if (!found) return;
  noteClosed(into.sockets, entry, found);
  const isWhole = found.response !== null && !found.isWall && entry._resourceType !== "websocket";
  if (isWhole && isOfBefore(found.time + found.durationMs, context)) return;
  const socket = socketOf(entry, `req_${into.nextRequest}`, found.time);
  if (socket) into.sockets.push(socket);
  into.nextRequest += 1;
  into.spool.add(context.index, found.time, found.isWall, found.request);
  if (found.response)
    into.spool.add(context.index, found.time + found.durationMs, found.isWall, found.response);
  if (!found.isWall) seen(context, found.time);
}

/**
 * Entries are written when they are over; what is still open when the recording stops comes last, in the order of its
 * start. A connection was over, then, when an answer was written after it, or an open request that began before it. Whether an answer
 * was over is known where its body was read: a page need not wait for it.
 */
function noteClosed(sockets: Socket[], entry: Raw, found: Exchange): void {
  if (entry._resourceType === "websocket" || found.isWall) return;
  for (const open of sockets) {
    // Of an answer that broke off is told when it began, and not when it ended.
    if (found.response?.error !== undefined) continue;
    if (found.response && isRead(entry)) open.closedBy ??= found.time + found.durationMs;
    else if (found.time < open.startedAt) open.closedBy ??= open.startedAt;
  }
}

const isRead = ({ response }: Raw): boolean => (number(record(record(response).content).size) ?? -1) >= 0;
