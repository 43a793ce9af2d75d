import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ExpectedReceived } from "../../ui/diff.tsx";
import { CrossCircle } from "../../ui/icons.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { CauseBox } from "../cause/cause-box.tsx";
import { LastPass } from "../compare.tsx";
import { TraceFix } from "../fix.tsx";
import { FEW_CHARACTERS, FEW_LINES, failureText } from "../model/failure-text.ts";
import { useModel } from "../model/model.ts";

const ALL_CHARACTERS = 4000;

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
      {model.isAtFailure.value && <CauseBox />}
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
      {text.logLine && <p class="failure-log mono captured">{block(text.logLine, ALL_CHARACTERS)}</p>}
      {model.isAtFailure.value && <LastPass />}
      {model.isAtFailure.value && <TraceFix />}
    </div>
  );
}
