import { cut, expectedAndReceived, headline, plainText, splitCallLog } from "./error-text.ts";
import { numberIn, type TraceEvent } from "./event.ts";
import type { Failure, PageState, Shot, Summary } from "./summary.ts";
import { createNewest, isNearer } from "./summary-newest.ts";
import { messageOf, titleOf } from "./summary-steps.ts";

const FIRST_KEPT = 50;
const LAST_KEPT = 200;
const MAX_FRAMES = 50;
const MAX_DEPTH = 100;
const LONGEST_ID = 1_024;

export type BadRequest = NonNullable<Summary["first_bad_request"]>;
export type ConsoleError = NonNullable<Summary["first_console_error"]>;

/** What the recording did to the page on purpose. */
export interface Interference {
  ts: number;
  kind: string;
  url: string | null;
  /** Status of an error, ms of a delay or of a move of the clock. */
  value: number | null;
}

/** What went wrong around a failure and may be its cause: each the one nearest before it. */
export interface Nearby {
  /** When it had failed, epoch ms; null when no event says. */
  moment: number | null;
  badRequest: BadRequest | null;
  consoleError: ConsoleError | null;
  injection: Interference | null;
  clockMove: Interference | null;
  /** Requests that were waiting for an answer then; null when no request was recorded up to then. */
  pending: { all: number; documents: number } | null;
}

type NewsKind = "badRequest" | "consoleError" | "injection" | "clockMove";

export const NOTHING_NEAR: Nearby = {
  moment: null,
  badRequest: null,
  consoleError: null,
  injection: null,
  clockMove: null,
  pending: null,
};

/** An error the runner itself recorded: its verdict, whatever the single steps say. */
export interface RunnerError {
  message: string;
  stack?: Failure["stack"];
  /** The step it was recorded for. */
  stepId?: string | null;
}

interface Candidate {
  failure: Failure;
  parent: string | null;
  page: string | null;
  /** When it had failed, epoch ms. */
  moment: number;
  near: Nearby;
}

export interface FailureChoice {
  failure: Failure;
  near: Nearby;
}

/**
 * Collects what failed in one pass and bounded memory, each with the screenshot and the bad response nearest before it,
 * and says at the end which of them explains the verdict.
 */
export function createFailures() {
  const first: Candidate[] = [];
  const last: Candidate[] = [];
  let open: Candidate[] = [];
  const shots = createNewest<Shot>();
  const pages = createNewest<PageState>();
  const latest: Nearby = { ...NOTHING_NEAR };
  let ofRunnersEvents: RunnerError | null = null;

  function add(event: TraceEvent) {
    const duration = Number.isFinite(event.duration_ms) ? Math.max(0, Number(event.duration_ms)) : 0;
    const moment = event.ts + duration;
    const page = typeof event.page === "string" ? cut(event.page, 200) : null;
    const message = messageOf(event);
    const values = valuesOf(event, message);
    const candidate: Candidate = {
      failure: {
        step_id: typeof event.step_id === "string" ? event.step_id : null,
        seq: event.seq,
        ts: event.ts,
        kind: event.kind,
        title: titleOf(event),
        message,
        ...values,
        ...stackOf(event.stack),
        screenshot: shots.before(moment, page),
        page: pages.before(moment, page),
      },
      parent: typeof event.parent_step_id === "string" ? cut(event.parent_step_id, LONGEST_ID) : null,
      page,
      moment,
      near: {
        moment,
        badRequest: upTo(moment, latest.badRequest),
        consoleError: upTo(moment, latest.consoleError),
        injection: upTo(moment, latest.injection),
        clockMove: upTo(moment, latest.clockMove),
        pending: latest.pending && { ...latest.pending },
      },
    };
    if (first.length < FIRST_KEPT) first.push(candidate);
    else {
      last.push(candidate);
      if (last.length > LAST_KEPT) last.shift();
    }
    open = [...open.slice(-LAST_KEPT), candidate];
  }

  /** What the runner recorded that no step ended in: the first says what failed, others came after it. */
  function addRunnerError(event: TraceEvent) {
    if (ofRunnersEvents || event.is_verdict === false || typeof event.text !== "string") return;
    const { message } = splitCallLog(plainText(event.text));
    if (message !== "") ofRunnersEvents = { message, ...stackOf(event.stack) };
  }

  function addShot(shot: Shot) {
    shots.add(shot);
    for (const { failure, page, moment } of open)
      if (shot.ts <= moment && isNearer(shot, failure.screenshot, page)) failure.screenshot = shot;
  }

  function addPage(state: PageState) {
    pages.add(state);
    for (const { failure, page, moment } of open)
      if (state.ts <= moment && isNearer(state, failure.page ?? null, page)) failure.page = state;
  }

  function addBadRequest(bad: BadRequest) {
    // A missing icon is asked for by every browser and explains nothing.
    if (/\/favicon\.ico(?:\?|$)/.test(bad.url)) return;
    note("badRequest", bad);
  }

  function addConsoleError(error: ConsoleError) {
    // The browser's line for a bad response, which is noted as such; the page's own words say more.
    if (error.text.startsWith("Failed to load resource:")) return;
    note("consoleError", error);
  }

  function addInterference(kind: "injection" | "clockMove", news: Interference) {
    note(kind, news);
  }

  /** A request went out (`by` 1), or got its answer or was given up (−1). */
  function addPending(ts: number, isDocument: boolean, by: 1 | -1) {
    const affected = open.filter(({ moment }) => ts <= moment).map(({ near }) => near);
    for (const near of [latest, ...affected]) {
      near.pending ??= { all: 0, documents: 0 };
      near.pending.all += by;
      if (isDocument) near.pending.documents += by;
    }
  }

  function note<Kind extends NewsKind>(kind: Kind, news: NonNullable<Nearby[Kind]>) {
    if (news.ts >= (latest[kind]?.ts ?? 0)) latest[kind] = news;
    for (const { moment, near } of open)
      if (news.ts <= moment && news.ts >= (near[kind]?.ts ?? 0)) near[kind] = news;
  }

  /** Failures that ended before this moment take no more news. */
  function advance(ts: number) {
    if (open.length > 0 && open.some(({ moment }) => moment < ts))
      open = open.filter(({ moment }) => moment >= ts);
  }

  /**
   * The one that explains the verdict: what the runner names, else what failed last; of nested ones the innermost.
   * @param errors without them, what events of the runner said
   */
  function choose(errors = ofRunnersEvents ? [ofRunnersEvents] : []): FailureChoice | null {
    const all = [...first, ...last];
    for (const error of errors) {
      const named = all.findLast(({ failure }) => error.stepId && failure.step_id === error.stepId);
      if (named) return choice(innermost(all, named));
      const matching = all.filter(({ failure }) => isSameError(failure.message, error.message));
      if (matching.length > 0) return choice(innermost(matching));
    }
    const error = errors[0];
    const isTimeout = error !== undefined && saysTimeout(error.message);
    if (all.length > 0 && (!error || isTimeout)) return choice(innermost(all));
    return error ? ofRunner(error) : null;
  }

  function ofRunner(error: RunnerError): FailureChoice {
    const message = plainText(error.message);
    return {
      failure: {
        step_id: error.stepId ?? null,
        seq: null,
        ts: null,
        kind: "runner",
        title: headline(message),
        message,
        ...expectedAndReceived(message),
        ...stackOf(error.stack),
        screenshot: shots.latest,
        page: pages.latest,
      },
      near: { ...latest, pending: null },
    };
  }

  return {
    add,
    addRunnerError,
    addShot,
    addPage,
    addBadRequest,
    addConsoleError,
    addInterference,
    addPending,
    advance,
    choose,
    latestShot: () => shots.latest,
  };
}

function choice({ failure, near }: Candidate): FailureChoice {
  return { failure, near };
}

function upTo<News extends { ts: number }>(moment: number, news: News | null): News | null {
  return news && news.ts <= moment ? news : null;
}

function innermost(candidates: Candidate[], outermost = candidates.at(-1)!): Candidate {
  let current = outermost;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const id = current.failure.step_id;
    const child = candidates.findLast((one) => id !== null && one.parent === id && one !== current);
    if (!child) break;
    current = child;
  }
  return current;
}

function isSameError(message: string, runner: string): boolean {
  const bare = (text: string) =>
    plainText(text, 2_000)
      .replace(/^(?:\w*Error: )+/, "")
      .replace(/\s+/g, " ")
      .slice(0, 200);
  const [one, other] = [bare(message), bare(runner)];
  return one !== "" && other !== "" && (one.includes(other) || other.includes(one));
}

function valuesOf(event: TraceEvent, message: string): { expected?: string; received?: string } {
  const read = expectedAndReceived(message);
  const expected = typeof event.expected === "string" ? cut(event.expected, 4_096) : read.expected;
  const received = typeof event.received === "string" ? cut(event.received, 4_096) : read.received;
  return { ...(expected !== undefined && { expected }), ...(received !== undefined && { received }) };
}

function stackOf(stack: unknown): { stack?: NonNullable<Failure["stack"]> } {
  if (!Array.isArray(stack)) return {};
  const frames = stack.slice(0, MAX_FRAMES).flatMap((frame: unknown) => {
    if (typeof frame !== "object" || frame === null) return [];
    const { file, line, column, function: name, source } = frame as Record<string, unknown>;
    if (typeof file !== "string") return [];
    return [
      {
        file: cut(file, 1_000),
        line: numberIn(line) || 0,
        column: numberIn(column) || 0,
        ...(typeof name === "string" && name !== "" && { function: cut(name, 300) }),
        ...(typeof source === "string" && /^sha256:[0-9a-f]{64}$/.test(source) && { source }),
      },
    ];
  });
  return frames.length > 0 ? { stack: frames } : {};
}

/** Whether a line says of a timeout that it was exceeded. */
const saysTimeout = (message: string): boolean =>
  message.split("\n").some((line) =>
    line
      .split(/\btimeout\b/i)
      .slice(1)
      .some((rest) => /\bexceeded\b/i.test(rest)),
  );
