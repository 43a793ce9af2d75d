import type { SeenElement } from "../../page/page-view.ts";
import { isSameText } from "../../page/shown-by.ts";
import { told, wantedOn } from "../../page/wanted.ts";
import type { Evidence, Finding } from "../../types.ts";
import { changedScript } from "../answers/release.ts";

const ASKS = /\btoBe(?:Disabled|Enabled)\b/;

const isDisabled = ({ attributes }: SeenElement): boolean =>
  "disabled" in attributes || attributes["aria-disabled"] === "true";

/** An element that says the same as in every pass and can be used where it cannot there, or the other way round: so another script has it. */
export function detectOtherState(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const isAsked = ASKS.test(`${failed.step?.name ?? ""} ${failed.title}`);
  const script = isAsked && run.page && passes.length > 0 ? changedScript(evidence) : null;
  if (!script || failed.step?.kind !== "assertion") return [];
  const [now, ...usual] = [run, ...passes].map(({ page }) => {
    const [one, ...others] = wantedOn(evidence, page?.elements ?? []);
    return one && others.length === 0 ? one : undefined;
  });
  if (!now) return [];
  const isSo = isDisabled(now);
  if (!usual.every((one) => one && isSameText(one.name, now.name) && isDisabled(one) !== isSo)) return [];
  const [mine, theirs] = isSo ? ["disabled", "enabled"] : ["enabled", "disabled"];
  return [
    {
      kind: "page_changed",
      title: `${told(now).replace(/^an? /, "The ")} is ${mine}, although it says the same as in the last pass, where it is ${theirs}; ${script.words}`,
      detail: null,
      step_id: failed.step.step_id,
      events: [failed.step.seq, run.page!.shot.seq, script.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.84,
      about: `state ${failed.step.seq}`,
    },
  ];
}
