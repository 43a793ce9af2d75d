import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, NOTHING, quoted, quotedStep } from "../../words.ts";

const READS =
  /(?:^|\.)(?:count|textContent|innerText|allTextContents|allInnerTexts|inputValue|getAttribute)$/i;
const OF_PAGE = /expect\((?:locator|page)\)/;

/** A text that no page is meant to show, such as NaN, which the test expects: its own code came to that, most often by a reading that nothing awaited. */
export function detectExpectsNoValue({ run, failed }: Evidence): Finding[] {
  const want = bareOf(failed.expected ?? "");
  const { step } = failed;
  if (!step || !OF_PAGE.test(failed.message) || !(NOTHING.test(want) || PROMISE.test(want))) return [];
  const read = unawaited(run.facts.steps, failed.from);
  const how = read
    ? `: ${quotedStep(read.step)} was not awaited, ${quotedStep(read.next)} began before it was answered`
    : ", from a value that it did not have: no page is meant to show that";
  return [
    {
      kind: "test_code",
      title: `The test expects ${quoted(want, 60)}, which its own code computed${how}`,
      detail: null,
      step_id: step.step_id,
      events: read ? [read.step.seq, step.seq] : [step.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.94,
    },
  ];
}

const PROMISE = /\[object \w+\]|\bPromise\b/;

/** The last reading of the test before a moment that the test did not wait for: its next action began meanwhile. */
function unawaited(steps: readonly Step[], until: number): { step: Step; next: Step } | undefined {
  const acts = steps.filter(
    ({ kind, ts, parent }) => kind === "agent.action" && ts <= until && parent === null,
  );
  return acts
    .map((step, at) => ({ step, next: acts[at + 1] }))
    .findLast(
      (one): one is { step: Step; next: Step } =>
        READS.test(one.step.name) && one.next !== undefined && one.next.ts < one.step.end - 1,
    );
}
