import { findCauseOf } from "../../../store/records/causes.ts";
import type { Db } from "../../../store/records/db.ts";
import { findGate } from "../../../store/records/gates.ts";
import { findIncident, type IncidentRow } from "../../../store/records/incidents.ts";
import { findAttempt, type MenderRow } from "../../../store/records/mender.ts";
import type { NoticeRow } from "../../../store/records/notices.ts";
import { findScenario } from "../../../store/records/scenarios.ts";
import { toIso } from "../../platform/clock.ts";
import { GLOBAL } from "../alerts/state.ts";
import type { Facts, NotificationEvent } from "../channel-types/facts.ts";

/** What a notice says, as every channel tells it, from what is stored. @param base where links begin */
export async function factsOf(db: Db, notice: NoticeRow, base: string): Promise<Facts> {
  const incident = notice.incident_id === null ? null : await findIncident(db, notice.incident_id);
  const scenario =
    notice.scenario_id === null ? undefined : await findScenario(db, notice.org_id, notice.scenario_id);
  const attempt = notice.mender_attempt_id === null ? null : await findAttempt(db, notice.mender_attempt_id);
  const traceId = notice.trace_id ?? incident?.trace_id ?? null;
  const event = notice.event as NotificationEvent;
  const title = scenario?.title || scenario?.slug || "A scenario";
  const isOver = event === "incident.resolved";
  // The sentence about a gate has it.
  const reason = incident === null && notice.gate_id === null ? notice.reason : "";
  return {
    event,
    orgId: notice.org_id,
    incidentId: notice.incident_id ?? "",
    scenarioSlug: scenario?.slug ?? "",
    region: notice.region ?? "",
    runId: notice.run_id ?? "",
    failureSignature: notice.failure_signature ?? "",
    traceUrl: traceId === null ? "" : `${base}/traces/${traceId}`,
    timestamp: toIso((isOver ? incident?.resolved_at : incident?.opened_at) ?? notice.created_at),
    title:
      notice.gate_id !== null
        ? await gateSentence(db, notice)
        : sentence(event, title, notice.region, incident),
    cause: isOver ? "" : (await causeOf(db, traceId)) || reason,
    severity: isOver ? severityOfEnd(incident) : (incident?.severity ?? "warning"),
    url: pageOf(notice, { incident, attempt }, base),
    since: incident === null ? "" : toIso(incident.opened_at),
  };
}

/** Of a failing trace, with a word where it was found in that run alone; empty where none was found. */
async function causeOf(db: Db, traceId: string | null): Promise<string> {
  const found = traceId === null ? null : await findCauseOf(db, traceId);
  if (!found?.headline) return "";
  return found.baseline_id === null
    ? `${found.headline} (told without a pass to compare with)`
    : found.headline;
}

/** That nobody looks any more is no good news. */
const severityOfEnd = (incident: IncidentRow | null): Facts["severity"] =>
  incident?.unwatched === 1 ? "warning" : "info";

function pageOf(
  notice: NoticeRow,
  { incident, attempt }: { incident: IncidentRow | null; attempt: MenderRow | null },
  base: string,
): string {
  if (attempt !== null) return attempt.pr_url ?? `${base}/mender/${attempt.id}`;
  if (notice.gate_id !== null) return `${base}/gates/${notice.gate_id}`;
  if (incident !== null) return `${base}/incidents/${incident.id}`;
  return notice.run_id === null ? `${base}/monitoring` : `${base}/runs/${notice.run_id}`;
}

async function gateSentence(db: Db, { gate_id, event, reason }: NoticeRow): Promise<string> {
  const gate = gate_id === null ? null : await findGate(db, gate_id);
  const how = event === "gate.failed" ? "fails" : "could not be judged";
  if (!gate) return `A gate ${how}`;
  const what = gate.pr_number === null ? gate.head_sha.slice(0, 7) : `pull request #${gate.pr_number}`;
  return `The gate of ${what} of ${gate.repository} ${how}: ${reason}`;
}

function sentence(
  event: NotificationEvent,
  title: string,
  region: string | null,
  incident: IncidentRow | null,
): string {
  const where = region === null ? "" : region === GLOBAL ? " everywhere" : ` in ${region}`;
  if (event === "fix.pr_opened") return `A fix of the scenario ${title} is proposed`;
  if (event === "monitor.errors") return `Runs of ${title} cannot be made${where}: nothing is watched there`;
  if (event === "shadow_diff.detected") return `Production and its stand-ins differ for ${title}${where}`;
  if (incident?.resolved_at != null) {
    if (incident.unwatched === 1)
      return region === GLOBAL
        ? `${title} is no longer watched where it still failed`
        : `${title} is no longer watched${where}; it ${was(incident)}`;
    const minutes = Math.round((incident.resolved_at - incident.opened_at) / 60_000);
    return `${title} works again${where}, after ${words(minutes)}`;
  }
  if (incident && incident.failing_at === null) return `${title} is slow${where}`;
  return `${title} fails${where}`;
}

/** How a scenario was when nobody watched it any more. */
function was({ type, failing_at }: Pick<IncidentRow, "type" | "failing_at">): string {
  if (failing_at !== null) return "was failing";
  return type === "shadow_diff" ? "had drifted" : "was slow";
}

function words(minutes: number): string {
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}
