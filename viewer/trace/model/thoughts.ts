import type { StepSummary } from "../../../server/trace/format/summary.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import type { RowList } from "./row-list.ts";
import { createRows, type Rows } from "./rows.ts";

export interface Thought {
  seq: number;
  ts: number;
  stepId: string | null;
  text: string;
}

const MAX_TEXT = 4000;

export function createThoughtRows(source: TraceSource): Rows<Thought> {
  const rows: Thought[] = [];
  return createRows(source, "agent.thought", (kind) => kind === "agent.thought", {
    add(event) {
      const text = typeof event.text === "string" ? event.text.slice(0, MAX_TEXT) : "";
      rows.push({ seq: event.seq, ts: event.ts, stepId: event.step_id ?? null, text });
    },
    snapshot: () => rows.slice(),
  });
}

export type Said = { ts: number; seq: number } & (
  | { thought: Thought; step?: never }
  | { step: StepSummary; thought?: never }
);

/** Thoughts and what was done, in the order of time. */
export function transcriptOf(thoughts: readonly Thought[], steps: RowList<StepSummary>): Said[] {
  const said: Said[] = thoughts.map((thought) => ({ ts: thought.ts, seq: thought.seq, thought }));
  for (const step of steps)
    if (step.kind === "agent.action" || step.kind === "assertion")
      said.push({ ts: step.ts, seq: step.seq, step });
  return said.sort((a, b) => a.ts - b.ts || a.seq - b.seq);
}
