import type { JSX } from "preact";
import { plainText } from "../../../server/trace/format/error-text.ts";
import { titleInWords } from "../../../server/trace/format/step-words.ts";
import { messageOf } from "../../../server/trace/format/summary-steps.ts";
import { ExpectedReceived, isLongValue } from "../../ui/diff.tsx";
import { formatOffset } from "../../ui/format.ts";
import { CheckCircle, CrossCircle, Network, Terminal } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import { CopyButton, framesOf, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { SinceWhen } from "../history/history.tsx";
import { failureText } from "../model/failure-text.ts";
import { useModel } from "../model/model.ts";
import { useStepEvent } from "../model/use-event.ts";
import { CopyPrompt } from "../share/copy-prompt.tsx";
import { Narrative } from "./narrative.tsx";
import { Pictures } from "./pictures.tsx";
import { StackSection } from "./source.tsx";

const MAX_OTHERS = 50;

function Around(): JSX.Element | null {
  const model = useModel();
  const { first_bad_request: request, first_console_error: consoleError } = model.summary.value ?? {};
  if (!request && !consoleError) return null;
  return (
    <Section title="Around it">
      {request && (
        <button type="button" class="line-button" onClick={() => model.openEvent("network", request.seq)}>
          <Network class="is-failed" />
          <span class="is-failed mono">{request.status || "failed"}</span>
          <span class="ellipsis captured mono">
            {oneLine(request.method, 16)} {oneLine(request.url, 300)}
          </span>
          <span class="dim num">{formatOffset(model.elapsed(request.ts))}</span>
        </button>
      )}
      {consoleError && (
        <button
          type="button"
          class="line-button"
          onClick={() => model.openEvent("console", consoleError.seq)}
        >
          <Terminal class="is-failed" />
          <span class="ellipsis captured mono">{oneLine(consoleError.text, 300)}</span>
          <span class="dim num">{formatOffset(model.elapsed(consoleError.ts))}</span>
        </button>
      )}
    </Section>
  );
}

function Others(): JSX.Element | null {
  const model = useModel();
  const here = model.step.value?.step_id;
  const others = model.failedSteps.value.filter((step) => step.step_id !== here);
  if (others.length === 0) return null;
  return (
    <Section title={others.length === 1 ? "Another failed step" : `${others.length} other failed steps`}>
      {others.slice(0, MAX_OTHERS).map((step) => (
        <button
          key={step.step_id}
          type="button"
          class="line-button"
          onClick={() => model.selectStep(step.step_id, { isJump: true })}
        >
          <CrossCircle class="is-failed" />
          <span class="ellipsis captured">{titleInWords(oneLine(step.title, 200))}</span>
          <span class="dim num">{formatOffset(model.elapsed(step.ts))}</span>
        </button>
      ))}
    </Section>
  );
}

/** What is known of the shown step's failure besides what stands above the page: story, source, log, all of a long message. */
export function ErrorPanel(): JSX.Element {
  const model = useModel();
  const step = model.step.value;
  const said = failureText(model);
  const { data: event, isLoading } = useStepEvent(model, said ? step : null);
  if (!said) {
    const hasAny = model.failedSteps.value.length > 0;
    return (
      <ScrollPane label="Error">
        <Message
          icon={<CheckCircle class="is-passed" />}
          title={hasAny ? "This step did not fail." : "Nothing failed in this trace."}
        />
        <Others />
        <Around />
      </ScrollPane>
    );
  }
  const failure = model.isAtFailure.value ? model.summary.value?.failure : null;
  const message = failure?.message ? plainText(failure.message) : (event && messageOf(event)) || said.message;
  const frames = failure?.stack?.length ? failure.stack : framesOf(event?.stack);
  const log = Array.isArray(event?.log) ? event.log.filter((line) => typeof line === "string") : [];
  const isLogShown = isLoading || log.length > 0 || !said.rest.includes("Call log:");
  const isStackShown = isLoading || frames.length > 0 || !/^[ \t]*at /m.test(said.rest);
  // The box above the page says the rest; on a narrow screen it is not there.
  const isSaidThere = message === said.message && !said.hasMore && isLogShown && isStackShown;
  const areValuesShown = isNarrow.value || isLongValue(said.expected) || isLongValue(said.received);
  return (
    <ScrollPane label="Error">
      <Section
        title={titleInWords(oneLine(failure?.title ?? step?.title ?? "Failure", 300))}
        aside={
          <span class="section-actions">
            {failure && model.source.promptUrl && <CopyPrompt url={model.source.promptUrl} />}
            <CopyButton text={message} what="Message" />
          </span>
        }
      >
        {failure && <Narrative />}
        {areValuesShown && <ExpectedReceived expected={said.expected} received={said.received} />}
        {(isNarrow.value || !isSaidThere) && <pre class="captured error-message">{block(message)}</pre>}
      </Section>
      <Pictures attachments={event?.attachments} />
      <SinceWhen />
      {isNarrow.value && <Around />}
      <StackSection key={step?.step_id} frames={frames} isFailure />
      {log.length > 0 && (
        <Section title="Log">
          <pre class="captured">{block(log.join("\n"))}</pre>
        </Section>
      )}
      <Others />
    </ScrollPane>
  );
}
