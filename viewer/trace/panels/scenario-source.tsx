import type { JSX } from "preact";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { eventsBetween } from "../../api/trace-source.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { type Frame, framesOf } from "../../ui/parts.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { placeOfSeq } from "../model/row-list.ts";
import { AROUND, Excerpt, type SourceLine } from "./excerpt.tsx";

/** Whether a place is a step of a scenario file: these are Markdown, and each step's event has its line's text. */
export const isScenarioPlace = ({ file }: Frame): boolean => /\.md$/i.test(file);

/** What the events of steps say of the lines of a file, in their order. */
function linesOf(events: readonly TraceEvent[], file: string): SourceLine[] {
  const lines = new Map<number, string>();
  for (const { title, stack } of events) {
    const [at] = framesOf(stack);
    if (at?.file === file && typeof title === "string") lines.set(at.line, title);
  }
  return [...lines].map(([number, text]) => ({ number, text })).sort((a, b) => a.number - b.number);
}

async function readLines(
  model: TraceModel,
  { step, file }: { step: StepSummary; file: string },
  signal: AbortSignal,
): Promise<SourceLine[]> {
  const steps = model.steps.peek();
  const first = steps.at(Math.max(0, placeOfSeq(steps, step.seq) - AROUND)) ?? step;
  const query = { kind: "agent.action,assertion", from_seq: first.seq };
  const range = { offset: 0, limit: 2 * AROUND + 1 };
  return linesOf((await eventsBetween(model.source, query, range, signal)).events, file);
}

/** The lines of a scenario around a step of it as they were when it ran: the steps' own texts, not today's file. */
export function ScenarioSource({ step, frame }: { step: StepSummary; frame: Frame }): JSX.Element {
  const model = useModel();
  const { file, line } = frame;
  const { data, error, isLoading } = useLoad(`scenario ${step.step_id}`, (signal) =>
    readLines(model, { step, file }, signal),
  );
  if (error) return <Failed error={error} />;
  if (isLoading || !data) return <Loading label="Loading the steps" />;
  return (
    <>
      <Excerpt lines={data} meant={line} />
      <p class="dim note">The steps as they were in this run, as far as it came.</p>
    </>
  );
}
