import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");

test("a maintenance window that began at 24:00 begins at the midnight that was meant, and one of the year 0 is gone", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0055");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 54");
  raw.exec("INSERT INTO orgs (id, slug, name, created_at) VALUES ('o', 'local', 'local', 1)");
  const made = raw.prepare(
    `INSERT INTO maintenance_windows (id, org_id, name, timezone, starts_at, cron, duration_minutes, created_at, updated_at)
    VALUES (?, 'o', 'w', 'UTC', ?, ?, 5, 1, 1)`,
  );
  made.run("1", "2024-02-28T24:00", null);
  made.run("2", "2026-12-31T24:00", null);
  made.run("3", "0000-01-01T10:00", null);
  made.run("4", "9999-12-31T24:00", null);
  made.run("5", "2026-03-01T12:24", null);
  made.run("6", null, "0 2 * * *");
  migrate(raw);
  expect(raw.query("SELECT id, starts_at FROM maintenance_windows ORDER BY id").values()).toEqual([
    ["1", "2024-02-29T00:00"],
    ["2", "2027-01-01T00:00"],
    ["5", "2026-03-01T12:24"],
    ["6", null],
  ]);
  raw.close();
});
