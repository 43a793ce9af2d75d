import { stat } from "node:fs/promises";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import { type Ingested, uploadBundle } from "../platform/upload.ts";
import { openOutbox } from "../run/playwright/outbox.ts";
import { reasonOf } from "../run/playwright/send.ts";
import { sendJournals } from "../run/playwright/send-journals.ts";
import { tellResults } from "../run/playwright/tell.ts";
import { callWith } from "./call.ts";
import { CliError, note, printable } from "./output.ts";
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
  const runs = await sendJournals(session.client, folder, outbox);
  for (const { run, problem } of runs)
    note(run ? `Test run: ${run.url}` : `A test run could not be sent: ${printable(reasonOf(problem))}`);
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
      const answer = (await response.json()) as Ingested;
      outcomes.push({ file, answer });
      await outbox.done(entry);
      const { test_run } = entry;
      // A test run that is gone by now needs no trace.
      if (test_run?.id)
        await tellResults(session.client, test_run.id, [
          { ...test_run.told, trace_id: answer.trace_id },
        ]).catch(() => {});
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      outcomes.push({ file, problem: error });
    }
  }
  if (outcomes.length + runs.length === 0) note(`Nothing waits in ${folder}.`);
  return outcomes;
}
