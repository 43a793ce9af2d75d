import type { StackFrame } from "../../../event.ts";
import { OPENS } from "../../page/filled.ts";
import type { RunFacts, Step } from "../../run/run-facts.ts";
import { begunMeanwhile, counterpart, GESTURES, GESTURES_AND_OPENINGS } from "../../run/select.ts";
import { isLeftAlone } from "../../test-code/statements.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lapse, quotedStep } from "../../words.ts";

/** Calls of a run that are looked at, the last ones: a suite's set-up has hundreds. */
const MOST = 200;

/** A call that the test does not wait for, and that was still under way when it went on: an `await` is missing. Where passes went on as early, it is nobody's cause. */
export function detectLeftAlone({ run, passes, failed, testFiles = [] }: Evidence): Finding[] {
  const { facts, sources } = run;
  const last = failed.step?.seq ?? facts.lastSeq;
  if (!sources || last === null) return [];
  const steps = facts.steps.filter(({ seq }) => seq <= last);
  const [isAlone, mayFail] = [leftAloneIn(sources), leftAloneIn(sources, true)];
  for (const call of steps.slice(-MOST).toReversed()) {
    const at = isOfRunner(call) ? undefined : call.stack.find(isLeftBehind(call, steps) ? mayFail : isAlone);
    // What was changed since the passes is told as a change.
    if (!at || testFiles.some(({ file }) => file === at.file)) continue;
    const next = begunMeanwhile(call, steps, ({ stack }) => stack.some((frame) => isSame(frame, at)));
    if (!next || passes.some((pass) => wentOnSo(facts, call, next, pass.facts))) continue;
    return [
      {
        kind: "test_code",
        title: `The test does not wait for ${quotedStep(call)}: there is no await at ${placeOf(at)}, and ${quotedStep(next)} began ${lapse(call.end - next.ts)} before it was done`,
        detail: null,
        step_id: call.step_id,
        events: [call.seq, next.seq],
        ts: call.end,
        is_new: passes.length === 0 ? null : true,
        weight: call.seq === last || !isDeed(call) ? 0.5 : 0.82,
      },
    ];
  }
  return [];
}

/** Whether the page was opened anew while an action on it was under way that was never done: such a one is none that need not go well. */
const isLeftBehind = (call: Step, steps: readonly Step[]): boolean =>
  call.isFailed &&
  GESTURES.test(call.name) &&
  steps.some(
    (one) =>
      OPENS.test(one.name) &&
      one.page === call.page &&
      one.seq > call.seq &&
      one.ts - call.ts < AT_ONCE_MS &&
      one.ts < call.end,
  );

const AT_ONCE_MS = 500;

/** Expectations of values, which are done as soon as they are said: nobody waits for them. */
const AT_ONCE =
  /^to(?:Be(?:CloseTo|Defined|Falsy|(?:Greater|Less)Than(?:OrEqual)?|InstanceOf|NaN|Null|Truthy|Undefined)?|Contain(?:Equal)?|Equal|HaveLength|HaveProperty|Match(?:Object)?|StrictEqual|Throw(?:Error)?)\(/;

/** Asked of many steps at few places. */
function leftAloneIn(sources: ReadonlyMap<string, string>, mayFail = false): (frame: StackFrame) => boolean {
  const lines = new Map([...sources].map(([file, text]) => [file, text.split("\n")]));
  const known = new Map<string, boolean>();
  return ({ file, line, column }) => {
    const place = `${line}:${column} ${file}`;
    const own = lines.get(file) ?? [];
    const isAtOnce = AT_ONCE.test(own[line - 1]?.slice(column - 1) ?? "");
    const answer = known.get(place) ?? (!isAtOnce && isLeftAlone(own, line, column, mayFail));
    known.set(place, answer);
    return answer;
  };
}

/** What the runner calls, it waits for itself: the place of a fixture or a hook is where it is declared. */
const isOfRunner = ({ category }: Step): boolean => category === "fixture" || category === "hook";

/** Whether it does something to the page or the product. Routes and listeners are set up in time most of the time. */
const isDeed = ({ name, category, params }: Step): boolean =>
  GESTURES_AND_OPENINGS.test(name) ||
  category === "test.step" ||
  (/apiRequestContext|fetch|request/i.test(name) && params.method !== "GET");

const isSame = (one: StackFrame, other: StackFrame): boolean =>
  one.file === other.file && one.line === other.line;

/** Whether a pass began the second step before the first was done. */
function wentOnSo(run: RunFacts, call: Step, next: Step, pass: RunFacts): boolean {
  const [first, second] = [counterpart(run, call, pass), counterpart(run, next, pass)];
  return first !== null && second !== null && second.seq > first.seq && second.ts < first.end;
}

const placeOf = ({ file, line }: StackFrame): string => `${file.split(/[\\/]/).slice(-2).join("/")}:${line}`;
