import type { ApiClient } from "../../platform/api-client.ts";
import { dropJournal, type Journal, listJournals, refuseJournal } from "./journal.ts";
import type { Outbox } from "./outbox.ts";
import { type KnownRun, RefusedError, sendJournal } from "./tell.ts";

export interface SentJournal {
  journal: Journal;
  run?: KnownRun;
  problem?: unknown;
}

/**
 * Sends the runs that wait in an outbox, and tells the traces that still wait which run theirs is. One that the server
 * will never take is set aside.
 */
export async function sendJournals(
  client: ApiClient,
  folder: string,
  outbox: Pick<Outbox, "list" | "update">,
  signal?: AbortSignal,
): Promise<SentJournal[]> {
  const sent: SentJournal[] = [];
  for (const journal of await listJournals(folder)) {
    try {
      const run = await sendJournal(client, journal, signal);
      for (const entry of await outbox.list())
        if (entry.test_run?.key === journal.key)
          await outbox.update({ ...entry, test_run: { ...entry.test_run, id: run.id } });
      await dropJournal(folder, journal);
      sent.push({ journal, run });
    } catch (problem) {
      if (problem instanceof RefusedError && problem.isFinal) await refuseJournal(folder, journal);
      sent.push({ journal, problem });
    }
  }
  return sent;
}
