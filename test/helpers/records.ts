import { Database as BunDatabase } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds } from "../../server/platform/ids.ts";
import type { Records } from "../../store/records/db.ts";
import { migrate } from "../../store/records/engine/sqlite/migrate.ts";
import { openSqlite } from "../../store/records/engine/sqlite/open.ts";
import { insertTrace, type NewTrace } from "../../store/records/traces.ts";

export const START = Date.parse("2026-03-01T12:00:00.000Z");

/** Empty records of any engine with one org, and a quick way to fill them. */
export async function fillable(records: Records) {
  let now = START;
  const ids = createIds({ now: () => now });
  const scenarios = new Map<string, string>();

  async function org(slug: string): Promise<string> {
    const id = ids.uuid();
    await records.insertInto("orgs").values({ id, slug, name: slug, created_at: now }).execute();
    return id;
  }

  async function scenario(orgId: string, slug: string): Promise<string> {
    const key = `${orgId}/${slug}`;
    const known = scenarios.get(key);
    if (known) return known;
    const id = ids.uuid();
    const row = { id, org_id: orgId, slug, title: slug, created_at: now, updated_at: now };
    await records.insertInto("scenarios").values(row).execute();
    scenarios.set(key, id);
    return id;
  }

  async function trace(orgId: string, more: Partial<NewTrace> & { slug?: string } = {}): Promise<string> {
    const { slug = "checkout", ...columns } = more;
    const id = ids.uuid();
    await insertTrace(records, {
      id,
      org_id: orgId,
      short_id: ids.shortId(),
      scenario_id: await scenario(orgId, slug),
      scenario_slug: slug,
      scenario_title: slug,
      status: "passed",
      tier: "hot",
      ...columns,
    });
    return id;
  }

  return {
    records,
    ids,
    org,
    scenario,
    trace,
    orgId: await org("local"),
    /** Later rows are made so much later. */
    advance: (ms: number) => (now += ms),
    now: () => now,
  };
}

export type FillableRecords = Awaited<ReturnType<typeof fillable>>;

/** A migrated SQLite database of its own. `empty` takes all rows away again. */
export function sqliteRecords() {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-records-"));
  const path = join(folder, "records.db");
  const { records, raw } = openSqlite(path);
  migrate(raw);
  return {
    records,
    raw,
    path,
    async empty() {
      // Those that others name go last; `storage_totals` has a row from the beginning.
      const tables = raw.query(TABLES).all() as { name: string }[];
      raw.transaction(() => {
        for (const { name } of tables.reverse()) raw.run(`DELETE FROM ${name}`);
        raw.run("INSERT INTO storage_totals VALUES ('', 'blobs', '', 0, 0)");
      })();
    },
    async close() {
      await records.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'traces_fts%' AND name NOT LIKE 'sqlite_%' ORDER BY rowid`;

/** A migrated SQLite database of its own, to be filled. */
export async function testRecords() {
  const { records, raw, path, close } = sqliteRecords();
  return {
    ...(await fillable(records)),
    raw,
    /** Query plan lines, read over a connection of its own. */
    plan(sql: string, parameters: (string | number)[]): string[] {
      const other = new BunDatabase(path, { readonly: true });
      try {
        const rows = other.query(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
        return rows.map(({ detail }) => detail);
      } finally {
        other.close();
      }
    },
    close,
  };
}

export type TestRecords = Awaited<ReturnType<typeof testRecords>>;
