import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { lastTakenWrite } from "../../plausibility/alone-answers.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";

/** A dialog that the test waits to see closed, and that still stands there though the write which it asks for was taken. */
export function detectStillOpen(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const elements = run.page?.elements ?? [];
  if (!run.page || failed.expected !== "hidden" || failed.received !== "visible") return [];
  const [found] = foundWithin(targetOf(evidence), elements);
  const dialog = found && [found, ...aroundOf(elements, found)].find(isDialog);
  const write = dialog && takenSince(evidence);
  if (!dialog || !write) return [];
  return [
    {
      kind: "page_changed",
      title: `${stillOpen(dialog, write, evidence)}: nothing closed it`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [run.page.shot.seq, write.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.86,
    },
  ];
}

/** The dialog that stands open over a page whose write was taken, as a clause; null where there is none. */
export function openOver(evidence: Evidence): { words: string; seq: number } | null {
  const dialog = evidence.run.page?.elements.find((one) => isDialog(one) && !one.isHidden);
  const write = dialog && takenSince(evidence);
  return dialog && write ? { words: stillOpen(dialog, write, evidence), seq: write.seq } : null;
}

const stillOpen = (dialog: SeenElement, write: Exchange, { run }: Evidence): string =>
  `The dialog${dialog.name.length > 0 && dialog.name.length <= LONGEST_NAME ? ` ${quoted(dialog.name, 60)}` : ""} is still open, though ${requestOf(write, run.facts)} was answered with ${write.status}`;

/** Longer is what it says, and not how it is called. */
const LONGEST_NAME = 60;

const isDialog = ({ role, tag }: SeenElement): boolean =>
  role === "dialog" || role === "alertdialog" || tag === "dialog";

/** The write that the last action sent, if it was taken. */
function takenSince(evidence: Evidence): Exchange | undefined {
  const action = actionBefore(evidence.run.facts, evidence.failed);
  const write = lastTakenWrite(evidence);
  return action && write && write.ts >= action.ts - 50 ? write : undefined;
}
