import type { JSX } from "preact";
import { expectedAndReceived, plainText } from "../../../server/trace/format/error-text.ts";
import { ExpectedReceived } from "../../ui/diff.tsx";
import { CrossCircle, Network, Terminal } from "../../ui/icons.tsx";
import { block, oneLine, shortUrl } from "../../ui/text.ts";
import { LastPass } from "../compare.tsx";
import { useModel } from "../model/model.ts";
import { Narrative } from "../panels/narrative.tsx";

const MAX_LINES = 6;

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

/** Why the shown step failed, in few lines; the Error panel has the rest. */
export function FailureBox(): JSX.Element | null {
  const model = useModel();
  const failure = model.isAtFailure.value ? model.summary.value?.failure : null;
  const step = model.step.value;
  if (!failure && step?.status !== "failed") return null;
  const message = plainText(failure?.message ?? step?.error ?? "");
  const values = failure ?? expectedAndReceived(message);
  const hasValues = values.expected !== undefined || values.received !== undefined;
  const [first = "", ...lines] = leadOf(message, hasValues)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const isCut = lines.length >= MAX_LINES || message.length > 1200;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message scrolls, also without a pointer
    <div class="failure" role="group" aria-label="Failure" tabIndex={0}>
      <div class="failure-head">
        <CrossCircle class="is-failed" label="Failed" />
        <p class="failure-text captured">{block(first || "Failed", 600)}</p>
      </div>
      {lines.length > 0 && <pre class="captured">{block(lines.slice(0, MAX_LINES).join("\n"), 1200)}</pre>}
      <ExpectedReceived expected={values.expected} received={values.received} max={600} />
      {isCut && (
        <button type="button" class="link-button" onClick={() => model.selectTab("error")}>
          Whole message
        </button>
      )}
      <Suspects />
      {failure && <Narrative />}
      {failure && <LastPass />}
    </div>
  );
}
