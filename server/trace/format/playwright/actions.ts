import { expectedAndReceived, splitCallLog } from "../error-text.ts";
import { counted } from "../words.ts";
import type { Action, ActionError, Context } from "./context.ts";
import { ownTestIdAttribute } from "./locator.ts";
import { list, type Raw, record, text } from "./shape.ts";
import { nameOf, titleOf } from "./title.ts";

/** An action as events name it: with the id its events carry and its place on the wall clock. */
export interface Step {
  id: string;
  parentId: string | null;
  /** Epoch ms, fractions kept for ordering. */
  start: number;
  end: number;
  action: Action;
  /** A try of `toPass` or `expect.poll`: that step alone says whether it failed. */
  isTry?: true;
}

export interface Steps {
  /** By start; a parent before its children. */
  inOrder: Step[];
  /** The step of a call id as a context's own lines use it. */
  find(context: number, callId: string): Step | undefined;
}

/** Epoch ms of a context's monotonic time. */
export function wallTimeOf(context: Context, monotonic: number): number {
  return context.base ? context.base.wall + (monotonic - context.base.monotonic) : monotonic;
}

/**
 * One step per action of Playwright's model: a library call that a runner step made is the same action. The runner
 * knows times, nesting and errors best, the library what was called and its log.
 */
export function mergeActions(contexts: Context[], endOfTrace: number): Steps {
  const byKey = new Map<string, Step>();
  const byLink = new Map<string, Step>();
  const used = new Set<string>();
  const inOrder: Step[] = [];
  const hasRunner = contexts.some(({ isRunner }) => isRunner);
  const sorted = [
    ...contexts.filter(({ isRunner }) => isRunner),
    ...contexts.filter(({ isRunner }) => !isRunner),
  ];

  for (const context of sorted) {
    for (const action of context.actions.values()) {
      const runnerStep = hasRunner && !context.isRunner ? byLink.get(action.linkId) : undefined;
      if (runnerStep) {
        runnerStep.action = joined(runnerStep.action, action);
        byKey.set(`${context.index} ${action.callId}`, runnerStep);
        continue;
      }
      const step: Step = {
        id: unused(action.callId, used),
        parentId: null,
        start: wallTimeOf(context, action.start),
        end: action.end === null ? Number.NaN : wallTimeOf(context, action.end),
        action,
      };
      inOrder.push(step);
      byKey.set(`${context.index} ${action.callId}`, step);
      if (context.isRunner) byLink.set(action.linkId, step);
    }
  }
  const find = (context: number, callId: string) => byKey.get(`${context} ${callId}`);
  inOrder.sort((a, b) => a.start - b.start);
  setParents(inOrder, find);
  setOpenEnds(inOrder, endOfTrace);
  return { inOrder, find };
}

function unused(id: string, used: Set<string>): string {
  let candidate = id;
  for (let n = 2; used.has(candidate); n++) candidate = `${id}#${n}`;
  used.add(candidate);
  return candidate;
}

/** A parent has begun before its children; one that has not would make a ring of them. */
function setParents(inOrder: Step[], find: Steps["find"]): void {
  const begun = new Set<Step>();
  for (const step of inOrder) {
    const { parentId, context } = step.action;
    const parent = parentId ? find(context, parentId) : undefined;
    if (parent && begun.has(parent)) {
      step.parentId = parent.id;
      if (parent.isTry || isRepeated(parent.action)) step.isTry = true;
    }
    begun.add(step);
  }
}

/** An assertion that tries again until it holds: `toPass`, `expect.poll`. */
function isRepeated(action: Action): boolean {
  return isExpect(action) && /\btoPass\b|\bpoll\b/.test(`${action.title ?? ""} ${action.apiName ?? ""}`);
}

/** A step that was never closed lasts as long as its children, or to the end of the trace when it has none. */
function setOpenEnds(steps: Step[], endOfTrace: number): void {
  const latestChild = new Map<string, number>();
  for (const { parentId, end } of steps)
    if (parentId && end > (latestChild.get(parentId) ?? Number.NEGATIVE_INFINITY))
      latestChild.set(parentId, end);
  for (const step of steps) {
    if (!Number.isNaN(step.end)) continue;
    step.end = Math.max(step.start, latestChild.get(step.id) ?? endOfTrace);
  }
}

function joined(runner: Action, library: Action): Action {
  return {
    ...library,
    context: runner.context,
    callId: runner.callId,
    parentId: runner.parentId,
    start: runner.start,
    end: runner.end,
    // "Expect failed" says the library; the runner has the sentence a person reads.
    error: runner.error ?? library.error,
    stack: runner.stack ?? library.stack,
    attachments: runner.attachments ?? library.attachments,
    group: runner.group ?? library.group,
    title: runner.title ?? library.title,
    subtitle: runner.subtitle,
    method: runner.method === "expect" ? "expect" : library.method,
    params: {
      ...library.params,
      ...(runner.params.expected !== undefined && { expected: runner.params.expected }),
    },
    apiName: library.apiName ?? (runner.apiName?.startsWith("expect") ? runner.apiName : undefined),
  };
}

export function isExpect(action: Action): boolean {
  if (action.method === "expect") return true;
  return (
    /^expect(\.|$)/.test(action.apiName ?? "") ||
    (action.className === "Test" && /^expect\b/i.test(action.title ?? ""))
  );
}

/** The step's one event: an `assertion` for an expect, an `agent.action` for everything else. */
export function eventOf(step: Step, ts: number): Raw & { ts: number; kind: string } {
  const { action } = step;
  const title = titleOf(action);
  const failure = action.error && withoutLog(action.error);
  const log = logOf(action, failure?.log ?? []);
  const shared = {
    // From the recorder's own clock: epoch milliseconds have no room for its microseconds.
    duration_ms: round(action.end === null ? step.end - step.start : action.end - action.start),
    log: log.length > 0 ? log : undefined,
    stack: action.stack,
    parent_step_id: step.parentId ?? undefined,
    page: action.page,
    attachments: action.attachments,
    group: action.group,
    is_unfinished: action.end === null ? true : undefined,
    is_try: step.isTry,
  };
  if (isExpect(action)) {
    const { expected, received } = comparison(action, failure?.message ?? "");
    return {
      ts,
      kind: "assertion",
      step_id: step.id,
      ok: failure === undefined,
      message: failure?.message || title,
      name: nameOf(action),
      title,
      expected,
      received,
      test_id_attribute: ownTestIdAttribute(action.params.selector),
      ...shared,
      error: failure && { message: failure.message, stack: failure.stack },
    };
  }
  return {
    ts,
    kind: "agent.action",
    step_id: step.id,
    name: nameOf(action),
    title,
    params: action.params,
    category: action.className === "Test" ? action.method || undefined : undefined,
    ...shared,
    error: failure && { message: failure.message, name: failure.name, stack: failure.stack },
    returned: action.returned,
    picked: action.picked,
    point: action.point,
  };
}

/** Milliseconds with the microseconds that recorders give. */
function round(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}

function withoutLog(error: ActionError): ActionError & { log: string[] } {
  return { ...error, ...splitCallLog(error.message) };
}

function logOf(action: Action, fromError: string[]): string[] {
  if (action.log.length === 0) return fromError.slice(0, 400);
  return action.logDropped > 0
    ? [...action.log, `… and ${counted(action.logDropped, "more line")}`]
    : action.log;
}

/** Expected and received as the failure's message shows them, else as the call was given them. */
function comparison(action: Action, message: string): { expected?: string; received?: string } {
  const shown = expectedAndReceived(message);
  return { expected: shown.expected ?? given(action.params), received: shown.received };
}

function given(params: Record<string, unknown>): string | undefined {
  if (params.expected !== undefined)
    return typeof params.expected === "string" ? params.expected : JSON.stringify(params.expected);
  const texts = list(params.expectedText).map(
    (item) => text(record(item).string) ?? text(record(item).regexSource),
  );
  const known = texts.filter((item) => item !== undefined);
  return known.length > 0 ? known.join(", ") : undefined;
}
