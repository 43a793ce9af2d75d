import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { counted } from "../../trace/format/words.ts";
import { createLimiter } from "./limiter.ts";
import { createNodeNames, type RecordedNode } from "./node-names.ts";
import type { Recorder } from "./recorder.ts";
import type { Redactor } from "./redact.ts";

const MOST_BYTES = 64 * 1024 * 1024;
/** rrweb's numbers (its EventType and IncrementalSource). */
const FULL_SNAPSHOT = 2;
const INCREMENTAL = 3;
const MUTATION = 0;
const MOST_NAMED = 20;
/** Changes of a second that are listed as events; the recording itself has them all. */
const MOST_A_SECOND = 100;

/** The DOM as rrweb records it, on the run's first page: one stream can play one page. */
export interface DomRecording {
  /** Runs in every document before its own scripts, and finds a function there by the name of the binding. */
  readonly script: string;
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
  script: string;
  binding: string;
}): DomRecording {
  const { recorder, redactor, clock, script, binding } = options;
  const limiter = createLimiter(clock, MOST_A_SECOND, (count) =>
    recorder.emit("agent.thought", {
      text: `${counted(count, "change")} of the page within one second ${count === 1 ? "is" : "are"} not listed.`,
    }),
  );
  const names = createNodeNames();
  const parts: string[] = [];
  let bytes = 0;

  function keep(batch: string): void {
    const text = redactor.concerns(batch) ? maskLines(batch) : batch;
    for (const line of text.split("\n")) tellMutation(line);
    if (bytes > MOST_BYTES) return;
    bytes += text.length;
    parts.push(text, "\n");
  }

  const maskLines = (batch: string): string =>
    batch
      .split("\n")
      .map((line) => JSON.stringify(redactor.value(JSON.parse(line) as unknown)))
      .join("\n");

  function tellMutation(line: string): void {
    // Most lines are moves of the mouse and scrolls: only those that can matter are parsed.
    const isFull = line.includes(`"type":${FULL_SNAPSHOT},`);
    if (!isFull && !line.includes(`"source":${MUTATION},`)) return;
    const event = JSON.parse(line) as {
      type: number;
      timestamp: number;
      data: { node?: RecordedNode } & Partial<Mutation>;
    };
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
    // When it happened, which is up to a tenth of a second before the page hands it over.
    const ts = event.timestamp;
    recorder.emit("dom.mutation", fields, { ts, stepId: recorder.stepAt(ts) });
  }

  let recorded: Page | null = null;
  return {
    script: script.replaceAll("__tracedeck_binding__", binding),
    binding,
    take(page, batch) {
      recorded ??= page;
      if (page !== recorded) return;
      try {
        keep(batch);
      } catch {
        // A page that finds the function may call it with anything. What is no recording is not kept.
      }
    },
    last: `window[${JSON.stringify(binding)}]?.flush?.()`,
    ndjson: () => (parts.length > 0 ? new Blob(parts) : null),
  };
}

interface Mutation {
  source: number;
  adds: { parentId: number; node: RecordedNode }[];
  removes: { parentId: number; id: number }[];
  attributes: { id: number; attributes: Record<string, unknown> }[];
  texts: { id: number; value: string | null }[];
}
