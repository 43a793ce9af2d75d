import { saidIn } from "../../exchanges/said-in.ts";
import { givenIn, SECRET } from "../../exchanges/sent.ts";
import { isFill, pickedBy } from "../../page/field-values.ts";
import { givenBefore } from "../../page/filled.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";
import { isOwnWrite } from "./empty-write.ts";
import { holds } from "./sought.ts";

/** How servers say that they were given nothing. */
const LACKS =
  /\b(?:null|undefined|required|missing|blank|empty|unknown|(?:choose|select|pick|enter|give|provide|must)\b)/i;

/** A write that was refused since it came without one of the fields that the test had set, all others being in it. */
export function detectFieldLeftOut(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const write = facts.exchanges.findLast(
    (one) => one.ts <= failed.to && isOwnWrite(one, run) && one.type !== "api",
  );
  const action = write && facts.steps.findLast(({ kind, ts }) => kind === "agent.action" && ts <= write.ts);
  if (!write || !action || !isRefusedAsWritten(write)) return [];
  const said = saidIn(bodyOf(write, run.bodies)) ?? "";
  const sent = leavesOf(givenIn(write, run));
  const given = givenBefore(facts, action).flatMap((step) => {
    const label = labelOf(step);
    return label === null || SECRET.test(label) || valuesOf(step).length === 0 ? [] : [{ step, label }];
  });
  const [left, ...more] = given.filter(({ step, label }) => !isIn(sent, step, label));
  if (!left || more.length > 0 || given.length < 2 || sent.length === 0 || !LACKS.test(said)) return [];
  return [
    {
      kind: "page_changed",
      title: `${requestOf(write, facts)} was sent without what the test had given ${quoted(left.label, 60)} (${quoted(valuesOf(left.step)[0]!, 60)}), and was answered with ${write.status}: ${said}`,
      detail: null,
      step_id: left.step.step_id,
      events: [left.step.seq, write.requestSeq ?? write.seq],
      ts: write.ts,
      is_new: null,
      weight: 0.97,
      about: `body ${write.seq}`,
    },
  ];
}

const isRefusedAsWritten = ({ status }: Exchange): boolean => status === 400 || status === 422;

const labelOf = ({ params }: Step): string | null =>
  typeof params.selector === "string" ? wantedBy(lastPartOf(params.selector)).name : null;

const valuesOf = (step: Step): string[] =>
  isFill(step) ? [String(step.params.value)] : [...pickedBy(step), ...(step.picked ?? [])];

/** Whether a write has a value, or goes by a word of its field: what was picked may be sent as an id. */
function isIn(sent: readonly Leaf[], step: Step, label: string): boolean {
  const spoken = topicsOf(label);
  return sent.some(
    ({ path, value }) =>
      valuesOf(step).some((given) => holds(String(value), given) || holds(given, String(value))) ||
      topicsOf(path.split(".").at(-1)!).some((word) => spoken.includes(word)),
  );
}
