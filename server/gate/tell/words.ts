import type { GateStatus } from "../../../store/records/gate-schema.ts";
import type { CheckRun } from "../code-host/types.ts";
import { isEnded } from "../flow/transitions.ts";
import type { GateFacts } from "./facts.ts";

/** The verdict in a few words: the title of the check run and of the comment. */
export function titleOf({ gate, scenarios }: Pick<GateFacts, "gate" | "scenarios">): string {
  if (gate.decision === "approved") return "Approved";
  if (gate.decision === "rejected") return "Rejected";
  switch (gate.status) {
    case "queued":
      return "Finding out what the change concerns";
    case "waiting":
      return "Waiting for a preview of the commit";
    case "running":
      return `Running ${scenarios.length} scenario${scenarios.length === 1 ? "" : "s"}`;
    case "passed":
      return scenarios.length === 0 ? "Nothing to run" : "The gate passes";
    case "failed":
      return "The gate fails";
    case "error":
      return "The gate could not be judged";
    case "superseded":
    case "cancelled":
      return "Not judged any more";
  }
}

/** Whether there is something to decide on. */
export const isVerdict = (status: GateStatus): boolean => ["passed", "failed", "error"].includes(status);

/** The buttons of the check run: what may be decided now. Labels have 20 characters at most, descriptions 40. */
export function actionsOf({ gate }: Pick<GateFacts, "gate">): NonNullable<CheckRun["actions"]> {
  if (gate.decision !== null || !isVerdict(gate.status)) return [];
  const approve = { label: "Approve", description: "Turn this check to success", identifier: "approve" };
  const reject = { label: "Reject", description: "Turn this check to failure", identifier: "reject" };
  return gate.status === "passed" ? [reject] : [approve, reject];
}

/**
 * What the code host is told. `neutral` and `skipped` count as passing there, so nothing of ours that broke is ever that; what people
 * decided outweighs the verdict.
 */
export function conclusionOf({
  gate,
  scenarios,
}: Pick<GateFacts, "gate" | "scenarios">): Pick<CheckRun, "status" | "conclusion"> {
  if (gate.decision !== null)
    return { status: "completed", conclusion: gate.decision === "approved" ? "success" : "failure" };
  if (!isEnded(gate.status)) return { status: gate.status === "queued" ? "queued" : "in_progress" };
  const found = scenarios.flatMap(({ finding }) => finding ?? []);
  switch (gate.status) {
    case "passed":
      return { status: "completed", conclusion: "success" };
    case "error": {
      const broken = found.filter(({ outcome }) => outcome === "error");
      const isSlow = broken.length > 0 && broken.every(({ error_reason }) => error_reason === "timeout");
      return { status: "completed", conclusion: isSlow ? "timed_out" : "failure" };
    }
    case "failed": {
      // Somebody who may has to look at what code of strangers needs.
      const isWithheld = scenarios.some(({ withheld }) => withheld) && !found.some(({ blocks }) => blocks);
      return { status: "completed", conclusion: isWithheld ? "action_required" : "failure" };
    }
    default:
      return { status: "completed", conclusion: "cancelled" };
  }
}
