import { readPlaywright } from "../../../../server/trace/format/playwright/read.ts";
import type {
  PlaywrightResult,
  PlaywrightSource,
} from "../../../../server/trace/format/playwright/source.ts";

/** A `TraceEvent` whose number is that of its place, from 1. */
type UnnumberedEvent = Record<string, unknown> & { ts: number; kind: string; step_id?: string };

/** An archive made of texts. */
export function sourceOf(files: Record<string, string>): PlaywrightSource {
  return {
    entries: () => Object.keys(files),
    has: (name) => Object.hasOwn(files, name),
    async *lines(name) {
      const text = files[name] ?? "";
      yield* text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
    },
  };
}

export const lines = (...events: unknown[]) => `${events.map((event) => JSON.stringify(event)).join("\n")}\n`;

/** Reads texts as an archive; every name in `blobs` is there with that hash. */
export async function read(
  files: Record<string, string>,
  blobs: Record<string, string> = {},
): Promise<{ result: PlaywrightResult; events: UnnumberedEvent[]; warnings: string[] }> {
  const events: UnnumberedEvent[] = [];
  const warnings: string[] = [];
  const result = await readPlaywright(sourceOf(files), {
    event({ seq, ...event }) {
      if (events.push(event as UnnumberedEvent) !== seq)
        throw new Error(`Event ${events.length} has the number ${seq}.`);
    },
    resource: (name) => (Object.hasOwn(blobs, name) ? blobs[name]! : null),
    warn: (sentence) => void warnings.push(sentence),
  });
  return { result, events, warnings };
}

/** The first line of a trace: at monotonic 1000 it was epoch 1,700,000,000,000. */
export const options = {
  version: 10,
  type: "context-options",
  origin: "library",
  browserName: "chromium",
  playwrightVersion: "1.65.1",
  options: { viewport: { width: 800, height: 600 } },
  platform: "linux",
  wallTime: 1_700_000_000_000,
  monotonicTime: 1000,
  title: "A title",
};

export const before = (callId: string, startTime: number, more: Record<string, unknown> = {}) => ({
  type: "before",
  callId,
  startTime,
  class: "Frame",
  method: "click",
  params: { selector: "#pay" },
  ...more,
});

export const after = (callId: string, endTime: number, more: Record<string, unknown> = {}) => ({
  type: "after",
  callId,
  endTime,
  ...more,
});
