import { Database as BunDatabase } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
