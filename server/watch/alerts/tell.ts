import type { Ledger } from "./ledger.ts";
import type { Incident, NoticeEvent } from "./state.ts";

/** From so many regions on, an outage of all may still be told as one. */
export const OUTAGE_REGIONS = 3;
/** How far apart the regions of one outage begin to fail, in ms. */
export const OUTAGE_MS = 60_000;

/** When things are told: epoch ms. */
export interface Telling {
  now: number;
  /** How many regions the check has. */
  regions: number;
  /** The end of the maintenance that is going on. */
  quietUntil: number | null;
  /** Ids of the channels that are to be told; null for all that are enabled. */
  channels: readonly string[] | null;
}

/** How long the first notice of an incident waits for others that belong to it, in ms (decisions, section 7). */
export const groupingOf = (regions: number): number => (regions >= OUTAGE_REGIONS ? OUTAGE_MS : 30_000);

/** What the opening of an incident is told as: a drift that nothing else came to has an event of its own. */
export const openingOf = ({ rules }: Pick<Incident, "rules">): NoticeEvent =>
  rules.every((rule) => rule === "shadow_diff") ? "shadow_diff.detected" : "incident.opened";

/**
 * Has an open incident told, unless that was done or is on its way: when it opens, and when it still fails though what was to be told
 * of it was taken back.
 * @param dueAt instead of the end of the grouping window
 */
export function tellOpened(ledger: Ledger, incident: Incident, telling: Telling, dueAt?: number): void {
  const event = openingOf(incident);
  if (incident.status !== "open" || incident.parentId !== null || ledger.told(incident, event).length > 0)
    return;
  tell(ledger, incident, event, telling, dueAt ?? telling.now + groupingOf(telling.regions));
}

/**
 * Has an open incident that was told, or is to be, told over those channels as well that were not meant then: another check of its
 * scenario opened it, or somebody has named others since.
 */
export function tellOthers(ledger: Ledger, incident: Incident, telling: Telling): void {
  const event = openingOf(incident);
  const told = ledger.told(incident, event);
  if (incident.status !== "open" || incident.parentId !== null || told.length === 0) return;
  if (told.some(({ channels }) => channels === null)) return;
  const known = new Set(told.flatMap(({ channels }) => channels ?? []));
  const channels = telling.channels?.filter((id) => !known.has(id)) ?? null;
  if (channels?.length === 0) return;
  tell(ledger, incident, event, { ...telling, channels }, telling.now + groupingOf(telling.regions));
}

/** Has an incident told once more that begins to fail. What waits to be told says how it is then. */
export function tellFailing(ledger: Ledger, incident: Incident, telling: Telling): void {
  const event = openingOf(incident);
  if (incident.parentId !== null || ledger.told(incident, event).some(({ isHandedOn }) => !isHandedOn))
    return;
  tell(ledger, incident, event, telling, telling.now + groupingOf(telling.regions));
}

/** Has an incident told again whose suppression ran out while it fails. */
export function tellReopened(ledger: Ledger, incident: Incident, telling: Telling): void {
  tell(ledger, incident, openingOf(incident), telling, telling.now + groupingOf(telling.regions));
}

/** Has an incident told again as what it was told as first, though nothing new has happened. */
export function tellAgain(ledger: Ledger, incident: Incident, telling: Telling): void {
  // An incident that is told is written down with its notice.
  ledger.change(incident, {});
  tell(ledger, incident, openingOf(incident), telling, telling.now);
}

/** Takes back what nobody knows yet; those who were told that it opened are told that it has ended. */
export function tellResolved(ledger: Ledger, incident: Incident, telling: Telling): void {
  ledger.withdraw(incident, "It ended before anybody was told.");
  const event = "incident.resolved";
  if (ledger.told(incident, "incident.opened").length > 0) {
    tell(ledger, incident, event, telling, telling.now);
    return;
  }
  const superseded = "Nobody was told that it opened.";
  const { now: dueAt, channels } = telling;
  ledger.tell(incident, { event, channels, dueAt, reason: "It ended.", superseded });
}

function tell(
  ledger: Ledger,
  incident: Incident,
  event: NoticeEvent,
  { now, quietUntil, ...telling }: Telling,
  dueAt: number,
): void {
  // Drift goes to every channel that is on (decisions, section 7).
  const channels = event === "shadow_diff.detected" ? null : telling.channels;
  if (quietUntil !== null && quietUntil > dueAt) {
    const reason = "Maintenance is going on: it is told when that ends, if it is still so.";
    ledger.tell(incident, { event, channels, dueAt: quietUntil, reason });
    return;
  }
  const waits = Math.round((dueAt - now) / 1000);
  const reason = waits > 0 ? `Due after ${waits} s, in which what belongs to it may join.` : "Due at once.";
  ledger.tell(incident, { event, channels, dueAt, reason });
}
