import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSecret } from "../../../server/identity/key-secrets.ts";
import { createTestClock, testApp } from "../../helpers/app.ts";

const MIGRATIONS = join(import.meta.dir, "../../../store/records/engine/sqlite/migrations");
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

test("sessions of before they had ids go on, each under an id of its own", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-older-"));
  const clock = createTestClock();
  const raw = new Database(join(dataDir, "tracedeck.db"));
  const before = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < "0022");
  for (const name of before) raw.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  const now = clock.now();
  raw.exec(`
    PRAGMA user_version = 21;
    INSERT INTO orgs VALUES ('o', 'local', 'local', 1);
    INSERT INTO users VALUES ('u', 'owner@local.invalid', 'Owner', NULL, 1);
    INSERT INTO memberships VALUES ('o', 'u', 'owner', 1);
  `);
  for (const token of ["one", "other"])
    raw.run("INSERT INTO sessions VALUES (?, 'u', 'o', ?, ?, ?)", [hashSecret(token), now, now + 1000, now]);
  raw.close();

  const app = await testApp({ dataDir, clock });
  const ids = [];
  for (const token of ["one", "other"]) {
    const headers = { authorization: "", cookie: `product_session=${token}` };
    expect((await app.api("/api/v1/me", { headers })).status).toBe(200);
    const row = await app.store.records
      .selectFrom("sessions")
      .select(["id", "method"])
      .where("hash", "=", hashSecret(token))
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ id: expect.stringMatching(UUID), method: "link" });
    ids.push(row.id);
  }
  expect(new Set(ids).size).toBe(2);
  await app.close();
  rmSync(dataDir, { recursive: true });
});
