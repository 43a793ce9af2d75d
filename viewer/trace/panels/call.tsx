import type { JSX } from "preact";
import { plainText } from "../../../server/trace/format/error-text.ts";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { formatDuration, formatOffset, formatWall } from "../../ui/format.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { CopyButton, Facts, framesOf, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { useModel } from "../model/model.ts";
import { useStepEvent } from "../model/use-event.ts";
import { Pictures } from "./pictures.tsx";
import { StackSection } from "./source.tsx";

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}

function Params({ event }: { event: TraceEvent }): JSX.Element | null {
  const { params } = event;
  if (!params || typeof params !== "object") return null;
  const rows = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  if (rows.length === 0) return null;
  return (
    <Section
      title="Parameters"
      aside={<CopyButton text={JSON.stringify(params, null, 2)} what="Parameters" />}
    >
      <Facts
        rows={rows
          .slice(0, 100)
          .map(([name, value]) => [name, <code key={name}>{block(valueText(value), 4000)}</code>])}
      />
    </Section>
  );
}

/** How the step's target was found when it was not there; null where it was. */
function healOf(event: TraceEvent | null): string | null {
  const { from, to, why } = (event?.healed ?? {}) as Record<string, unknown>;
  if (typeof from !== "string" || typeof to !== "string") return null;
  return oneLine(`${from} was not there; took ${to}${typeof why === "string" ? `: ${why}` : ""}`, 600);
}

/** The call behind the step: what it was given, how long it took, what the engine logged, who called it. */
export function CallPanel(): JSX.Element {
  const model = useModel();
  const step = model.step.value;
  const { data: event, error, isLoading } = useStepEvent(model, step);
  if (!step) return <Message title="No step is selected." />;
  if (error) return <Failed error={error} />;
  const isCold = model.detail.value?.tier === "cold";
  const parent = step.parent_step_id ? model.steps.value.byId(step.parent_step_id) : undefined;
  const frames = framesOf(event?.stack);
  const log = Array.isArray(event?.log) ? event.log.filter((line) => typeof line === "string") : [];
  const isUnderWay = model.isUnderWay(step);
  const rows: (readonly [string, JSX.Element | string])[] = [
    // What it is it tells when it ends: until then its kind is that of the first event within it.
    ...(isUnderWay ? [] : [["Kind", step.kind] as const]),
    ...(event?.name ? [["Call", oneLine(event.name, 300)] as const] : []),
    ["Started", `${formatOffset(model.elapsed(step.ts))} s  (${formatWall(step.ts)})`],
    ...(isUnderWay ? [] : [["Took", formatDuration(step.duration_ms)] as const]),
    ["Outcome", isUnderWay ? "Under way" : step.status === "failed" ? "Failed" : "Passed"],
    ["Step", `${step.index}, id ${oneLine(step.step_id, 200)}`],
  ];
  if (parent) {
    rows.push([
      "Within",
      <button
        key="parent"
        type="button"
        class="link-button captured"
        onClick={() => model.selectStep(parent.step_id, { isJump: true })}
      >
        {oneLine(parent.title, 200)}
      </button>,
    ]);
  }
  const healed = healOf(event);
  if (healed)
    rows.push([
      "Healed",
      <span key="healed">
        <span class="run-badge">healed</span> <span class="captured">{healed}</span>
      </span>,
    ]);
  if (typeof event?.page === "string") rows.push(["Page", oneLine(event.page, 200)]);
  return (
    <ScrollPane label="Call">
      <Section title={oneLine(step.title, 300) || step.kind}>
        <Facts rows={rows} />
      </Section>
      {isLoading && <Loading />}
      {isCold && <p class="notice dim">Parameters, log and stack are in cold storage.</p>}
      {event && <Params event={event} />}
      {event?.kind === "assertion" && typeof event.message === "string" && (
        <Section title="Message">
          <pre class="captured">{block(plainText(event.message))}</pre>
        </Section>
      )}
      {log.length > 0 && (
        <Section title="Log" aside={<CopyButton text={log.join("\n")} what="Log" />}>
          <pre class="captured">{block(log.join("\n"))}</pre>
        </Section>
      )}
      <StackSection key={step.step_id} frames={frames} isFailure={step.status === "failed"} />
      <Pictures attachments={event?.attachments} />
    </ScrollPane>
  );
}
