import { wrongOf } from "../../detectors/elements/wrong.ts";
import { isAskedBy, isSame } from "../../detectors/page/idle.ts";
import { isRead } from "../../exchanges/sent.ts";
import { knownActs } from "../../page/acts.ts";
import { writtenIn } from "../../page/field-values.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quotedStep } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { FINDS, TYPES } from "../requests/search.ts";
import { textOf } from "../requests/unsaid.ts";

const PICKS_ONE = /(?:^|\.)selectOption$/;
const AT_ONCE_MS = 5;

/** An option that was picked, or a search that was typed, after which a page that reads its data asked for nothing and shows what it had shown: what the test looks at elsewhere is as before. */
export function detectGivenInVain(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const action = actionBefore(facts, failed);
  const wrong = wrongOf(evidence);
  if (!action || !run.page || !wrong?.isRead || failed.received === null) return [];
  const isSearch = TYPES.test(action.name) && FINDS.test(action.title.replace(textOf(action) ?? "", ""));
  if (!isSearch && !PICKS_ONE.test(action.name)) return [];
  // What the field itself holds tells of the field.
  if (action.title.endsWith(` ${targetOf(evidence)}`)) return [];
  const met = knownActs(evidence).findLast(({ step }) => step.seq === action.seq)?.met;
  if (!met || run.page.shot.ts < action.end || !isSame(met.elements, run.page.elements)) return [];
  // What is picked may fill in another field.
  if (filledSince(met.elements, run.page.elements) > (isSearch ? 1 : 0)) return [];
  const isData = (type: string | null) => /^(?:xhr|fetch)$/.test(type ?? "");
  // What is searched for may be asked of the server that renders the page.
  const reads =
    isSearch ||
    facts.exchanges.some(
      (one) => one.ts < action.ts && isData(one.type) && isRead(one, run) && !isBeside(one),
    );
  const hasAsked = facts.exchanges.some(
    (one) =>
      one.ts >= action.ts - AT_ONCE_MS &&
      one.ts <= failed.to &&
      !isBeside(one) &&
      isAskedBy(action, one, facts),
  );
  if (!reads || hasAsked) return [];
  return [
    {
      kind: "request_unsent",
      title: `No request was sent after ${quotedStep(action)}, and the page stayed as it was: ${isSearch ? "it did not search" : "nothing was done with what was picked"}, or not yet`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.66,
      about: `idle ${action.title}`,
    },
  ];
}

/** How many fields hold something else than before. */
function filledSince(before: readonly SeenElement[], now: readonly SeenElement[]): number {
  const [had, has] = [before, now].map((elements) => elements.flatMap((one) => writtenIn(one) ?? []));
  return has!.filter((value, at) => value !== had![at]).length;
}
