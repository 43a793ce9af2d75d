import { CompiledQuery, sql } from "kysely";
import type { Engine } from "../../../store/records/engine/types.ts";
import type { RecordsFault } from "../../../store/records/errors.ts";
import { IS_OPEN, isFree } from "../../../store/records/open-jobs.ts";
import { fullText } from "./full-text.ts";

/** By the beginnings of SQLSTATE. */
const FAULTS: readonly (readonly [start: string, fault: RecordsFault])[] = [
  ["53100", "full"],
  ["08", "disk"],
  ["40", "busy"],
  ["23505", "unique"],
  ["23", "constraint"],
  ["25006", "read_only"],
  ["XX001", "corrupt"],
];

/** What PostgreSQL says in its own words, as far as the contracts have come. */
export const postgresEngine: Engine = {
  hints: { through: (table) => table, joinAfter: "JOIN", unindexed: (column) => column },
  fullText,
  claim: {
    async take(records, { kinds, busyLanes = [], now, leaseUntil, token, server }) {
      const row = await records
        .updateTable("jobs")
        .set({ state: "running", lease_token: token, lease_server: server, visible_at: leaseUntil })
        .where("id", "=", (select) =>
          select
            .selectFrom("jobs")
            .select("id")
            .where(IS_OPEN)
            .where("visible_at", "<=", now)
            .where("kind", "in", kinds)
            .$if(busyLanes.length > 0, (query) => query.where(isFree(busyLanes)))
            .orderBy("visible_at")
            .orderBy("id")
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        .returningAll()
        .executeTakeFirst();
      return row ?? null;
    },
  },
  async alone(db, name) {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
  },
  json: {
    field: (column, name) => sql`(${sql.ref(column)}::jsonb ->> ${name}::text)`,
    given: (list) => sql`jsonb_array_elements(${list}::text::jsonb) AS given(value)`,
    textAt: (place) => sql`(given.value ->> ${sql.lit(place)})`,
    numberAt: (place) => sql`(given.value ->> ${sql.lit(place)})::bigint`,
  },
  letters: { contains: (column, text) => sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0` },
  catalog: {
    async columnsOf(db, table) {
      const { rows } = await sql<{ column_name: string }>`
        SELECT column_name FROM information_schema.columns 
        WHERE table_name = ${table} AND is_generated = 'NEVER'`.execute(db);
      return new Set(rows.map(({ column_name }) => column_name));
    },
  },
  // Its own vacuum does.
  room: { giveBack: async () => 0 },
  statement({ sql: text, parameters }) {
    let count = 0;
    return CompiledQuery.raw(
      text.replaceAll("?", () => `$${++count}`),
      parameters,
    );
  },
  faultOf: (code) => FAULTS.find(([start]) => code.startsWith(start))?.[1] ?? null,
};
