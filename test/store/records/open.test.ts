import { Database as BunDatabase } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../../../store/records/engine/sqlite/migrate.ts";
import { openSqlite } from "../../../store/records/engine/sqlite/open.ts";

test.each(["BEGIN; SELECT * FROM t", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])(
  "a new database opens as soon as another process lets go of it (%s)",
  async (hold) => {
    const folder = mkdtempSync(join(tmpdir(), "tracedeck-sqlite-"));
    const path = join(folder, "tracedeck.db");
    new BunDatabase(path, { create: true }).run("CREATE TABLE t (a)");
    const script = `
      import { Database } from "bun:sqlite";
      const db = new Database(${JSON.stringify(path)});
      for (const sql of ${JSON.stringify(hold)}.split("; ")) db.prepare(sql).all();
      console.log("held");
      Bun.sleepSync(300);
      db.run("COMMIT");`;
    const other = Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" });
    await other.stdout.getReader().read();
    const { raw } = openSqlite(path);
    expect(raw.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    raw.close();
    expect(await other.exited).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  },
);

test("a new database that cannot be made whole is left at a whole version, and is made by the next start", () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-sqlite-"));
  const { raw } = openSqlite(join(folder, "tracedeck.db"));
  // As a disk that is full after some of the tables.
  raw.exec("PRAGMA max_page_count = 100");
  expect(() => migrate(raw)).toThrow("full");
  expect(schemaVersion(raw)).toBeGreaterThan(0);
  expect(schemaVersion(raw)).toBeLessThan(SCHEMA_VERSION);
  raw.exec("PRAGMA max_page_count = 1000000");
  migrate(raw);
  expect(schemaVersion(raw)).toBe(SCHEMA_VERSION);
  raw.close();
  rmSync(folder, { recursive: true, force: true });
});

test("two processes that make a new database at once both find it whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-sqlite-"));
  const path = join(folder, "tracedeck.db");
  const script = `
    import { migrate } from ${JSON.stringify(Bun.resolveSync("../../../store/records/engine/sqlite/migrate.ts", import.meta.dir))};
    import { openSqlite } from ${JSON.stringify(Bun.resolveSync("../../../store/records/engine/sqlite/open.ts", import.meta.dir))};
    const { raw } = openSqlite(${JSON.stringify(path)});
    console.log("open");
    for await (const _ of console) break;
    migrate(raw);
    raw.query("SELECT count(*) FROM traces").get();`;
  const both = [1, 2].map(() =>
    Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" }),
  );
  for (const { stdout } of both) await stdout.getReader().read();
  for (const { stdin } of both) {
    stdin.write("go\n");
    stdin.end();
  }
  expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0]);
  const { raw } = openSqlite(path);
  expect(schemaVersion(raw)).toBe(SCHEMA_VERSION);
  raw.close();
  rmSync(folder, { recursive: true, force: true });
});
