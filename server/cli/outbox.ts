import { stat } from "node:fs/promises";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import { type Ingested, uploadBundle } from "../platform/upload.ts";
import { openOutbox } from "../run/playwright/outbox.ts";
import { callWith } from "./call.ts";
import { CliError, note } from "./output.ts";
import type { Session } from "./session.ts";

export interface OutboxOutcome {
  file: string;
  answer?: Ingested;
  problem?: CliError;
}

/**
 * Ingests what a reporter of Playwright could not send, oldest first; what arrived leaves the folder.
 * @throws CliError when there is no such folder
 */
export async function ingestOutbox(
  session: Pick<Session, "client">,
  folder: string,
): Promise<OutboxOutcome[]> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw new CliError(`There is no folder ${folder}.`);
  const outbox = openOutbox(folder);
  const ids = createIds(systemClock);
  const outcomes: OutboxOutcome[] = [];
  for (const entry of await outbox.list()) {
    const file = outbox.archiveOf(entry);
    // The end of a trace that its server has long given up.
    if (!entry.has_archive) {
      await outbox.done(entry);
      continue;
    }
    try {
      const response = await callWith(() =>
        uploadBundle(session.client, {
          path: file,
          fields: entry.fields,
          boundary: `tracedeck-${ids.secret(24)}`,
          idempotencyKey: entry.idempotency_key,
        }),
      );
      outcomes.push({ file, answer: (await response.json()) as Ingested });
      await outbox.done(entry);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      outcomes.push({ file, problem: error });
    }
  }
  if (outcomes.length === 0) note(`Nothing waits in ${folder}.`);
  return outcomes;
}
