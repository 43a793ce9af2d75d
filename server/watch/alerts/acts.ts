import { createLedger } from "./ledger.ts";
import type { AlertState, Changes, IncidentStatus } from "./state.ts";
import { openingOf } from "./tell.ts";

/** What a person does to an incident. Times are epoch ms. */
export type Act =
  | { kind: "acknowledge"; actor: string; at: number }
  | { kind: "suppress"; actor: string; at: number; until: number; reason: string };

/** What a person may do to an incident of each status (decisions, section 7); what would change nothing is left out. */
const ALLOWED: Record<IncidentStatus, readonly Act["kind"][]> = {
  open: ["acknowledge", "suppress"],
  acknowledged: ["suppress"],
  suppressed: ["suppress"],
  resolved: [],
};

/** An act that the incident's status does not allow. */
export interface Refusal {
  refused: true;
  allowed: readonly Act["kind"][];
}

/**
 * Carries out what a person does. Acknowledging twice changes nothing; suppressing again replaces the end and the reason.
 * What was to be told of an incident that is suppressed is taken back.
 */
export function act(state: AlertState, id: string, wanted: Act): Changes | Refusal {
  const ledger = createLedger(state, () => "");
  const incident = ledger.find(id);
  if (!incident) return { refused: true, allowed: [] };
  const { status } = incident;
  if (wanted.kind === "acknowledge" && status === "acknowledged") return ledger.changes();
  if (!ALLOWED[status].includes(wanted.kind)) return { refused: true, allowed: ALLOWED[status] };
  const { actor, at } = wanted;
  if (wanted.kind === "acknowledge") {
    ledger.change(incident, { status: "acknowledged", acknowledgedAt: at, acknowledgedBy: actor });
    ledger.note(incident, { at, kind: "acknowledged", actor, text: "Somebody looks at it." });
    // What waits besides is a reminder.
    if (ledger.told(incident, openingOf(incident)).some(({ isHandedOn }) => isHandedOn))
      ledger.withdraw(incident, "Somebody looks at it.");
    return ledger.changes();
  }
  const { until, reason } = wanted;
  ledger.change(incident, { status: "suppressed", suppressedUntil: until, suppressReason: reason });
  ledger.note(incident, { at, kind: "suppressed", actor, text: reason });
  ledger.withdraw(incident, `It was suppressed before anybody was told: ${reason}`);
  return ledger.changes();
}
