import { plainText } from "../error-text.ts";
import type { Attachment, StackFrame } from "../event.ts";
import { list, number, plainRecord, type Raw, record, stackFrames, text } from "./shape.ts";

export interface ActionError {
  message: string;
  name?: string;
  stack?: string;
}

/** One call of the library or one step of the runner, put together from its lines. Times are monotonic ms. */
export interface Action {
  context: number;
  callId: string;
  /** Equal for a runner step and the library call it made. */
  linkId: string;
  parentId?: string;
  start: number;
  /** Null while no closing line came. */
  end: number | null;
  className: string;
  method: string;
  apiName?: string;
  title?: string;
  subtitle?: string;
  group?: string;
  page?: string;
  params: Record<string, unknown>;
  log: string[];
  /** Log lines that were too many to keep. */
  logDropped: number;
  error?: ActionError;
  /** What a reading call gave the test: a text, a count, whether it is so. */
  returned?: string | number | boolean;
  /** The values of the options that a call picked in a list. */
  picked?: string[];
  stack?: StackFrame[];
  point?: { x: number; y: number };
  attachments?: Attachment[];
}

/** What one trace file of the archive says about itself, and its actions. */
export interface Context {
  index: number;
  /** Of the trace file, without its ending. */
  prefix: string;
  version: number;
  isRunner: boolean;
  browserName?: string;
  channel?: string;
  platform?: string;
  sdkLanguage?: string;
  playwrightVersion?: string;
  title?: string;
  baseURL?: string;
  viewport?: { width: number; height: number };
  deviceScaleFactor?: number;
  timezone?: string;
  locale?: string;
  wallTime: number | null;
  /** Monotonic ms at which the recording began; null where its first line does not say. */
  began: number | null;
  /** A moment on both clocks; null until one is known. */
  base: { wall: number; monotonic: number } | null;
  actions: Map<string, Action>;
  /** Errors the runner recorded for the test itself. */
  errors: { message: string; time: number; stack?: StackFrame[] }[];
  /** Latest monotonic time seen. */
  latest: number;
}

export function newContext(index: number, prefix: string): Context {
  return {
    index,
    prefix,
    version: 0,
    isRunner: false,
    wallTime: null,
    began: null,
    base: null,
    actions: new Map(),
    errors: [],
    latest: Number.NEGATIVE_INFINITY,
  };
}

/** Takes over what the first line of a trace file says. */
export function applyOptions(context: Context, event: Raw): void {
  const options = record(event.options);
  context.isRunner = event.origin === "testRunner";
  context.browserName = text(event.browserName, 100);
  context.channel = text(event.channel, 100);
  context.platform = text(event.platform, 100);
  context.sdkLanguage = text(event.sdkLanguage ?? options.sdkLanguage, 100);
  context.playwrightVersion = text(event.playwrightVersion, 100);
  context.title = text(event.title, 1000);
  context.baseURL = text(options.baseURL, 4096);
  context.timezone = text(options.timezoneId, 100);
  context.locale = text(options.locale, 100);
  const { width, height } = record(options.viewport);
  if (number(width) && number(height)) context.viewport = { width: number(width)!, height: number(height)! };
  context.deviceScaleFactor = number(options.deviceScaleFactor);
  context.wallTime = epoch(event.wallTime);
  context.began = number(event.monotonicTime) ?? null;
  if (context.wallTime !== null && context.began !== null)
    context.base = { wall: context.wallTime, monotonic: context.began };
}

/** Ties the context's clock to the wall clock by the first line that has both times, when its options did not. */
export function tieClocks(context: Context, wallTime: unknown, monotonic: unknown): void {
  if (context.base) return;
  const wall = typeof wallTime === "string" ? Date.parse(wallTime) : epoch(wallTime);
  const time = number(monotonic);
  if (wall !== null && Number.isFinite(wall) && time !== undefined) context.base = { wall, monotonic: time };
}

const LATEST_EPOCH = 8_640_000_000_000_000;

function epoch(value: unknown): number | null {
  const time = number(value);
  return time !== undefined && time > 0 && time < LATEST_EPOCH ? time : null;
}

/** Any of the shapes an error was recorded in; undefined when there is none. */
export function errorOf(value: unknown): ActionError | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (typeof value === "string") return { message: cleanMessage(value) };
  const outer = record(value);
  const error = typeof outer.message === "string" ? outer : record(outer.error ?? outer.value);
  const message = text(error.message) ?? text(outer.value);
  const stack = text(error.stack, 16_384);
  const name = text(error.name, 200);
  return {
    message: cleanMessage(message ?? stack?.split("\n")[0] ?? "Error"),
    ...(name && name !== "Error" && { name }),
    ...(stack && { stack: framesOnly(plainText(stack)) }),
  };
}

/** A stack repeats its message, which may be long; what is no stack by V8's layout stays whole. */
function framesOnly(stack: string): string {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.length > 0 ? frames.join("\n") : stack;
}

/** Without terminal colours and the leading "Error: " that the runner prefixes. */
export function cleanMessage(message: string): string {
  return plainText(message).replace(/^Error: /, "");
}

export function newAction(
  context: Context,
  callId: string,
  event: Raw,
  resource: (name: string) => string | null,
): Action {
  const action: Action = {
    context: context.index,
    callId,
    linkId: text(event.linkId, 500) ?? callId,
    start: number(event.startTime) ?? Math.max(context.latest, context.base?.monotonic ?? 0),
    end: null,
    className: text(event.class, 200) ?? "",
    method: text(event.method, 200) ?? "",
    params: plainRecord(event.params),
    log: [],
    logDropped: 0,
  };
  action.parentId = text(event.parentId, 500);
  action.apiName = text(event.apiName, 500);
  action.title = text(event.title, 2000);
  action.subtitle = text(event.subtitle, 2000);
  action.group = text(event.group, 100);
  action.page = text(event.pageId, 200);
  action.stack = stackFrames(event.stack);
  if (event.type === "action") closeAction(action, event, resource);
  return action;
}

/** Takes over a closing line (or the closing half of a whole-action line). */
export function closeAction(action: Action, event: Raw, resource: (name: string) => string | null): void {
  const end = number(event.endTime);
  // A call that was interrupted has 0 here.
  if (end !== undefined && end >= action.start) action.end = end;
  action.error = errorOf(event.error) ?? action.error ?? unmet(action, record(event.result));
  const returned = returnedBy(record(event.result));
  if (returned !== undefined) action.returned = returned;
  const picked = action.method === "selectOption" ? pickedBy(record(event.result)) : [];
  if (picked.length > 0) action.picked = picked;
  setPoint(action, event);
  const attachments = list(event.attachments)
    .slice(0, 200)
    .flatMap((item) => attachment(record(item), resource));
  if (attachments.length > 0) action.attachments = attachments;
}

const LONGEST_RETURNED = 1_000;

/** Handles and what scripts give are no plain values. */
function returnedBy({ value }: Raw): string | number | boolean | undefined {
  if (value === "" || typeof value === "number" || typeof value === "boolean") return value;
  return text(value, LONGEST_RETURNED);
}

const MOST_PICKED = 20;

/** Lists give the values of what was picked, whatever it was picked by. */
const pickedBy = ({ values }: Raw): string[] =>
  list(values)
    .slice(0, MOST_PICKED)
    .flatMap((value) => (value === "" ? "" : (text(value, LONGEST_RETURNED) ?? [])));

/** Until 1.41 an expectation that was not met ended without an error; only its result tells, where no runner does. */
function unmet({ method, params }: Action, { matches }: Raw): ActionError | undefined {
  return method === "expect" && typeof matches === "boolean" && matches === (params.isNot === true)
    ? { message: "Expect failed", name: "Expect" }
    : undefined;
}

export function setPoint(action: Action, event: Raw): void {
  const { x, y } = record(event.point);
  if (number(x) !== undefined && number(y) !== undefined) action.point = { x: number(x)!, y: number(y)! };
}

const MOST_LOG_LINES = 400;

export function addLog(action: Action, message: unknown): void {
  const line = text(message, 4096);
  if (!line) return;
  // The indentation of a log line tells what it belongs to.
  if (action.log.length < MOST_LOG_LINES) action.log.push(/^ */.exec(line)![0] + plainText(line));
  else action.logDropped += 1;
}

function attachment(item: Raw, resource: (name: string) => string | null): Attachment[] {
  const name = text(item.name, 500);
  if (!name) return [];
  const mediaType = text(item.contentType, 200);
  const path = text(item.path, 4096);
  const hash = resource(text(item.file, 1000) ?? "");
  return [
    {
      name,
      ...(mediaType && { media_type: mediaType }),
      ...(hash && { blob: `sha256:${hash}` }),
      ...(path && !hash && { path }),
    },
  ];
}
