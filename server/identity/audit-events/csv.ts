import type { AuditEntry } from "./model.ts";

const COLUMNS: Record<string, (entry: AuditEntry) => string | number> = {
  seq: ({ seq }) => seq,
  at: ({ at }) => at,
  actor_type: ({ actor }) => actor.type,
  actor_id: ({ actor }) => actor.id,
  action: ({ action }) => action,
  target: ({ target }) => target,
  ip: ({ ip }) => ip ?? "",
  detail: ({ detail }) => JSON.stringify(detail),
  prev_hash: (entry) => entry.prev_hash,
  hash: ({ hash }) => hash,
};

/** RFC 4180. */
export const CSV_HEAD = `${Object.keys(COLUMNS).join(",")}\r\n`;

export const csvLine = (entry: AuditEntry): string =>
  `${Object.values(COLUMNS)
    .map((read) => csvCell(read(entry)))
    .join(",")}\r\n`;

/**
 * Text that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, CSV injection); numbers of ours do not
 * begin so.
 */
function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}
