import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, SCHEMA_VERSION } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");
const DAY = 24 * 60 * 60_000;

test("a store from before servers had ids opens: its leases are nobody's, and a visitor is one row a day", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0017");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 16");
  raw.exec(`
    INSERT INTO jobs (id, kind, payload, state, visible_at, lease_token, created_at) VALUES ('j', 'a', '{}', 'running', 5, 't', 1);
    INSERT INTO orgs VALUES ('o', 'local', 'local', 1);
    INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES ('s', 'o', 's', 's', 1, 1);
    INSERT INTO traces (ord, id, org_id, short_id, scenario_id, scenario_slug, scenario_title, status, tier, created_at, aged_from)
    VALUES (1, 't', 'o', 'short', 's', 's', 's', 'passed', 'hot', 0, 0);`);
  const opened = raw.prepare(
    "INSERT INTO share_views (id, trace_id, at, ip, user_agent, times) VALUES (?, 't', ?, ?, 'browser', ?)",
  );
  opened.run("a", DAY, null, 1);
  opened.run("b", DAY + 7, null, 2);
  opened.run("c", 2 * DAY, null, 1);
  opened.run("d", DAY, "10.0.0.1", 1);
  migrate(raw);
  expect(raw.query("PRAGMA user_version").get()).toEqual({ user_version: SCHEMA_VERSION });
  expect(raw.query("SELECT lease_server, period_at FROM jobs").all()).toEqual([
    { lease_server: null, period_at: null },
  ]);
  expect(raw.query("SELECT at, ip, times FROM share_views ORDER BY at, ip").all()).toEqual([
    { at: DAY, ip: "10.0.0.1", times: 1 },
    { at: DAY + 7, ip: null, times: 3 },
    { at: 2 * DAY, ip: null, times: 1 },
  ]);
  raw.close();
});
