import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");

test("traces of before they were counted by what they are alike in are counted, and counted on", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0031");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec("PRAGMA user_version = 30");
  raw.exec(`
    INSERT INTO orgs (id, slug, name, created_at) VALUES ('o', 'local', 'local', 1);
    INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES ('s', 'o', 'flow', 'Flow', 1, 1);`);
  const add = (number: number, status: string, signature: string | null) =>
    raw.run(
      `INSERT INTO traces (ord, id, org_id, short_id, scenario_id, scenario_slug, scenario_title, status, tier,
        failure_signature, created_at, aged_from) VALUES (?, ?, 'o', ?, 's', 'flow', 'Flow', ?, 'hot', ?, ?, ?)`,
      [number * 4096, `t${number}`, `short${number}`, status, signature, number, number],
    );
  add(1, "passed", null);
  add(2, "failed", "sig");
  add(3, "failed", "sig");

  migrate(raw);
  const counts = () =>
    raw.query("SELECT scenario_id, signature, count FROM alike_traces ORDER BY signature").values();
  expect(counts()).toEqual([
    ["s", "", 1],
    ["s", "sig", 2],
  ]);
  add(4, "passed", null);
  raw.run("UPDATE traces SET failure_signature = 'other' WHERE id = 't2'");
  raw.run("DELETE FROM traces WHERE id = 't3'");
  expect(counts()).toEqual([
    ["s", "", 2],
    ["s", "other", 1],
  ]);
  raw.close();
});
