import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { counted } from "../../trace/format/words.ts";
import type { PageScripts } from "../page-scripts/build.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createLimiter } from "./limiter.ts";
import { createNodeNames, type RecordedNode } from "./node-names.ts";
import type { Recorder } from "./recorder.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** rrweb's numbers (its EventType and IncrementalSource). */
const FULL_SNAPSHOT = 2;
const INCREMENTAL = 3;
const MUTATION = 0;
const MOST_NAMED = 20;
/** Changes of a second that are listed as events; the recording itself has them all. */
const MOST_A_SECOND = 100;

const FULL = `The recording of the page's changes ends here: it has more than ${MOST_BYTES >> 20} MiB.`;

/** The DOM as rrweb records it, on the run's first page: one stream can play one page. */
export interface DomRecording {
  /** Runs in every document before its own scripts, and takes the function there that has the name of the binding. */
  readonly script: string;
  /** Runs in the page's own world, where the recorder does not. */
  readonly announcer: string;
  /** What pages call the function that takes what they recorded. */
  readonly binding: string;
  /** Takes what a page hands over: rrweb's events as lines. */
  take(page: Page, batch: string): void;
  /** What a page is asked at the end, so that its last changes are there too: they are handed over before the answer. */
  readonly last: string;
  /** rrweb's events as NDJSON; null when there are none. */
  ndjson(): Blob | null;
}

/**
 * Keeps what `page-recorder.ts` hands over in the page.
 * @param options.binding a name that the page cannot guess
 */
export function createDomRecording(options: {
  recorder: Recorder;
  redactor: Redactor;
  clock: Clock;
  /** The announcer is for those that record from a world of their own. */
  scripts: Partial<PageScripts> & Pick<PageScripts, "recorder">;
  binding: string;
}): DomRecording {
  const { recorder, redactor, clock, scripts, binding } = options;
  const limiter = createLimiter(clock, MOST_A_SECOND, (count) =>
    recorder.note(
      `${counted(count, "change")} of the page within one second ${count === 1 ? "is" : "are"} not listed.`,
    ),
  );
  const names = createNodeNames();
  const parts: string[] = [];
  let bytes = 0;
  let isFull = false;

  function keep(batch: string): void {
    if (batch.length > MOST_BYTES || bytes + batch.length > MOST_BYTES) {
      tellFull();
      return;
    }
    for (const line of batch.split("\n")) {
      const recorded = readEvent(line);
      if (!recorded) continue;
      const event = redactor.concerns(line) ? redactor.value(recorded) : recorded;
      tellMutation(event);
      const text = event === recorded ? line : JSON.stringify(event);
      bytes += text.length;
      parts.push(text, "\n");
    }
  }

  function tellFull(): void {
    if (!isFull) recorder.note(FULL);
    isFull = true;
  }

  function tellMutation(event: RecordedEvent): void {
    if (event.type === FULL_SNAPSHOT && event.data.node) names.learn(event.data.node);
    const { source, adds = [], removes = [], attributes = [], texts = [] } = event.data;
    if (event.type !== INCREMENTAL || source !== MUTATION) return;
    for (const { node } of adds) names.learn(node);
    if (!limiter.admits()) return;
    const target = adds[0]?.parentId ?? removes[0]?.parentId ?? attributes[0]?.id ?? texts[0]?.id;
    const fields = {
      target: target === undefined ? "" : names.of(target),
      adds: adds.slice(0, MOST_NAMED).map(({ node }) => names.of(node.id)),
      removes: removes.slice(0, MOST_NAMED).map(({ id }) => names.of(id)),
      attributes: Object.assign({}, ...attributes.slice(0, MOST_NAMED).map((one) => one.attributes)),
      text: texts[0]?.value ?? null,
    };
    // When it happened, which is up to a tenth of a second before the page hands it over. Nothing happens before the run or after now.
    const now = clock.now();
    const isPossible = event.timestamp >= (recorder.firstTs ?? now) && event.timestamp <= now;
    const ts = isPossible ? event.timestamp : now;
    recorder.emit("dom.mutation", fields, { ts, stepId: recorder.stepAt(ts) });
  }

  const named = (script: string) => script.replaceAll("__tracedeck_binding__", binding);
  let recorded: Page | null = null;
  return {
    script: named(scripts.recorder),
    announcer: named(scripts.announcer ?? ""),
    binding,
    take(page, batch) {
      recorded ??= page;
      if (page !== recorded) return;
      try {
        keep(batch);
      } catch {
        // Where it is the page's own world that is recorded from, its scripts may change what is handed over. What is no recording is not kept.
      }
    },
    last: `window.dispatchEvent(new Event(${JSON.stringify(binding)}))`,
    ndjson: () => (parts.length > 0 ? new Blob(parts) : null),
  };
}

interface RecordedEvent {
  type: number;
  /** Epoch ms. */
  timestamp: number;
  data: { node?: RecordedNode } & Partial<Mutation>;
}

/** Null for what is no event of rrweb's format. */
function readEvent(line: string): RecordedEvent | null {
  const event = JSON.parse(line) as Partial<RecordedEvent> | null;
  const isEvent =
    typeof event?.type === "number" &&
    Number.isFinite(event.timestamp) &&
    typeof event.data === "object" &&
    event.data !== null;
  return isEvent ? (event as RecordedEvent) : null;
}

interface Mutation {
  source: number;
  adds: { parentId: number; node: RecordedNode }[];
  removes: { parentId: number; id: number }[];
  attributes: { id: number; attributes: Record<string, unknown> }[];
  texts: { id: number; value: string | null }[];
}
