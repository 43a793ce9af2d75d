import type { AlertPolicy } from "../policy.ts";
import { createLedger } from "./ledger.ts";
import type { AlertState, Changes, Incident, Notice } from "./state.ts";
import { openingOf, type Telling, tellAgain } from "./tell.ts";

/** How often an incident is told again at most. */
const MOST_REMINDERS = 24;

/**
 * When an incident is to be told again: so many minutes after it was told last, by the clock. Null while nobody is to be reminded of it: it
 * is not open, it was not told yet, something is on its way, or it was told often enough.
 * @returns epoch ms, may lie in the past
 */
export function reminderAt(
  incident: Pick<Incident, "id" | "status" | "parentId" | "rules">,
  notices: readonly Notice[],
  { remind_minutes }: Pick<AlertPolicy, "remind_minutes">,
): number | null {
  if (remind_minutes === undefined || incident.status !== "open" || incident.parentId !== null) return null;
  const event = openingOf(incident);
  const told = notices.filter(
    (notice) => notice.incidentId === incident.id && notice.event === event && notice.superseded === null,
  );
  if (told.length === 0 || told.length > MOST_REMINDERS || told.some(({ isHandedOn }) => !isHandedOn))
    return null;
  return Math.max(...told.map(({ dueAt }) => dueAt)) + remind_minutes * 60_000;
}

/** Has an incident told again when its time has come. What it is told as is what it was told as first. */
export function remind(
  state: AlertState,
  id: string,
  { policy, newId, ...telling }: { policy: AlertPolicy; newId(): string } & Telling,
): Changes {
  const ledger = createLedger(state, newId);
  const incident = ledger.find(id);
  const at = incident && reminderAt(incident, state.notices, policy);
  if (!incident || at === null || at > telling.now) return ledger.changes();
  tellAgain(ledger, incident, telling);
  return ledger.changes();
}
