import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { expectedAndReceived, plainText } from "../../../server/trace/format/error-text.ts";
import { ExpectedReceived, isLongValue } from "../../ui/diff.tsx";
import { CrossCircle, Network, Terminal } from "../../ui/icons.tsx";
import { block, oneLine, shortUrl } from "../../ui/text.ts";
import { LastPass } from "../compare.tsx";
import { useModel } from "../model/model.ts";

const FEW_LINES = 3;
const FEW_CHARACTERS = 160;
const ALL_CHARACTERS = 4000;

/** The message up to its call log, without the values that are shown on their own. */
export function leadOf(message: string, hasValues: boolean): string {
  const lead = message.split(/\n\s*(?:Call log:|at (?:\S+ \()?\S+:\d+)/, 1)[0] ?? "";
  if (!hasValues) return lead.trim();
  return lead
    .split("\n")
    .filter((line) => !/^\s*(Expected|Received)\b.*:/.test(line) && !/^[-+] /.test(line))
    .join("\n")
    .trim();
}

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
  const failure = model.isAtFailure.value ? model.summary.value?.failure : null;
  const step = model.step.value;
  if (!failure && step?.status !== "failed") return null;
  const message = plainText(failure?.message ?? step?.error ?? "");
  const values = failure ?? expectedAndReceived(message);
  const hasValues = values.expected !== undefined || values.received !== undefined;
  const [first = "", ...lines] = leadOf(message, hasValues)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const id = step?.step_id ?? "";
  const isOpen = openStep.value === id;
  const isLong =
    first.length > FEW_CHARACTERS ||
    lines.length > FEW_LINES ||
    lines.some((line) => line.length > FEW_CHARACTERS) ||
    isLongValue(values.expected) ||
    isLongValue(values.received);
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
        expected={values.expected}
        received={values.received}
        max={ALL_CHARACTERS}
        isShort={!isOpen}
      />
      <Suspects />
      {failure && <LastPass />}
    </div>
  );
}
