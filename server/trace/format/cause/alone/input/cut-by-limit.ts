import { isFailedExchange } from "../../detectors/requests/requests.ts";
import { enteredBefore, fieldOf } from "../../filled.ts";
import { actionBefore } from "../../select.ts";
import { isWrite } from "../../sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { nameOf } from "../../written.ts";
import { textOf } from "../requests/unsaid.ts";

/** A field that took only the beginning of what it was given, for its own maxlength, where a write was refused since or the test looks for the whole. */
export function detectCutByLimit(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const action = actionBefore(facts, failed);
  if (!page || !action) return [];
  for (const step of enteredBefore(facts, action)) {
    const field = fieldOf(step, page.elements);
    const [given, held] = [textOf(step), field?.attributes.value ?? ""];
    const limit = field?.attributes.maxlength;
    if (!field || given === null || held === "" || limit !== String(held.length)) continue;
    const isCut = given.length > held.length && given.startsWith(held);
    const isRefused = facts.exchanges.some(
      (one) => one.ts > step.ts && one.ts <= failed.to && isWrite(one, run) && isFailedExchange(one),
    );
    if (!isCut || !(isRefused || failed.expected?.includes(given))) continue;
    return [
      {
        kind: "page_changed",
        title: `The field ${quoted(nameOf(field), 60)} took only ${quoted(held, 60)} of ${quoted(given, 60)}, which the test gave it: it has maxlength="${limit}"`,
        detail: null,
        step_id: step.step_id,
        events: [step.seq, page.shot.seq],
        ts: failed.from,
        is_new: null,
        weight: 0.95,
        about: `maxlength ${nameOf(field)}`,
      },
    ];
  }
  return [];
}
