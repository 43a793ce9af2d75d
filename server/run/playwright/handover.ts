import type { KitOptions } from "./options.ts";

/** The variable by which the reporter's process tells the workers of itself. */
export const HANDOVER = "TRACEDECK_PLAYWRIGHT_REPORTER";
/** The attachment by which the fixture tells the reporter which trace it has begun. */
export const ATTACHMENT = "tracedeck";

/** What the reporter was told, for the fixture. */
export type ReporterNote = KitOptions & { runId: string };

export function toReporterNote({
  server,
  apiKey,
  scenario,
  source,
  commit,
  pr,
  runId,
}: ReporterNote): string {
  return JSON.stringify({ server, apiKey, scenario, source, commit, pr, runId });
}

/** Null without a reporter: then the fixture ends its traces itself. */
export function readReporterNote(text: string | undefined): ReporterNote | null {
  return text === undefined ? null : (JSON.parse(text) as ReporterNote);
}

/** The trace that the fixture has begun for an attempt. */
export function findHandover(attachments: readonly { name: string; body?: Buffer }[]): string | null {
  const body = attachments.find(({ name }) => name === ATTACHMENT)?.body?.toString("utf8") ?? "";
  return /\btrace_id: ([0-9a-f-]{36})/.exec(body)?.[1] ?? null;
}
