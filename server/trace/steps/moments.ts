import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents, orDamaged } from "../events/source.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { asRecorded, type Clean, told } from "../fit.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import type { NamedStep } from "./find-step.ts";

/** What happened while a step ran. */
export interface Moments {
  requests: {
    seq: number;
    /** After the step began; less than 0 before. */
    at_ms: number;
    /** Empty where neither the answer nor a request around it says it. */
    method: string;
    url: string;
    status: number | null;
    duration_ms: number | null;
    error: string | null;
  }[];
  lines: { seq: number; at_ms: number; level: string; text: string }[];
  log: string[];
}

/** Events that are looked at: a step that runs for minutes has more, and the first tell most. */
const MOST_EVENTS = 600;
/** What a step sets off goes on for a moment after it. */
const GRACE_MS = 250;
/** What a step waits for in vain was often asked for by the step before it. */
const LEAD_MS = 2_000;
const LEAD_EVENTS = 60;

/**
 * The requests, failed ones first, the console and the call log of a step.
 * @param clean gets each event whole
 * @throws AppError `not_hot`, `unavailable`
 */
export async function momentsOf(
  deps: Deps,
  trace: TraceRow,
  step: NamedStep["step"],
  clean: Clean = asRecorded,
): Promise<Moments> {
  const { own, around } = await whereItLies(deps, trace, async (now) => {
    const file = await openEvents(deps, now);
    if (!file) return { own: [], around: [] };
    const steps = { step: step.step_id, kinds: ["agent.action", "assertion"], offset: 0, limit: 3 };
    const kinds = ["network.request", "network.response", "console.*"];
    const query = { kinds, fromSeq: Math.max(0, step.seq - LEAD_EVENTS), offset: 0, limit: MOST_EVENTS };
    return {
      own: (await orDamaged(deps, file.query(steps))).lines.map(readEvent),
      around: (await orDamaged(deps, file.query(query))).lines.map(readEvent),
    };
  });
  const end = step.ts + step.duration_ms + GRACE_MS;
  const within = around.filter(({ ts }) => ts >= step.ts - LEAD_MS && ts <= end).map(clean);
  return {
    requests: requestsOf(within, step.ts, methodsOf(around)),
    lines: within.filter(({ kind }) => kind.startsWith("console.")).map((event) => toLine(event, step.ts)),
    log: toldOnce(
      clean(own).flatMap(({ log }) =>
        Array.isArray(log) ? log.filter((line) => typeof line === "string") : [],
      ),
    ),
  };
}

/** The methods of requests by their ids: an answer need not say what was asked. */
export function methodsOf(events: readonly TraceEvent[]): (event: TraceEvent) => string {
  const methods = new Map<unknown, string>();
  for (const { kind, request_id: id, method } of events)
    if (kind === "network.request" && typeof id === "string" && typeof method === "string")
      methods.set(id, method);
  return ({ method, request_id: id }) =>
    told(typeof method === "string" ? method : (methods.get(id) ?? ""), 20);
}

function requestsOf(
  events: readonly TraceEvent[],
  from: number,
  methodOf: (event: TraceEvent) => string,
): Moments["requests"] {
  const answered = new Set(
    events.filter(({ kind }) => kind === "network.response").map(({ request_id: id }) => id),
  );
  const all = events
    .filter(
      ({ kind, request_id: id }) =>
        kind === "network.response" || (kind === "network.request" && !answered.has(id)),
    )
    .map((event) => toRequest(event, from, methodOf(event)));
  const isBad = ({ status, error }: Moments["requests"][number]) =>
    error !== null || status === null || status === 0 || status >= 400;
  return [...all.filter(isBad), ...all.filter((one) => !isBad(one))];
}

function toRequest(event: TraceEvent, from: number, method: string): Moments["requests"][number] {
  const { seq, ts, kind, url, status, duration_ms: took, error } = event;
  return {
    seq,
    at_ms: ts - from,
    method,
    url: told(String(url ?? ""), 240),
    status: kind === "network.response" && Number.isInteger(status) ? (status as number) : null,
    duration_ms: typeof took === "number" ? Math.round(took) : null,
    error: typeof error === "string" ? told(error, 200) : null,
  };
}

/** A retried step says the same over and over. */
function toldOnce(log: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of log) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, times]) => (times > 1 ? `${line} (${times} times)` : line));
}

const toLine = ({ seq, ts, kind, text }: TraceEvent, from: number) => ({
  seq,
  at_ms: ts - from,
  level: kind.slice("console.".length),
  text: told(typeof text === "string" ? text : "", 300),
});
