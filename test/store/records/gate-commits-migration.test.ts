import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");

test("traces of before that code of forks made are known as such", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0053");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 52");
  raw.exec(`
    INSERT INTO orgs (id, slug, name, created_at) VALUES ('o', 'local', 'local', 1);
    INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES ('s', 'o', 'flow', 'Flow', 1, 1);`);
  const plans = { own: { scenario: { title: '"is_untrusted":true' } }, theirs: { is_untrusted: true } };
  for (const [at, [id, plan]] of Object.entries(plans).entries()) {
    raw.run(
      `INSERT INTO traces (ord, id, org_id, short_id, scenario_id, scenario_slug, scenario_title, status, tier, created_at, aged_from)
       VALUES (?, ?, 'o', ?, 's', 'flow', 'Flow', 'passed', 'hot', ?, 1)`,
      [(at + 1) * 4096, id, id, at + 1],
    );
    raw.run(
      `INSERT INTO runs (id, org_id, type, status, scenario_id, scenario_slug, region, trigger, plan, trace_id, scheduled_at)
       VALUES (?, 'o', 'pr', 'passed', 's', 'flow', 'local', 'pr', ?, ?, 1)`,
      [`run of ${id}`, JSON.stringify(plan), id],
    );
  }
  migrate(raw);
  expect(raw.query("SELECT id, by_strangers FROM traces ORDER BY id").values()).toEqual([
    ["own", 0],
    ["theirs", 1],
  ]);
  raw.close();
});
