import { givenBefore } from "../../filled.ts";
import { type Leaf, leavesOf } from "../../json-leaves.ts";
import type { Step } from "../../run-facts.ts";
import { answersBefore } from "../../select.ts";
import { requestBodyOf, SECRET, STORING } from "../../sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lastOf, wantedBy } from "../../wanted.ts";
import { isForeign, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { holds } from "./sought.ts";

const MOST = 5;

/** An option that the test picked, where the write that followed was sent with another one under the list's own name, which the page shows. */
export function detectPickedOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const [write] = answersBefore(
    evidence,
    MOST,
    (one) => STORING.has(one.method) && one.type !== "api" && !isBeside(one) && !isForeign(one.url, facts),
  ).toReversed();
  const action = write && facts.steps.findLast(({ kind, ts }) => kind === "agent.action" && ts <= write.ts);
  if (!write || !action) return [];
  const leaves = leavesOf(requestBodyOf(write, run));
  for (const step of givenBefore(facts, action)) {
    const other = otherThan(step, leaves);
    if (!other || !isMet(evidence, other)) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(write, facts)} was sent with ${quoted(other.sent, 40)} for ${quoted(other.path, 60)}, where the test had picked ${quoted(other.picked, 40)} for ${quoted(other.label, 40)}`,
        detail: null,
        step_id: step.step_id,
        events: [step.seq, write.requestSeq ?? write.seq],
        ts: write.ts,
        is_new: null,
        weight: 0.92,
        about: `body ${write.seq}`,
      },
    ];
  }
  return [];
}

interface Other {
  label: string;
  picked: string;
  path: string;
  sent: string;
}

/** The one text of a request that goes by a list's label, where it is none of those that were picked there. */
function otherThan({ picked, params }: Step, leaves: readonly Leaf[]): Other | null {
  const label = typeof params.selector === "string" ? wantedBy(lastOf(params.selector)).name : null;
  if (label === null || picked?.length !== 1) return null;
  const named = leaves.filter(({ path }) => !SECRET.test(path) && bareName(path) === bareName(label));
  const [leaf] = named;
  return leaf && named.length === 1 && typeof leaf.value === "string" && leaf.value !== picked[0]
    ? { label, picked: picked[0]!, path: leaf.path, sent: leaf.value }
    : null;
}

/** `task.dueDate`, “Due date”. */
const bareName = (path: string): string =>
  path
    .split(".")
    .at(-1)!
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();

/** Whether the test wants what was picked and met what was sent. */
const isMet = ({ failed }: Evidence, { picked, sent }: Other): boolean =>
  picked !== "" &&
  sent !== "" &&
  holds(failed.expected ?? "", picked) &&
  holds(failed.received ?? "", sent) &&
  !holds(failed.expected ?? "", sent);
