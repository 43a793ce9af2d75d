import type { EventFile } from "../../../store/events/types.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { sseResponse } from "../../http/sse.ts";
import { isLost, whereItLies } from "../files/where-it-lies.ts";
import { isFinal } from "../model.ts";
import { openEvents, orDamaged } from "./source.ts";

type Call = Parameters<typeof sseResponse>[1];

/**
 * A trace's events as server-sent events, from the one after `after` on: those that are stored, then those that come.
 * Ends after the last event of a finished trace; 204 when a finished trace has none left.
 * @param whileOpen asked before events leave; null where nothing but the credential can end what opened the trace
 * @throws AppError `not_hot`
 */
export async function eventStream(
  deps: Deps,
  trace: TraceRow,
  call: Call,
  after: number | undefined,
  whileOpen: (() => Promise<boolean>) | null,
): Promise<Response> {
  const file = await whereItLies(deps, trace, (now) => openEvents(deps, now));
  const last = file?.info.lastSeq ?? null;
  if (isFinal(trace.status) && (last === null || last <= (after ?? -1)))
    return new Response(null, { status: 204 });
  const isOpen = whileOpen ?? (async () => true);
  return sseResponse(
    deps,
    call,
    (signal) => follow(deps, trace, { after: after ?? -1, isOpen }, signal),
    isOpen,
  );
}

async function* follow(
  deps: Deps,
  trace: TraceRow,
  { after, isOpen }: { after: number; isOpen: () => Promise<boolean> },
  signal: AbortSignal,
) {
  // Listening begins before reading, so that no event falls between the two.
  const stop = new AbortController();
  const heard = AbortSignal.any([signal, stop.signal]);
  const news = deps.hub.subscribe("trace", trace.id, heard)[Symbol.asyncIterator]();
  try {
    let next = news.next();
    let last = after;
    let current: TraceRow | null = await findTrace(deps.store.records, trace.id);
    while (current && !signal.aborted) {
      const isOver = isFinal(current.status);
      for await (const batch of stored(deps, current, last)) {
        if (!(await isOpen())) return;
        for (const line of batch) yield line;
        last = lastSeqOf(batch) ?? last;
      }
      if (isOver) return;
      const { done, value } = await next;
      if (done) return;
      next = news.next();
      if (value.type !== "status") continue;
      if (!(await isOpen())) return;
      current = await findTrace(deps.store.records, trace.id);
    }
  } finally {
    stop.abort();
  }
}

/** Batches of stored lines after a seq. A trace that turns out to have moved is looked up once more, and read on. */
async function* stored(deps: Deps, trace: TraceRow, after: number): AsyncGenerator<string[]> {
  let last = after;
  let current = trace;
  for (let isAgain = false; ; isAgain = true) {
    try {
      const file = current.tier === "cold" ? null : await openEvents(deps, current);
      if (file)
        for await (const batch of unread(deps, trace.id, file, last)) {
          yield batch;
          last = lastSeqOf(batch) ?? last;
        }
      return;
    } catch (error) {
      if (isAgain || !isLost(error)) throw error;
      current = (await findTrace(deps.store.records, trace.id)) ?? current;
    }
  }
}

const SHARED_SPAN = 500;
/** Characters; of more than that every reader reads for itself, a frame at a time. */
const SHARED_TEXT = 1 << 20;

/** Batches of stored lines after a seq. Readers at the same place near the end share one read of what is new. */
async function* unread(deps: Deps, traceId: string, file: EventFile, after: number) {
  const { lastSeq } = file.info;
  if (lastSeq === null || lastSeq <= after) return;
  if (lastSeq - after > SHARED_SPAN) {
    yield* readBatches(deps, file, after);
    return;
  }
  const key = `${traceId} ${after} ${lastSeq}`;
  const lines = await deps.traceState.sharedReads.get(key, () => readShort(deps, file, after));
  if (lines) yield lines;
  else yield* readBatches(deps, file, after);
}

/** All that is new; null where that is too much to be kept. */
async function readShort(deps: Deps, file: EventFile, after: number): Promise<string[] | null> {
  const lines: string[] = [];
  let size = 0;
  for await (const batch of readBatches(deps, file, after))
    for (const line of batch) {
      size += line.length;
      if (size > SHARED_TEXT) return null;
      lines.push(line);
    }
  return lines;
}

async function* readBatches(deps: Deps, file: EventFile, after: number) {
  const batches = file.lineBatches(after + 1)[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await orDamaged(deps, batches.next());
    if (done) return;
    yield value;
  }
}

function lastSeqOf(batch: readonly string[]): number | null {
  const line = batch.at(-1);
  return line === undefined ? null : (JSON.parse(line) as { seq: number }).seq;
}
