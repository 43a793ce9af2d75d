import { type AuditFilters, listAudit } from "../../../store/records/audit.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { fromIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { CSV_HEAD, csvLine } from "./csv.ts";
import {
  type AuditEntry,
  type AuditExportQuery,
  type AuditPage,
  type AuditQuery,
  decodeAuditCursor,
  encodeAuditCursor,
  toAuditEntry,
} from "./model.ts";

type AuditDeps = Pick<Deps, "store">;

const EXPORT_PAGE = 500;

/**
 * The org's entries, newest first.
 * @throws AppError `invalid_request` for a cursor or a time that is none
 */
export async function listAuditEvents(
  { store }: AuditDeps,
  { orgId }: Pick<Actor, "orgId">,
  { limit = 50, cursor, ...query }: AuditQuery,
): Promise<AuditPage> {
  const at = cursor === undefined ? undefined : decodeAuditCursor(cursor);
  if (at === null) throw invalid('The query parameter "cursor" is not one that this list gave out.');
  const rows = await listAudit(store.records, orgId, filtersOf(query), {
    order: "desc",
    limit: limit + 1,
    ...(at !== undefined && { at }),
  });
  const shown = rows.slice(0, limit);
  return {
    items: shown.map(toAuditEntry),
    next_cursor: rows.length > limit ? encodeAuditCursor(shown.at(-1)!.seq) : null,
  };
}

/** How an export is written: what stands first, each entry, and what it is. */
const FORMATS = {
  ndjson: {
    type: "application/x-ndjson",
    head: "",
    line: (entry: AuditEntry) => `${JSON.stringify(entry)}\n`,
  },
  csv: { type: "text/csv; charset=utf-8; header=present", head: CSV_HEAD, line: csvLine },
};

/**
 * The org's entries in the order of the chain, a page of them in memory at a time, as fast as the reader takes them.
 * @throws AppError `invalid_request` for a time that is none
 */
export function exportAuditEvents(
  { store }: AuditDeps,
  { orgId }: Pick<Actor, "orgId">,
  { format = "ndjson", ...query }: AuditExportQuery,
): { body: ReadableStream<Uint8Array>; type: string; fileName: string } {
  const filters = filtersOf(query);
  const { type, head, line } = FORMATS[format];
  const encoder = new TextEncoder();
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (head) controller.enqueue(encoder.encode(head));
      },
      async pull(controller) {
        const rows = await listAudit(store.records, orgId, filters, { order: "asc", at, limit: EXPORT_PAGE });
        at = rows.at(-1)?.seq ?? at;
        if (rows.length > 0) controller.enqueue(encoder.encode(rows.map(toAuditEntry).map(line).join("")));
        if (rows.length < EXPORT_PAGE) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, type, fileName: `audit.${format}` };
}

function filtersOf({ from, to, ...rest }: Omit<AuditExportQuery, "format">): AuditFilters {
  const [start, end] = [timeOf("from", from), timeOf("to", to)];
  if (start !== undefined && end !== undefined && start > end)
    throw invalid('The query parameter "from" must not lie after "to".');
  return { ...rest, ...(start !== undefined && { from: start }), ...(end !== undefined && { to: end }) };
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = fromIso(text);
  if (time === null) throw invalid(`The query parameter "${name}" must be an ISO 8601 time.`);
  return time;
}
