import { targetOf } from "../../page/target.ts";
import { answersBefore, GESTURES } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, quotedStep, requestOf } from "../../words.ts";

const MOST = 20;

/** A page that shows the thing that a gesture removed, where the server answered with the one that the test wants: it took another one out of its own list. */
export function detectRemovedOther(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  if (want === "" || got === "" || want === got) return [];
  const [removal] = answersBefore(evidence, MOST, ({ method }) => method === "DELETE").slice(-1);
  if (!removal) return [];
  const gesture = run.facts.steps.findLast(
    ({ kind, name, ts }) => kind === "agent.action" && GESTURES.test(name) && ts <= removal.ts,
  );
  const left = leavesOf(jsonOf(bodyOf(removal, run.bodies) ?? "")).map(({ value }) => value);
  if (
    !gesture?.title.includes(got) ||
    gesture.title.includes(want) ||
    !left.includes(want) ||
    left.includes(got)
  )
    return [];
  return [
    {
      kind: "page_changed",
      title: `${targetOf(evidence)} shows ${quoted(got, 60)}, which ${quotedStep(gesture)} removed: ${requestOf(removal, run.facts)} answered with ${quoted(want, 60)}, and the page took the wrong one out of its own list`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [...(failed.step ? [failed.step.seq] : []), gesture.seq, removal.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.86 : 0.92,
      about: `kept ${removal.seq}`,
    },
  ];
}
