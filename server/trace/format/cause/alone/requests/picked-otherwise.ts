import { givenBefore } from "../../page/filled.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { type LastWrite, lastWrite, leafOfField, sentAnew } from "./last-write.ts";
import { holds } from "./sought.ts";

/** An option that the test picked, where the write that followed was sent with another one under the list's own name, which the page shows. */
export function detectPickedOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const last = lastWrite(evidence);
  if (!last) return [];
  for (const step of givenBefore(run.facts, last.action)) {
    const other = otherThan(step, last);
    if (!other || !isMet(evidence, other)) continue;
    const how = `${quoted(other.sent, 40)} for ${quoted(other.path, 60)}, where the test had picked ${quoted(other.picked, 40)} for ${quoted(other.label, 40)}`;
    return [{ ...sentAnew(last, run, step, how), weight: 0.92 }];
  }
  return [];
}

interface Other {
  label: string;
  picked: string;
  path: string;
  sent: string;
}

/** The one text of a write that goes by a list's label, where it is none of those that were picked there. */
function otherThan(step: Step, last: LastWrite): Other | null {
  const [picked, ...more] = step.picked ?? [];
  const named = leafOfField(last, step);
  if (picked === undefined || more.length > 0 || !named) return null;
  const { label, leaf } = named;
  return typeof leaf.value === "string" && leaf.value !== picked
    ? { label, picked, path: leaf.path, sent: leaf.value }
    : null;
}

/** Whether the test wants what was picked and met what was sent. */
const isMet = ({ failed }: Evidence, { picked, sent }: Other): boolean =>
  picked !== "" &&
  sent !== "" &&
  holds(failed.expected ?? "", picked) &&
  holds(failed.received ?? "", sent) &&
  !holds(failed.expected ?? "", sent);
