import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Cause, Suspect } from "../../../server/trace/format/cause/types.ts";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { plural } from "../../ui/format.ts";
import { block } from "../../ui/text.ts";
import { useModel } from "../model/model.ts";
import { goToSuspect } from "./go.ts";
import { SYMPTOMS, sureness } from "./words.ts";

const NEXT = 2;
/** Of a next suspect: below it stands what is hardly ever the cause, such as a font that is missing. */
const LEAST = 0.3;
const LONGEST = 600;

function NewMark({ suspect }: { suspect: Suspect }): JSX.Element | null {
  if (!suspect.is_new) return null;
  return (
    <span class="cause-new" title="None of the last passes has it">
      not in the last pass
    </span>
  );
}

function NextSuspect({ suspect }: { suspect: Suspect }): JSX.Element {
  const model = useModel();
  return (
    <li class="cause-next">
      <button type="button" class="cause-link" onClick={() => goToSuspect(model, suspect)}>
        <span class="captured">{block(inWords(suspect.title), LONGEST)}</span>
      </button>{" "}
      <NewMark suspect={suspect} />
    </li>
  );
}

/** What went wrong here, and goes wrong when the scenario passes too: folded, for it is no reason. */
function AlsoWhenPassing({ cause }: { cause: Cause }): JSX.Element | null {
  const isOpen = useSignal(false);
  const { also_when_passing: also } = cause;
  if (also.length === 0) return null;
  return (
    <div class="cause-also">
      <button
        type="button"
        class="link-button"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        Also there when it passes: {plural(also.length, "thing")}
      </button>
      {isOpen.value && (
        <ul class="dim">
          {also.map(({ title, count }, index) => (
            <li key={index} class="captured">
              {block(title, LONGEST)}
              {count > 1 && <span class="num"> × {count}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Why the trace failed, in full: the first suspect, the next two that may well be it, and what is no suspect. */
export function CauseBox(): JSX.Element | null {
  const model = useModel();
  const cause = model.cause.value;
  const first = cause?.suspects[0];
  if (!cause || !first) return null;
  const isSymptom = SYMPTOMS.has(first.kind);
  const next = cause.suspects
    .slice(1)
    .filter(({ kind, confidence }) => !SYMPTOMS.has(kind) && confidence >= LEAST)
    .slice(0, NEXT);
  if (isSymptom && next.length === 0 && cause.also_when_passing.length === 0) return null;
  return (
    <section class="cause" aria-label="Cause">
      <div class="cause-label">
        {!isSymptom && (
          <>
            <span>{sureness(first.confidence)}</span> <NewMark suspect={first} />
          </>
        )}
        <AlsoWhenPassing cause={cause} />
      </div>
      {!isSymptom && (
        <>
          <p class="cause-headline">
            <button type="button" class="cause-link" onClick={() => goToSuspect(model, first)}>
              <span class="captured">{block(inWords(first.title), LONGEST)}</span>
            </button>
          </p>
          {first.detail && <p class="cause-detail captured">{block(first.detail, LONGEST)}</p>}
        </>
      )}
      {next.length > 0 && (
        <ol
          class="cause-others"
          aria-label={isSymptom ? "Perhaps" : "Next suspects"}
          start={isSymptom ? 1 : 2}
        >
          {next.map((suspect) => (
            <NextSuspect key={suspect.rank} suspect={suspect} />
          ))}
        </ol>
      )}
    </section>
  );
}
