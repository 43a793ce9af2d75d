/** Appends to the audit chain and to a run's log, each in a transaction. Arguments: data folder, name. */
import { recordAudit } from "../../../store/records/audit.ts";
import { addRunLogs } from "../../../store/records/runs.ts";
import { openStore } from "../../../store/store.ts";

/** How many entries each of the two writers adds. */
export const ROUNDS = 20;

if (import.meta.main) {
  const [dataDir, name] = process.argv.slice(2) as [string, string];
  const store = openStore(dataDir);
  for (let round = 0; round < ROUNDS; round++)
    await store.records.transaction().execute(async (trx) => {
      const actor = { type: "system", id: name };
      const at = 1_000;
      const target = `${name} ${round}`;
      await recordAudit(trx, { orgId: "o", at, actor, action: "thing.do", target, ip: null });
      await addRunLogs(trx, "processes", [{ ts: at, level: "info", message: target, step_id: null }]);
    });
  await store.close();
}
