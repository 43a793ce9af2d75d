import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../store/store.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");

test("of the accounts of before only those of the first org alone count as held by whom their address names", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-older-"));
  const raw = new Database(join(dataDir, "tracedeck.db"));
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0051");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  raw.exec(`
    PRAGMA user_version = 50;
    INSERT INTO orgs (id, slug, name, created_at) VALUES ('first', 'local', 'local', 1), ('later', 'evil', 'evil', 2);
    INSERT INTO users (id, email, name, created_at) VALUES ('owner', 'owner@shop.example', 'O', 5),
      ('both', 'both@shop.example', 'B', 6), ('prepared', 'victim@shop.example', 'V', 7);
    INSERT INTO memberships (org_id, user_id, role, created_at) VALUES ('first', 'owner', 'owner', 1), ('first', 'both', 'member', 1),
      ('later', 'both', 'owner', 2), ('later', 'prepared', 'member', 2);
  `);
  raw.close();

  const store = openStore(dataDir);
  const users = await store.records
    .selectFrom("users")
    .select(["id", "email_confirmed_at"])
    .orderBy("id")
    .execute();
  expect(users).toEqual([
    { id: "both", email_confirmed_at: null },
    { id: "owner", email_confirmed_at: 5 },
    { id: "prepared", email_confirmed_at: null },
  ]);
  await store.close();
  rmSync(dataDir, { recursive: true });
});
