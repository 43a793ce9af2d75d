import type { AuditPage, AuditVerification } from "../../../../server/identity/audit-events/model.ts";
import { getJson, withQuery } from "../../../api/request.ts";

/** What the list is narrowed to, as it stands in the address; days are local. */
export interface AuditFilter {
  actor: string;
  action: string;
  target: string;
  from: string;
  to: string;
}

export const FILTERS = ["actor", "action", "target", "from", "to"] as const satisfies (keyof AuditFilter)[];
const DAY = /^\d{4}-\d\d-\d\d$/;

/** A day's first moment in the reader's zone, or that of the day after it. */
function momentOf(day: string, daysOn: number): string | undefined {
  if (!DAY.test(day)) return undefined;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysOn).toISOString();
}

/** The filter as the server takes it. */
const asked = ({ actor, action, target, from, to }: AuditFilter) => ({
  ...{ actor: actor.trim(), action: action.trim(), target: target.trim() },
  ...{ from: momentOf(from, 0), to: momentOf(to, 1) },
});

export const auditApi = {
  list: (filter: AuditFilter, cursor: string | null, signal?: AbortSignal) =>
    getJson<AuditPage>(withQuery("/v1/audit-events", { ...asked(filter), cursor }), signal),
  verification: (signal?: AbortSignal) => getJson<AuditVerification>("/v1/audit-events/verification", signal),
  exportUrl: (filter: AuditFilter, format: "ndjson" | "csv") =>
    withQuery("/v1/audit-events/export", { ...asked(filter), format }),
};
