import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SCOPES } from "../../../server/identity/scopes.ts";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");

test("a store from before there were secrets gives the keys with every scope all that came since, and others none", () => {
  const raw = new Database(":memory:");
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0013");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec(`PRAGMA user_version = ${before.length}`);
  raw.exec("INSERT INTO orgs VALUES ('o-1', 'local', 'local', 1)");
  const add = raw.prepare(
    "INSERT INTO api_keys (id, org_id, kind, name, prefix, hash, scopes, created_at) VALUES (?1, 'o-1', 'sk', ?1, ?1, ?1, ?2, 1)",
  );
  const old = SCOPES.slice(0, 26);
  add.run("every", JSON.stringify(old));
  add.run("some", JSON.stringify(["keys:manage", "traces:read"]));
  migrate(raw);
  const scopesOf = (id: string) =>
    JSON.parse((raw.query("SELECT scopes FROM api_keys WHERE id = ?").get(id) as { scopes: string }).scopes);
  expect(scopesOf("every")).toEqual([...SCOPES]);
  expect(scopesOf("some")).toEqual(["keys:manage", "traces:read"]);
  raw.close();
});
