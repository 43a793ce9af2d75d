import { type Signal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { formatDuration } from "../../ui/format.ts";
import { ChevronDown, ChevronRight } from "../../ui/icons.tsx";
import { oneLine } from "../../ui/text.ts";
import type { TestOfRun } from "./api.ts";
import type { FileGroup } from "./narrow-tests.ts";
import { OUTCOMES, outcomeTone, outcomeWord } from "./signs.tsx";
import { TestRow } from "./test-row.tsx";

function Counts({ tests }: { tests: readonly TestOfRun[] }): JSX.Element {
  return (
    <span class="file-counts">
      {OUTCOMES.map((outcome) => {
        const count = tests.filter((test) => test.outcome === outcome).length;
        return (
          count > 0 && (
            <span key={outcome} class={outcomeTone(outcome)}>
              {count} {outcomeWord(outcome)}
            </span>
          )
        );
      })}
    </span>
  );
}

/** The tests of one file under its name, which opens and closes them. */
export function FileTests(props: {
  group: FileGroup;
  isOpen: boolean;
  onToggle: () => void;
  /** The test that the keys have chosen. */
  chosen: Signal<string | null>;
}): JSX.Element {
  const { group, isOpen } = props;
  const chosen = useComputed(() => props.chosen.value).value;
  const time = group.tests.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return (
    <section class="file-tests" aria-label={oneLine(group.file, 200)}>
      <h3>
        <button type="button" class="file-head" aria-expanded={isOpen} onClick={props.onToggle}>
          {isOpen ? <ChevronDown /> : <ChevronRight />}
          <span class="mono captured ellipsis">{oneLine(group.file, 300)}</span>
          <Counts tests={group.tests} />
          <span class="num dim">{formatDuration(time)}</span>
        </button>
      </h3>
      {isOpen && (
        <ul>
          {group.tests.map((test) => (
            <TestRow key={test.id} test={test} isActive={test.id === chosen} />
          ))}
        </ul>
      )}
    </section>
  );
}
