import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJobQueue } from "../../../server/jobs/queue.ts";
import { createJobRunner, type JobRunner } from "../../../server/jobs/runner.ts";
import { createIds } from "../../../server/platform/ids.ts";
import { createLog } from "../../../server/platform/log.ts";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";
import { openSqlite } from "../../../store/records/engine/sqlite/open.ts";
import { createTestClock } from "../../helpers/app.ts";

/** Real records in a temporary folder, with a queue and as many runners as a test wants. */
export function jobHouse(clock = createTestClock()) {
  const folder = mkdtempSync(join(tmpdir(), "jobs-"));
  const { records, raw } = openSqlite(join(folder, "test.db"));
  migrate(raw);
  const ids = createIds(clock);
  const lines: string[] = [];
  const log = createLog({ clock, level: "debug", write: (line) => lines.push(line) });
  const queue = createJobQueue({ clock, ids });
  const runner = (concurrency = 2, server = "server-a"): JobRunner =>
    createJobRunner({ records, clock, ids, log, server, queue, concurrency });
  const close = async () => {
    await records.destroy();
    rmSync(folder, { recursive: true });
  };
  return { records, raw, clock, ids, log, lines, queue, runner, close };
}
