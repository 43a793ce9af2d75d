import { isRead, requestBodyOf } from "../../exchanges/sent.ts";
import { isFill, pickedBy } from "../../page/field-values.ts";
import { openedAfter } from "../../page/filled.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { answersBefore, GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { isOwnWrite } from "./empty-write.ts";
import { holds } from "./sought.ts";
import { saidIn } from "./unsaid.ts";

const MOST_ANSWERS = 30;

/** A field that the test set to what it looks for there, and that no request told of before the page was opened anew and read the old value. */
export function detectSetUnsent(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [bareOf(failed.expected ?? ""), bareOf(failed.received ?? "")];
  if (want === "" || got === "" || want === got) return [];
  const target = targetOf(evidence);
  const set = run.facts.steps.findLast(
    (step) => step.end <= failed.from && valuesOf(step).length > 0 && step.title.endsWith(` ${target}`),
  );
  const opened = set && openedAfter(run.facts, set);
  const values = set ? valuesOf(set) : [];
  if (!set || !opened || opened.ts > failed.from || !values.some((value) => isSame(value, want))) return [];
  const writes = run.facts.exchanges.filter(
    (one) => one.ts >= set.ts && one.ts <= opened.ts && isOwnWrite(one, run),
  );
  // A text is most often sent by a button, and what that sends without it says more.
  if (isFill(set) && writes.length > 0) return [];
  // A form that sends what it had before tells more by that.
  if (writes.some((one) => hasValue(requestBodyOf(one, run), got))) return [];
  // What is sent at once may say the value in a form of its own.
  const next = nextAfter(evidence, set)?.ts ?? opened.ts;
  if (writes.some((one) => one.ts < next || values.some((value) => holds(saidIn(evidence, one), value))))
    return [];
  const read = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) => one.ts >= opened.ts && isReadByPage(one, run),
  ).find((one) =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).some(({ value }) => isSame(String(value), got)),
  );
  if (!read) return [];
  return [
    {
      kind: "request_unsent",
      title: `${quotedStep(set)} sent no request, and none since had ${quoted(want, 60)} in it: after ${quotedStep(opened)} ${requestOf(read, run.facts)} answered with ${quoted(got, 60)} as before`,
      detail: null,
      step_id: set.step_id,
      events: [set.seq, opened.seq, read.seq],
      ts: set.end,
      is_new: null,
      weight: 0.92,
      about: `unsent ${target}`,
    },
  ];
}

/** What an action gave a field. */
const valuesOf = (step: Step): string[] =>
  isFill(step) ? [String(step.params.value)] : [...(step.picked ?? []), ...pickedBy(step)];

const hasValue = (said: unknown, text: string): boolean =>
  leavesOf(said).some(({ value }) => isSame(String(value), text));

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isReadByPage = (one: Exchange, run: RunEvidence): boolean =>
  isRead(one, run) && /^(?:xhr|fetch)$/.test(one.type ?? "");

const nextAfter = ({ run }: Evidence, { seq }: Step): Step | undefined =>
  run.facts.steps.find(
    (one) => one.seq > seq && one.kind === "agent.action" && GESTURES_AND_OPENINGS.test(one.name),
  );
