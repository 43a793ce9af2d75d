import type { Attempt } from "../attempt.ts";
import type { Evidence, Finding } from "../types.ts";
import { RULES } from "./rules.ts";
import { sceneOf } from "./scene.ts";

/**
 * Weighs findings by what else was found: an echo less, what it is an echo of more, and what belongs together is told as one.
 * What passes have as well is only counted, whatever it weighs.
 */
export function withPlausibility(
  findings: readonly Finding[],
  evidence: Evidence,
  attempt: Attempt,
): Finding[] {
  const scene = sceneOf(findings, evidence);
  // Every rule judges what was found, not what the rules before it made of it.
  const judged = (finding: Finding) =>
    RULES.reduce((told, rule) => attempt(() => rule(finding, scene)?.(told) ?? told, told), finding);
  return findings.map((finding) => (finding.is_new === false ? finding : judged(finding)));
}
