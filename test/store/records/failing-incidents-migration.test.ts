import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");

test("incidents from before they knew since when they fail do so since they opened, but for warnings", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0049");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 48");
  raw.exec(`
    INSERT INTO orgs (id, slug, name, created_at) VALUES ('o', 'local', 'local', 1);
    INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES ('s', 'o', 's', 's', 1, 1);`);
  const opened = raw.prepare(
    `INSERT INTO incidents (id, org_id, scenario_id, region, type, status, severity, rules, policy, opened_at, last_run_id)
    VALUES (?, 'o', 's', ?, ?, 'open', ?, '[]', '{}', ?, 'r')`,
  );
  opened.run("1", "a", "failure_rate", "error", 5);
  opened.run("2", "b", "latency_p99", "warning", 6);
  opened.run("3", "c", "shadow_diff", "error", 7);
  opened.run("4", "global", "global_outage", "critical", 8);
  migrate(raw);
  expect(raw.query("SELECT failing_at, unwatched FROM incidents ORDER BY id").all()).toEqual(
    [5, null, 7, 8].map((failing_at) => ({ failing_at, unwatched: 0 })),
  );
  raw.close();
});
