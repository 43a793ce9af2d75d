import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { snapshotFile } from "../../../store/records/engine/sqlite/file.ts";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";
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
  migrate(opened.raw);
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

test("the index of words keeps nothing of traces that are gone, once as many are gone as are there", async () => {
  const { records, raw, close } = openSqlite(join(folder, "words.db"));
  migrate(raw);
  raw.exec(`INSERT INTO orgs (id, name, slug, created_at) VALUES ('o', 'O', 'o', 0);
    INSERT INTO scenarios (id, org_id, slug, title, created_at, updated_at) VALUES ('s', 'o', 's', 'S', 0, 0)`);
  const words = (from: number, to: number) =>
    raw.exec(`WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      INSERT INTO traces (ord, id, short_id, org_id, scenario_id, scenario_slug, scenario_title, status, tier, created_at, aged_from)
      SELECT i, 't' || i, 's' || i, 'o', 's', 's', 'word' || i || ' ' || hex(randomblob(40)), 'failed', 'hot', i / 4096, i FROM n`);
  const blocks = () =>
    (raw.query("SELECT sum(length(block)) AS n FROM traces_fts_data").get() as { n: number }).n;
  const found = (word: string) =>
    raw.query("SELECT rowid FROM traces_fts WHERE traces_fts MATCH ?").values(word).flat();
  words(1, 3000);
  const full = blocks();
  words(3001, 6000);
  raw.exec("DELETE FROM traces WHERE ord <= 2900");
  await giveBackRoom(records);
  expect(raw.query("SELECT traces FROM words_removed").get()).toEqual({ traces: 2900 });
  raw.exec("DELETE FROM traces WHERE ord <= 3000");
  expect(blocks()).toBeGreaterThan(1.5 * full);
  await giveBackRoom(records);
  expect(blocks()).toBeLessThan(1.2 * full);
  expect(raw.query("SELECT traces FROM words_removed").get()).toEqual({ traces: 0 });
  expect([found("word2"), found("word3001"), found("word6000")]).toEqual([[], [3001], [6000]]);
  raw.exec("INSERT INTO traces_fts (traces_fts) VALUES ('integrity-check')");
  await close();
});
