import type { Ledger } from "./ledger.ts";
import { GLOBAL, type Incident, type Result } from "./state.ts";
import { OUTAGE_MS, OUTAGE_REGIONS, type Telling, tellOpened, tellResolved } from "./tell.ts";

const isOutage = ({ type }: Incident): boolean => type === "global_outage";

/** Runs of it fail, rather than being slow or finding drift. */
type Failing = Incident & { failingAt: number };
const isFailing = (incident: Incident): incident is Failing => incident.failingAt !== null;

/**
 * Joins an incident that has just begun to fail to the outage that it is part of: one that is going on, or one that begins since three
 * regions began to fail at most a minute apart.
 */
export function joinOutage(
  ledger: Ledger,
  opened: Incident,
  result: Result,
  telling: Telling,
  id: string,
): void {
  if (!isFailing(opened)) return;
  const running = ledger.incidents().find(isOutage);
  if (running) {
    adopt(ledger, running, opened, opened.failingAt);
    return;
  }
  const together = failingTogether(ledger.incidents(), opened);
  if (together.length < OUTAGE_REGIONS) return;
  const at = Math.max(...together.map(({ failingAt }) => failingAt));
  const parent: Incident = {
    ...opened,
    ...{ id, region: GLOBAL, type: "global_outage", status: "open", severity: "critical" },
    ...{ rules: ["global_outage"], openedAt: at, failingAt: at, parentId: null },
    ...{ lastRunId: result.runId, signature: result.signature, traceId: result.traceId },
  };
  ledger.open(parent);
  const regions = together.map(({ region }) => region).sort();
  ledger.note(parent, {
    ...{ at, kind: "opened", runId: result.runId, samples: together.map(({ lastRunId }) => lastRunId) },
    text: `${regions.join(", ")} began to fail within ${OUTAGE_MS / 1000} s of each other.`,
  });
  const waiting = together.flatMap((child) => adopt(ledger, parent, child, at));
  // Whoever waits has waited long enough when the first of them was to be told.
  const first = Math.min(...waiting.map(({ dueAt }) => dueAt));
  tellOpened(ledger, parent, telling, Number.isFinite(first) ? Math.max(telling.now, first) : telling.now);
}

/** Incidents without an outage that began to fail at most a minute apart, the newest among them: as many as there are. */
function failingTogether(incidents: Incident[], newest: Failing): Failing[] {
  const alone = incidents
    .filter((one) => !isOutage(one) && one.parentId === null)
    .filter(isFailing)
    .sort((a, b) => a.failingAt - b.failingAt);
  const windows = alone.map((first) =>
    alone.filter(({ failingAt }) => failingAt >= first.failingAt && failingAt - first.failingAt <= OUTAGE_MS),
  );
  const withNewest = windows.filter((window) => window.includes(newest));
  return withNewest.reduce((most, window) => (window.length > most.length ? window : most), []);
}

function adopt(ledger: Ledger, parent: Incident, child: Incident, at: number) {
  const reason = child.suppressReason ?? GLOBAL_REASON;
  ledger.change(child, { parentId: parent.id, status: "suppressed", suppressReason: reason });
  ledger.note(child, { at, kind: "collapsed", text: "It is part of an outage of several regions." });
  ledger.note(parent, { at, kind: "joined", runId: child.lastRunId, text: `${child.region} is part of it.` });
  return ledger.withdraw(child, "It is told as part of an outage of several regions.");
}

/** Why a child is silent (specification, section 3.1). */
const GLOBAL_REASON = "global_outage";

/** Ends an outage when all that belongs to it has ended. */
export function endOutage(ledger: Ledger, child: Incident, at: number, telling: Telling): void {
  const parent = ledger.find(child.parentId);
  if (!parent || ledger.incidents().some(({ parentId }) => parentId === parent.id)) return;
  const { isUnwatched } = child;
  ledger.change(parent, { status: "resolved", resolvedAt: at, isUnwatched });
  const text = isUnwatched ? "No check watches the last region any more." : "Every region has recovered.";
  ledger.note(parent, { at, kind: "resolved", text });
  tellResolved(ledger, parent, telling);
}
