import type { JSX } from "preact";
import type { Cause } from "../../../server/trace/format/cause/types.ts";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { block } from "../../ui/text.ts";
import { SYMPTOMS, sureness } from "./words.ts";

const LONGEST = 600;

interface ToldCauseProps {
  cause: Cause;
  trace: { id: string; failure_message: string | null };
}

/** Whether more is known than what failed. */
export const isExplained = ({ suspects: [first] }: Pick<Cause, "suspects">): boolean =>
  first !== undefined && !SYMPTOMS.has(first.kind);

/** Why a trace failed, away from its page: in one sentence that leads to the failed step. */
export function ToldCause({ cause, trace }: ToldCauseProps): JSX.Element {
  const first = cause.suspects[0];
  const isKnown = first !== undefined && isExplained(cause);
  const said = isKnown ? first.title : (cause.headline ?? trace.failure_message ?? "The run failed.");
  const step = cause.failed_step?.step_id;
  const href = `/traces/${trace.id}${step ? `?step=${encodeURIComponent(step)}` : ""}`;
  return (
    <>
      <p class="cause-label">
        {isKnown ? sureness(first.confidence) : "What failed"}
        {isKnown && first.is_new && (
          <span class="cause-new" title="None of the last passes has it">
            not in the last pass
          </span>
        )}
      </p>
      <p class="cause-headline">
        <a class="cause-link captured" href={href}>
          {block(inWords(said), LONGEST)}
        </a>
      </p>
      {isKnown && first.detail && <p class="cause-detail captured">{block(first.detail, LONGEST)}</p>}
      {isKnown && cause.headline && cause.headline !== first.title && (
        <p class="dim captured">{block(cause.headline, LONGEST)}</p>
      )}
    </>
  );
}
