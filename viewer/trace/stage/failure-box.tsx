import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ExpectedReceived } from "../../ui/diff.tsx";
import { CrossCircle, Network, Terminal } from "../../ui/icons.tsx";
import { block, oneLine, shortUrl } from "../../ui/text.ts";
import { LastPass } from "../compare.tsx";
import { FEW_CHARACTERS, FEW_LINES, failureText } from "../model/failure-text.ts";
import { useModel } from "../model/model.ts";

const ALL_CHARACTERS = 4000;

/** The first bad request and console error: the usual reasons, one press away. */
function Suspects(): JSX.Element | null {
  const model = useModel();
  const { first_bad_request: request, first_console_error: consoleError } = model.summary.value ?? {};
  if (!request && !consoleError) return null;
  return (
    <div class="suspects">
      {request && (
        <button type="button" class="suspect" onClick={() => model.openEvent("network", request.seq)}>
          <Network class="is-failed" />
          <span class="is-failed">{request.status || "failed"}</span>
          <span class="ellipsis captured mono">
            {oneLine(request.method, 16)} {shortUrl(request.url).path}
          </span>
        </button>
      )}
      {consoleError && (
        <button type="button" class="suspect" onClick={() => model.openEvent("console", consoleError.seq)}>
          <Terminal class="is-failed" />
          <span class="hidden-text">Console error</span>
          <span class="ellipsis captured mono">{oneLine(consoleError.text, 200)}</span>
        </button>
      )}
    </div>
  );
}

/** Why the shown step failed, in few lines so that the page has the room; "More" shows all of it. */
export function FailureBox(): JSX.Element | null {
  const model = useModel();
  const openStep = useSignal<string | null>(null);
  const text = failureText(model);
  if (!text) return null;
  const { first, lines, isLong } = text;
  const id = model.step.value?.step_id ?? "";
  const isOpen = openStep.value === id;
  const max = isOpen ? ALL_CHARACTERS : FEW_CHARACTERS;
  const shown = isOpen ? [lines.join("\n")] : lines.slice(0, FEW_LINES);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message scrolls, also without a pointer
    <div class="failure" role="group" aria-label="Failure" tabIndex={0}>
      <div class="failure-head">
        <CrossCircle class="is-failed" label="Failed" />
        <p class="failure-text captured">
          {isOpen ? block(first || "Failed", max) : oneLine(first || "Failed", max)}
        </p>
        {isLong && (
          <button
            type="button"
            class="link-button"
            aria-expanded={isOpen}
            aria-label={isOpen ? "Less of the failure" : "More of the failure"}
            onClick={() => {
              openStep.value = isOpen ? null : id;
            }}
          >
            {isOpen ? "Less" : "More"}
          </button>
        )}
      </div>
      {lines.length > 0 && (
        <div class="failure-lines">
          {shown.map((line, index) => (
            <pre key={index} class="captured">
              {isOpen ? block(line, max) : oneLine(line, max)}
            </pre>
          ))}
        </div>
      )}
      <ExpectedReceived
        expected={text.expected}
        received={text.received}
        max={ALL_CHARACTERS}
        isShort={!isOpen}
      />
      <Suspects />
      {model.isAtFailure.value && <LastPass />}
    </div>
  );
}
