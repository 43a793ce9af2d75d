import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { formatAgo, formatWall } from "../../ui/format.ts";
import { CheckCircle, ChevronDown, ChevronRight } from "../../ui/icons.tsx";
import { useNow } from "../../ui/use-now.ts";
import type { Scenario } from "../runs/api.ts";
import type { Step } from "./api.ts";

/** What every step is given. */
export interface StepProps {
  /** The one that it is all about; null while there is none. */
  scenario: Scenario | null;
  isDone: boolean;
  onChanged: () => void;
}

/** A step's line, which opens what is to be done. */
export function StepRow({
  step,
  index,
  isOpen,
  onToggle,
  children,
}: {
  step: Step;
  index: number;
  isOpen: boolean;
  onToggle: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const now = useNow(false);
  const id = useId();
  return (
    <li class={`start-step${step.done ? " is-done" : ""}`}>
      <h2>
        <button
          type="button"
          class="start-step-head"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
        >
          {step.done ? (
            <CheckCircle class="is-passed" label="Done" />
          ) : (
            <span class="start-number num">{index + 1}</span>
          )}
          <span class="start-title">{step.title}</span>
          {step.at !== null && (
            <time class="dim" dateTime={step.at} title={formatWall(step.at)}>
              {formatAgo(step.at, now)}
            </time>
          )}
          {isOpen ? <ChevronDown /> : <ChevronRight />}
        </button>
      </h2>
      <div id={id} class="start-body" hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  );
}

/** A step that is about a scenario waits for one. */
export function NoScenario(): JSX.Element {
  return <p class="dim">It comes after the first step: there is no scenario yet.</p>;
}
