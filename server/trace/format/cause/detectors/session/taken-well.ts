import { isRefusedBy } from "../../alone/requests/refused.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { isForeign } from "../../words.ts";

/** The last write that the page sent for its last action, where it was taken as in every pass: what goes on from there is the page's own. */
export function takenWell(evidence: Evidence): Exchange | undefined {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const action = actionBefore(facts, failed);
  if (action === null || passes.length === 0) return undefined;
  const [write] = answersBefore(
    evidence,
    1,
    (one) => one.ts >= action.ts - 5 && isTaken(one, run) && !isForeign(one.url, facts),
  );
  if (!write) return undefined;
  const isUsual = passes.every((pass) => {
    const same = ofSameTurn(write, facts, pass.facts);
    return same?.status === write.status && isTaken(same, pass);
  });
  return isUsual ? write : undefined;
}

const isTaken = (one: Exchange, run: RunEvidence): boolean =>
  one.type !== "api" && (one.status ?? 400) < 300 && isWrite(one, run) && !isRefusedBy(one, run);
