import { detectEchoedOtherwise, MET } from "../../alone/answers/echoed.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";

/** A write that was answered with the value that the step met, in the place of the one that it was sent with and the test wants, as no pass is. */
export function detectKeptOtherwise(evidence: Evidence): Finding[] {
  const { passes } = evidence;
  if (passes.length === 0) return [];
  const met = detectEchoedOtherwise(evidence).filter(({ weight }) => weight >= MET);
  if (met.length === 0) return [];
  const usual = new Set(
    passes.flatMap((pass) => detectEchoedOtherwise(asFailed(pass, evidence))).map(({ about }) => about),
  );
  return met.filter(({ about }) => !usual.has(about)).map((one) => ({ ...one, is_new: true }));
}

/** A pass as if it had failed at its end. */
const asFailed = (run: RunEvidence, { failed }: Evidence): Evidence => ({
  failed: { ...failed, step: null, from: run.facts.lastTs, to: run.facts.lastTs },
  run,
  passes: [],
});
