import { hiddenFromRole, hiddenScope } from "../../page/hidden-from-role.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { lostScope, told } from "../../page/wanted.ts";
import type { Evidence, Finding } from "../../types.ts";
import { changedStyle } from "../answers/release.ts";
import { viewportMove } from "./element.ts";
import { foldedAway } from "./folded.ts";
import { FOLDED, styledBy } from "./styled.ts";

/** An element that is looked for by its role in vain and stands in the page's markup: roles leave out what is not visible. */
export function detectUnseen(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const hidden = hiddenFromRole(evidence);
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (run.page === null || seq === null) return [];
  if (hidden === null) return unseenScope(evidence, seq);
  // It was looked for within something, and that is what is not there.
  if (lostScope(targetOf(evidence), run.page.elements) !== null) return [];
  const window = viewportMove(evidence);
  const { words, events = [], weight, isMoved } = reasonOf(evidence, hidden);
  return [
    {
      kind: "element_hidden",
      title: `${window}${targetOf(evidence)} is in the page's markup (${told(hidden)}), but the step could not see it: ${words}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq, ...events],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: weight ?? (window === "" || passes.length === 0 ? 0.74 : 0.86),
      ...(isMoved && { isMoved }),
      ...(window !== "" && { isOfWindow: true }),
    },
  ];
}

/** An element that is looked for within something that a style sheet hides. */
function unseenScope(evidence: Evidence, seq: number): Finding[] {
  const { failed, run, passes } = evidence;
  const scope = hiddenScope(evidence);
  const reason = scope && styleOf(evidence, scope);
  if (!scope || !reason) return [];
  return [
    {
      kind: "element_hidden",
      title: `${targetOf(evidence)} was not found, since ${told(scope)}, in which it is looked for, is in the page's markup but not to be seen: ${reason.words}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, ...(run.page ? [run.page.shot.seq] : []), ...(reason.events ?? [])],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: reason.weight ?? 0.8,
    },
  ];
}

interface Reason {
  words: string;
  events?: number[];
  weight?: number;
  isMoved?: boolean;
}

/** Why it is not seen, as far as the page, its style sheets or their changes tell. */
function reasonOf(evidence: Evidence, hidden: SeenElement): Reason {
  const folded = foldedAway(evidence, [hidden]);
  if (folded) return { ...folded, weight: FOLDED };
  return (
    styleOf(evidence, hidden) ?? {
      words:
        "it is hidden, not visible for its style or what is around it, or it is made anew again and again",
    }
  );
}

/** What a style sheet has to do with it; null where nothing tells. */
function styleOf(evidence: Evidence, hidden: SeenElement): Reason | null {
  const style = viewportMove(evidence) === "" ? changedStyle(evidence) : null;
  if (style !== null) return { words: `it is hidden; ${style}`, weight: 0.8 };
  const styled = styledBy(evidence, "unseen", hidden);
  return styled && { words: styled.words, events: styled.events };
}
