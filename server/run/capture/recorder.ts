import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Redactor } from "../redaction/redact.ts";
import { boundedLine } from "./bounded-line.ts";
import type { CapturedBlob, CaptureSink } from "./sink.ts";

/** A chunk is sent sooner when it has grown to this. */
const CHUNK_TEXT = 2 * 1024 * 1024;
const BLOBS_BYTES = 4 * 1024 * 1024;
/** A server takes twice as many in one part: a page of many small modules has thousands. */
const MOST_BLOBS = 500;
const FIRST_BLOBS_MS = 300;
/** Longer texts are blobs. */
const LONGEST_INLINE = 2048;
const LEVEL = 3;

/** Numbers the events of a run and sends them on, in order, while the run goes on. */
export interface Recorder {
  /** The step that events belong to from now on; null for none. */
  enter(stepId: string | null): void;
  readonly stepId: string | null;
  /** The step that was going on at an epoch ms; null for none. */
  stepAt(ts: number): string | null;
  /** Records an event. Its texts must be redacted already, but for secrets, which are taken out here. */
  emit(kind: string, fields: Record<string, unknown>, at?: { ts?: number; stepId?: string | null }): void;
  /** Says something that is no step's thought: what a page does that nobody asked for, what is left out of the recording. */
  note(text: string): void;
  /**
   * Keeps bytes by their hash and returns the reference.
   * @param sent of bytes that are sent to the sink anyway: until it has them
   */
  blob(bytes: Uint8Array, sent?: Promise<void>): string;
  /** A text as it stands in an event: itself when it is short, else a reference. */
  body(text: string): string;
  /** Sends what there is. @throws what the sink threw, now or before */
  flush(): Promise<void>;
  /** Sends what there is but for the events, of which more are to come in a moment. `broken` tells of a failure. */
  flushBlobs(): void;
  /** Sends the rest and stops. @throws what the sink threw */
  close(): Promise<void>;
  /** Aborts when the recording cannot be kept any more. */
  readonly broken: AbortSignal;
  readonly eventCount: number;
  /** Epoch ms of the first event; null before it. */
  readonly firstTs: number | null;
}

export function createRecorder(options: {
  sink: CaptureSink;
  clock: Clock;
  redactor: Redactor;
  /** zstd; where it is not Bun that runs this, the caller's. */
  compress?: (text: string) => Promise<Uint8Array>;
}): Recorder {
  const { sink, clock, redactor } = options;
  const compress = options.compress ?? ((text) => Bun.zstdCompress(text, { level: LEVEL }));
  const broken = new AbortController();
  const stopped = new AbortController();
  const known = new Set<string>();
  const steps: { since: number; stepId: string | null }[] = [];
  let seq = 0;
  let firstTs: number | null = null;
  let lines: string[] = [];
  let length = 0;
  let blobs: CapturedBlob[] = [];
  let blobBytes = 0;
  let chunk = 0;
  let sending: Promise<void> = Promise.resolve();
  /** Until every blob that was sent so far is kept. */
  let kept: Promise<void> = Promise.resolve();

  const current = () => steps.at(-1)?.stepId ?? null;

  const orBreak = (work: Promise<void>) => void work.catch((error) => broken.abort(error));

  function flushBlobs(): void {
    if (blobs.length === 0) return;
    kept = kept.then(async () => {
      const batch = blobs;
      blobs = [];
      blobBytes = 0;
      for (let at = 0; at < batch.length; at += MOST_BLOBS)
        await sink.blobs(batch.slice(at, at + MOST_BLOBS));
    });
    orBreak(kept);
  }

  async function send(): Promise<void> {
    // What is recorded meanwhile may name blobs that are not among these: nobody is to see it before them.
    const text = lines.join("");
    lines = [];
    length = 0;
    flushBlobs();
    await kept;
    if (text !== "") {
      const n = chunk;
      chunk += 1;
      await sink.chunk(n, await compress(text));
    }
  }

  function flush(): Promise<void> {
    flushBlobs();
    sending = sending.then(send);
    orBreak(sending);
    return sending;
  }

  async function run(): Promise<void> {
    const { eventsMs, blobsMs } = sink.pace;
    let blobsAt = clock.monotonic();
    while (!stopped.signal.aborted && !broken.signal.aborted) {
      await clock.sleep(eventsMs, stopped.signal);
      // Events wait for the blobs that they name, so that whoever looks on never finds one missing.
      if (blobs.length > 0 && clock.monotonic() - blobsAt < blobsMs) continue;
      if (blobs.length > 0) blobsAt = clock.monotonic();
      await flush();
    }
  }
  // Of a short run those are most of them, and its end need not wait for them.
  void clock.sleep(FIRST_BLOBS_MS, stopped.signal).then(flushBlobs);
  const running = run();
  // Told by `broken`, and by `close`.
  running.catch(() => {});

  function blob(bytes: Uint8Array, sent?: Promise<void>): string {
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (sent) {
      known.add(hash);
      kept = Promise.all([kept, sent]).then(() => {});
      orBreak(kept);
    }
    if (!known.has(hash) && !broken.signal.aborted) {
      known.add(hash);
      blobs.push({ hash, bytes });
      blobBytes += bytes.length;
      if (blobBytes > BLOBS_BYTES) flushBlobs();
    }
    return `sha256:${hash}`;
  }

  const emit: Recorder["emit"] = (kind, fields, at = {}) => {
    // What cannot be kept must not fill the memory either.
    if (stopped.signal.aborted || broken.signal.aborted) return;
    const step = at.stepId === undefined ? current() : at.stepId;
    const event = {
      seq: seq++,
      ts: Math.round(at.ts !== undefined && Number.isFinite(at.ts) ? at.ts : clock.now()),
      kind,
      ...(step !== null && { step_id: step }),
      ...redactor.value(fields),
    };
    firstTs ??= event.ts;
    const line = `${boundedLine(event)}\n`;
    lines.push(line);
    length += line.length;
    if (length > CHUNK_TEXT) void flush().catch(() => {});
  };

  return {
    enter(stepId) {
      steps.push({ since: clock.now(), stepId });
    },
    get stepId() {
      return current();
    },
    stepAt: (ts) => steps.findLast(({ since }) => since <= ts)?.stepId ?? null,
    emit,
    note: (text) => emit("agent.thought", { text }, { stepId: null }),
    blob,
    body(text) {
      const clean = redactor.body(text);
      return clean.length > LONGEST_INLINE ? blob(Buffer.from(clean)) : clean;
    },
    flush,
    flushBlobs,
    async close() {
      stopped.abort();
      await running;
      await flush();
    },
    broken: broken.signal,
    get eventCount() {
      return seq;
    },
    get firstTs() {
      return firstTs;
    },
  };
}
