import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { snapshotFile } from "../../../store/records/engine/sqlite/file.ts";
import { openSqlite } from "../../../store/records/engine/sqlite/open.ts";
import { giveBackRoom } from "../../../store/records/room.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-room-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILL = `CREATE TABLE IF NOT EXISTS filled (id INTEGER PRIMARY KEY, text TEXT);
  WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 10000)
  INSERT OR REPLACE INTO filled SELECT id, hex(zeroblob(1500)) FROM n`;

/** A file of some 30 MB, all but a hundredth of which is free. */
async function emptied(path: string) {
  const opened = openSqlite(path);
  opened.raw.exec(FILL);
  await sql`DELETE FROM filled WHERE id > 100`.execute(opened.records);
  return opened;
}

test("a database gives back what rows have left, but for a little to go on with, and keeps the rest whole", async () => {
  const path = join(folder, "new.db");
  const { records, raw, close } = await emptied(path);
  const given = await giveBackRoom(records);
  expect(given).toBeGreaterThan(20e6);
  expect(await giveBackRoom(records)).toBe(0);
  expect(raw.query("SELECT count(*) AS n FROM filled").get()).toEqual({ n: 100 });
  expect(raw.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  await close();
  expect(statSync(path).size).toBeLessThan(10e6);
});

test("a file of before has no map of its pages and stays as it is, until it comes back from a copy", async () => {
  const path = join(folder, "old.db");
  const before = new Database(path, { create: true });
  before.exec("PRAGMA auto_vacuum = NONE; CREATE TABLE first (id)");
  before.close();
  const old = await emptied(path);
  expect(await giveBackRoom(old.records)).toBe(0);
  await old.close();
  const copy = join(folder, "copy.db");
  snapshotFile(path, copy);
  const { records, close } = await emptied(copy);
  expect(await giveBackRoom(records)).toBeGreaterThan(20e6);
  await close();
});
