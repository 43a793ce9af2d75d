import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

test("failures that were counted by the hour are counted by blocks of every width", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0057");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 56");
  raw.exec("INSERT INTO orgs (id, slug, name, created_at) VALUES ('o', 'local', 'local', 1)");
  raw.exec(
    "INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES ('s', 'o', 's', 's', 1, 1)",
  );
  const made = raw.prepare(
    `INSERT INTO traces (ord, id, org_id, short_id, scenario_id, scenario_slug, scenario_title, status, tier, pinned,
      source, failure_signature, created_at, aged_from)
    VALUES (?2 * 4096, ?1, 'o', ?1, 's', 's', 's', ?3, 'hot', 0, ?4, ?5, ?2, ?2)`,
  );
  made.run("a", DAY + MINUTE, "failed", "pr", "sig_1");
  made.run("b", DAY + 9 * MINUTE, "error", "pr", "sig_1");
  made.run("c", DAY + 10 * MINUTE, "failed", null, "sig_1");
  made.run("d", DAY + 200 * MINUTE, "failed", "pr", "sig_1");
  made.run("e", DAY + 200 * MINUTE + 1, "passed", "pr", "sig_1");
  migrate(raw);
  const kept = raw
    .query("SELECT minutes, block, source, count, last_ord / 4096 - ? FROM failure_blocks ORDER BY 1, 2, 3")
    .values(DAY);
  expect(kept).toEqual([
    [10, 144, "pr", 2, 9 * MINUTE],
    [10, 145, "", 1, 10 * MINUTE],
    [10, 164, "pr", 1, 200 * MINUTE],
    [60, 24, "", 1, 10 * MINUTE],
    [60, 24, "pr", 2, 9 * MINUTE],
    [60, 27, "pr", 1, 200 * MINUTE],
    [180, 8, "", 1, 10 * MINUTE],
    [180, 8, "pr", 2, 9 * MINUTE],
    [180, 9, "pr", 1, 200 * MINUTE],
    [360, 4, "", 1, 10 * MINUTE],
    [360, 4, "pr", 3, 200 * MINUTE],
    [1440, 1, "", 1, 10 * MINUTE],
    [1440, 1, "pr", 3, 200 * MINUTE],
  ]);
  raw.close();
});
